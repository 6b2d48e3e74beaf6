package lines

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 100)
	r := bufio.NewReaderSize(strings.NewReader("a\r\n\n  b \n"+long+"\n"+strings.Repeat("y", 50)+"\nlast"), 16)
	for i, want := range []struct {
		line string
		err  error
	}{{"a", nil}, {"", nil}, {"b", nil}, {"", ErrTooLong}, {strings.Repeat("y", 50), nil}, {"last", io.EOF}, {"", io.EOF}} {
		if line, err := Read(r, 60, nil); string(line) != want.line || !errors.Is(err, want.err) || (err == nil) != (want.err == nil) {
			t.Errorf("line %d: %q, %v; want %q, %v", i, line, err, want.line, want.err)
		}
	}
}
