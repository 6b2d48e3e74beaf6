package wire_test

import (
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

func TestOptionsSurviveTheCommandLine(t *testing.T) {
	for _, want := range []wire.Options{{}, {Memory: 128 << 20, StackKiB: 500, Jitless: true}, {Jitless: true}} {
		got, err := wire.ParseOptions(want.Args())
		if err != nil || got != want {
			t.Errorf("%v: %+v, %v", want.Args(), got, err)
		}
	}
	if _, err := wire.ParseOptions([]string{"-nonsense"}); err == nil {
		t.Error("an unknown flag was taken")
	}
}
