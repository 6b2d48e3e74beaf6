//go:build cgo && (linux || darwin)

package codetool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/executor"
)

// nameParts make names that JavaScript, the dialect or a naïve generator stumbles over.
var nameParts = []string{
	"a", "B", "get", "-", "_", ".", " ", "1", "10", "ü", "天", "e\u0301", "🔍", "$", "\u200d", "/", "\"", "'", "\\", "`", "\n", "delete", "class",
	"constructor", "then", "toString", "__proto__", "hasOwnProperty", "prototype", "await", "arguments", "eval", "undefined", "*/", "${x}",
	"search", "describe", "\u00a0", "\u2028", "İ", "ſ",
}

func randomNames(random *rand.Rand, count int) []string {
	seen := map[string]bool{}
	var names []string
	for len(names) < count {
		var b strings.Builder
		for range 1 + random.IntN(3) {
			b.WriteString(nameParts[random.IntN(len(nameParts))])
		}
		if name := b.String(); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

var (
	fullMember    = regexp.MustCompile(`(?m)^\t(\S+): \(input: `)
	compactMember = regexp.MustCompile(`(?m)^function (\S+)\(input`)
)

// Every name that is printed can be called, and so can every name as its server gave it; each reaches a tool of its own.
func TestEveryPrintedNameRuns(t *testing.T) {
	pool, err := executor.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	empty := codetool.NewTool(pool, nil, nil)
	defer empty.Close()
	random := rand.New(rand.NewPCG(7, 7))
	for range 12 {
		names := randomNames(random, 60)
		provider := codetool.Provider{Name: randomNames(random, 1)[0]}
		for _, name := range names {
			provider.Tools = append(provider.Tools, codetool.RawTool{Name: name, Call: func(context.Context, json.RawMessage) (any, error) { return name, nil }})
		}
		tool := empty.With([]codetool.Provider{provider})
		declared := tool.Declarations()[0]
		printed := matches(fullMember, declared.Text)
		if short := matches(compactMember, tool.DeclarationsIn(codetool.FormCompact)[0].Text); strings.Join(short, " ") != strings.Join(printed, " ") {
			t.Errorf("the short form has other names: %q, not %q", short, printed)
		}
		if len(printed) != len(names) {
			t.Fatalf("%d names printed for %d tools: %q", len(printed), len(names), names)
		}
		calls := make([]string, 0, 2*len(names))
		want := make([]string, 0, 2*len(names))
		for i, name := range names {
			original, err := json.Marshal(name)
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, fmt.Sprintf("await %s.%s({})", declared.Namespace, printed[i]))
			want = append(want, name)
			if name != "then" { // which no namespace has, or awaiting one would call it
				calls = append(calls, fmt.Sprintf("await %s[%s]({})", declared.Namespace, original))
				want = append(want, name)
			}
		}
		outcome, err := tool.Call(context.Background(), "async () => ["+strings.Join(calls, ",\n")+"]")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if outcome.Failure != nil || json.Unmarshal(outcome.Value, &got) != nil {
			t.Fatalf("%q: %v %s", names, outcome.Failure, outcome.Value)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s reached %q, not %q", calls[i], got[i], want[i])
			}
		}
	}
}

func matches(pattern *regexp.Regexp, text string) (found []string) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}
