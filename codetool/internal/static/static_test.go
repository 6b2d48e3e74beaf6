package static

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

var around = Names{
	Tool:      func(_, name string) bool { return name == "list" },
	Namespace: func(name string) bool { return name == "github" },
	Missing:   func(name string) bool { return name == "githb" },
	Global:    func(name string) bool { return name == "fetch" },
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		source       string
		name         string
		line, column int
	}{
		{"async () => { await github.lst() }", "lst", 1, 28},
		{"async () => {\r\n  /* 𝒳 */ return github.lst()\r\n}", "lst", 2, 26},
		{"async () => {\nconst x: string = '𝒳', y = await github.lst() as any\n}", "lst", 2, 42},
		{"async () => { for await (const x of []) { }\n  return githb }", "githb", 2, 10},
		{"async () => { await github.list() }", "", 0, 0},
		{"async () => { ({}).__proto__.githb = 1; return githb }", "", 0, 0},
		{"async () => { Object.getPrototypeOf({}).githb = 1; return githb }", "", 0, 0},
		{"async () => { const {prototype} = Object; prototype.githb = 1; return githb }", "", 0, 0},
		{"async () => { const {prototype: p} = Object; p.githb = 1; return githb }", "", 0, 0},
		{"async () => { Object['prototype'].githb = 1; return githb }", "", 0, 0},
		{"async () => { class A { constructor() {} } return githb }", "githb", 1, 51},
		{"async () => { await github.lst(", "", 0, 0},
	} {
		fault := Find(c.source, around)
		if fault == nil {
			fault = &Fault{}
		}
		if fault.Name != c.name || fault.Line != c.line || fault.Column != c.column {
			t.Errorf("%q: got %+v, want %s at %d:%d", c.source, fault, c.name, c.line, c.column)
		}
	}
}

// What passes a limit is not read; what is just within is, and in no time.
func TestLimits(t *testing.T) {
	call := "await github.lst()"
	for _, c := range []struct {
		before, unit, after string
		most                int
	}{
		{"", "(", ")", maxDepth - 1}, // the program's own is open, too
		{"const f = ", "a=>", "1;", maxArrows - 1},
		{"", "- ", "1;", maxSigns/2 - 1},
		{"", "for (;;) { break }", "", maxLoops},
		{"", "while (true) { break }", "", maxLoops},
		{"const o = {", "a: 1,", "};", maxColons},
		{"/*", "x", "*/", maxSource - len("async () => { /**/"+call+" }")},
	} {
		for _, count := range []int{c.most, c.most + 2} {
			after := c.after
			if after == ")" {
				after = "1" + strings.Repeat(")", count) + ";"
			}
			source := "async () => { " + c.before + strings.Repeat(c.unit, count) + after + call + " }"
			if read := Find(source, around) != nil; read != (count == c.most) {
				t.Errorf("%d times %q: read is %v", count, c.unit, read)
			}
		}
	}
}

// A chain of functions that each call the next one twice is followed in no time: a test that hangs shows that it is not.
func TestCallsThatDouble(t *testing.T) {
	source := "async () => { await f0();"
	for i := range 150 {
		source += fmt.Sprintf("async function f%d() { await f%d(); f%d(); await f%d() }\n", i, i+1, i+1, i+1)
	}
	fault := Find(source+"async function f150() {} await github.lst() }", around)
	if fault == nil || fault.Name != "lst" {
		t.Errorf("%+v", fault)
	}
}

func TestAPanicOfAParserIsNoFault(t *testing.T) {
	for want, work := range map[bool]func(){
		true:  func() { parse("async () => {}") },
		false: func() { position("", 1) },
	} {
		if survives(work) != want {
			t.Errorf("survives: not %v", want)
		}
	}
}

func TestTheDocumentHasTheLimits(t *testing.T) {
	text, err := os.ReadFile("../../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := []string{fmt.Sprintf("| `maxSource` | %d KiB |", maxSource>>10)}
	for name, limit := range map[string]int{"maxDepth": maxDepth, "maxArrows": maxArrows, "maxSigns": maxSigns, "maxLoops": maxLoops, "maxColons": maxColons} {
		rows = append(rows, fmt.Sprintf("| `%s` | %d |", name, limit))
	}
	for _, row := range rows {
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/limits.md has not %s", row)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("async () => { await github.lst() }")
	f.Add("async () => { const {a = await github.lst(), ...b} = githb?.[1]; class A { static { this.x } } }")
	f.Add("async () => { for await (using x of y) label: do { continue label } while (`${1}`) }")
	f.Fuzz(func(_ *testing.T, source string) { Find(source, around) })
}
