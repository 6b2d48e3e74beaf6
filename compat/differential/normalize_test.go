package differential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/dialect"
)

// generated is how many snippets are made from the grammar, and seed what makes them the same every time.
const (
	generated = "24000"
	seed      = "1"
)

// answer is one line of normalize.mjs; judge.mjs says what its members mean.
type answer struct {
	Category string `json:"category"`
	Code     string `json:"code"`
	Text     string `json:"text"`
	Imports  bool   `json:"imports"`
	Open     bool   `json:"open"`
	Wrapped  string `json:"wrapped"`
	Legal    bool   `json:"legal"`

	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

// tally counts the answers of one category by the rule that explains them: the same text, imports kept ahead of it,
// acorn and the engine of two minds, and what is open.
type tally struct{ equal, imports, slips, open, unexplained int }

// TestNormalizeCode asks the real normalizeCode and sanitizeToolName, and compares.
func TestNormalizeCode(t *testing.T) {
	counts := map[string]*tally{}
	failed := 0
	for _, a := range ask[answer](t, snippets(t), "normalize.mjs", generated, seed) {
		count := counts[a.Category]
		if count == nil {
			count = &tally{}
			counts[a.Category] = count
		}
		if a.judge(count) {
			continue
		}
		count.unexplained++
		if failed++; failed <= 20 {
			t.Errorf("%s: %s", a.Category, a.difference())
		}
	}
	t.Log(table(counts))
	if failed > 0 {
		t.Errorf("%d answers are unexplained", failed)
	}
}

// judge counts an answer under the rule that explains it; false when none does.
func (a *answer) judge(count *tally) bool {
	if a.Category == "tool names" {
		count.equal++
		return dialect.SanitizeToolName(a.Name) == a.Identifier
	}
	ours := dialect.NormalizeCode(a.Code)
	switch {
	case a.Open:
		count.open++
	case ours == a.Text && a.Imports:
		count.imports++
	case ours == a.Text:
		count.equal++
	case ours == a.Wrapped && !a.Legal, a.Text == a.Wrapped && a.Legal:
		count.slips++
	default:
		return false
	}
	return true
}

func (a *answer) difference() string {
	if a.Category == "tool names" {
		return fmt.Sprintf("%q: reference %q, ours %q", a.Name, a.Identifier, dialect.SanitizeToolName(a.Name))
	}
	return fmt.Sprintf("%q, legal: %v\n reference %q\n ours      %q", a.Code, a.Legal, a.Text, dialect.NormalizeCode(a.Code))
}

func table(counts map[string]*tally) string {
	var b strings.Builder
	row := "\n%-42s %6v %8v %6v %7v %12v"
	fmt.Fprintf(&b, row, "category", "equal", "imports", "slips", "open", "unexplained")
	var sum tally
	for _, category := range slices.Sorted(maps.Keys(counts)) {
		c := counts[category]
		fmt.Fprintf(&b, row, category, c.equal, c.imports, c.slips, c.open, c.unexplained)
		sum = tally{sum.equal + c.equal, sum.imports + c.imports, sum.slips + c.slips, sum.open + c.open, sum.unexplained + c.unexplained}
	}
	fmt.Fprintf(&b, row, "all", sum.equal, sum.imports, sum.slips, sum.open, sum.unexplained)
	return b.String()
}

// snippets are those of the catalogues, and the recorded ones of the dialect's own test, which were written by hand to
// meet every corner of the parser.
func snippets(t *testing.T) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	add := func(category, code string, everywhere bool) {
		if err := encoder.Encode(map[string]any{"category": category, "code": code, "everywhere": everywhere}); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob("../cases/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, filepath.Join(handed, "reference/cases.json")) {
		var cases []struct{ Code string }
		if err := json.Unmarshal(read(t, file), &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			add("the catalogue", c.Code, false)
		}
	}
	for _, pair := range decodeLines[[2]string](t, read(t, "../../dialect/testdata/normalize.jsonl")) {
		add("by hand", pair[0], true)
	}
	return out.Bytes()
}
