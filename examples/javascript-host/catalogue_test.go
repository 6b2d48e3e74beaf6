//go:build cgo && (linux || darwin)

package javascripthost

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// handed is the catalogue that came with the project, beside the checkout.
var handed = filepath.Join("..", "..", "..", "shared", "reference", "cases.json")

// TestTheCatalogueComesOutAsInGo: the cases of the handed catalogue come to the same over the JavaScript dialect and a daemon
// as over the Go dialect, which is compared with the reference's own outcomes. Outside of CI it is every eighth.
func TestTheCatalogueComesOutAsInGo(t *testing.T) {
	needPackages(t)
	text, err := os.ReadFile(handed)
	if errors.Is(err, os.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skipf("the handed catalogue is not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var cases []json.RawMessage
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	wanted, chosen := outcomesInGo(t, cases)
	if len(wanted) < len(cases)/10 {
		t.Fatalf("%d of %d cases are compared", len(wanted), len(cases))
	}
	file := filepath.Join(t.TempDir(), "cases.json")
	text, err = json.Marshal(chosen)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader(node(t, "", nil, filepath.Join("testdata", "catalogue.mjs"), startDaemon(t), token, file)))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		name, got := takeName(t, lines.Bytes())
		if got != wanted[name] {
			t.Errorf("%s:\nin JavaScript %.500s\nin Go         %.500s", name, got, wanted[name])
		}
		delete(wanted, name)
	}
	for name := range wanted {
		t.Errorf("%s has no outcome", name)
	}
}

// outcomesInGo runs the cases that both dialects know over the Go one.
func outcomesInGo(t *testing.T, cases []json.RawMessage) (wanted map[string]string, chosen []json.RawMessage) {
	t.Helper()
	pool, err := executor.New(&executor.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	inGo := dialect.New(pool, &dialect.Options{Warn: func(string) {}})
	defer inGo.Close()
	wanted = map[string]string{}
	for i, text := range cases {
		c, err := casefile.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("CI") != "true" && i%8 != 0 || !inBoth(t, c.Name, text) {
			continue
		}
		result, err := c.Run(t.Context(), inGo, nil)
		if err != nil {
			continue // an option that the dialects have no word for
		}
		if line := casefile.NewOutcome(result).Line(); len(line) < 1<<20 { // longer ones take longer than their cases allow
			wanted[c.Name], chosen = canonical(t, line), append(chosen, text)
		}
	}
	return wanted, chosen
}

// inBoth reports whether a case is for both dialects. Of the Go one alone are: types that are stripped before the value is
// found, the answers of the stub that the case format names, and the case format's own reading of odd timeouts.
func inBoth(t *testing.T, name string, text json.RawMessage) bool {
	t.Helper()
	var c struct {
		Options struct {
			Timeout  any    `json:"timeout"`
			Outbound string `json:"outbound"`
		} `json:"options"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	ms, number := c.Options.Timeout.(float64)
	ordinary := c.Options.Timeout == nil || number && ms >= 1 && ms <= 1_800_000
	return ordinary && c.Options.Outbound != "stub" && !strings.HasPrefix(name, "norm.ts")
}

// takeName takes the name out of an outcome.
func takeName(t *testing.T, line []byte) (name, rest string) {
	t.Helper()
	members, err := protocol.ParseJSON(line)
	object, ok := members.(protocol.Object)
	if err != nil || !ok || len(object) == 0 || object[0].Key != "name" {
		t.Fatalf("%.200s: %v", line, err)
	}
	text, err := protocol.RenderJSON(object[1:], nil)
	if err != nil {
		t.Fatal(err)
	}
	return object[0].Value.(string), canonical(t, text)
}

// canonical renders JSON with its members in the order of their names.
func canonical(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return programPlace.ReplaceAllString(string(sorted), `"`)
}

// programPlace is where a syntax error is in a program that was normalised: the Go dialect finds it in what was given.
var programPlace = regexp.MustCompile(` \(line \d+:\d+\)"`)
