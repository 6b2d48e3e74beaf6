package static_test

import (
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool/internal/static"
)

func TestWhatEndsTooEarly(t *testing.T) {
	for _, c := range []struct {
		source, missing string
		line, column    int
	}{
		{"(((", "", 1, 4},
		{"async () => {\n  const x = await f({ a: 1 })\n  return x.map(y => { return y.name\n", "", 3, 36},
		{"const a = [1, 2", "]", 1, 16},
		{"const a = f(1", ")", 1, 14},
		{"return { a: 1", "", 1, 14},
		{"const s = `not closed ${1}", "", 1, 1},
		{"x\n/* not closed", "*/", 2, 14},
	} {
		found := static.FindIncomplete(c.source)
		if found == nil || c.missing != "" && found.Missing != c.missing || found.Line != c.line || found.Column != c.column {
			t.Errorf("%q: %+v, want %q at %d:%d", c.source, found, c.missing, c.line, c.column)
		}
	}
	for _, whole := range []string{"", "1", "return await f(1)", "async () => 1", "const const = 1", "f(1}", "def main():\n  return 1", "a ]", strings.Repeat("(", 1e5), strings.Repeat("x", 1e6)} {
		if found := static.FindIncomplete(whole); found != nil {
			t.Errorf("%.40q: %+v", whole, found)
		}
	}
}
