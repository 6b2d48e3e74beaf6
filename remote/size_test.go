package remote_test

import (
	"strings"
	"testing"

	"github.com/codemode-go/codemode/remote"
)

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "67108864": 64 << 20, "64MB": 64e6, "64mb": 64e6, "64MiB": 64 << 20, "64mib": 64 << 20, "3kB": 3000, "3KiB": 3 << 10, "2GB": 2e9, "2 GiB": 2 << 30,
		"7B": 7, "9223372036854775807": 1<<63 - 1,
	} {
		if got, err := remote.ParseBytes(text); got != want || err != nil {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0MB", "-1", "+1", "1.5GB", "64M", "64 TB", "MB", "MiB64", "9223372036854775808", "9223372036GiB", "1e9", "0x10", "1_000"} {
		if got, err := remote.ParseBytes(text); err == nil || !strings.Contains(err.Error(), "64MiB") {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
}
