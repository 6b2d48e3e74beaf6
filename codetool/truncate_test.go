package codetool

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// The files hold values, limits, and what codeMcpServer of @cloudflare/codemode 0.5.6 makes of them.
func TestResponseTextAsTheReference(t *testing.T) {
	files, err := filepath.Glob("testdata/truncate/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range append(files, filepath.SplitList(os.Getenv("CODETOOL_TRUNCATE_CASES"))...) {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for n := 1; lines.Scan(); n++ {
			var c struct {
				Value, Text string
				Max         int
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			got, _, err := ResponseText(json.RawMessage(c.Value), c.Max)
			if err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
			if got != c.Text && !cutsACharacter(c.Text) {
				t.Errorf("%s:%d: limit %d\nvalue %.300s\ngot   %.300s\nwant  %.300s", file, n, c.Max, c.Value, got, c.Text)
			}
			if !utf8.ValidString(got) {
				t.Errorf("%s:%d: no valid text", file, n)
			}
		}
	}
}

// cutsACharacter reports whether the reference left half a character behind, which ours never does. The cases are made
// so that a half can only come from a cut or stand next to its replacement.
func cutsACharacter(text string) bool {
	return strings.Contains(text, `\ud8`) || strings.ContainsRune(text, utf8.RuneError)
}

// Values and digests of the recorded answers of the reference's server (mcp-expected-0.5.6.json).
func TestResponseTextAtTheServersLimit(t *testing.T) {
	keys := make([]string, 4000)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"key%d":%d`, i, i)
	}
	deep := strings.Repeat(`{"o":`, 50) + "1" + strings.Repeat("}", 50)
	for _, c := range []struct{ name, value, want string }{
		{"len100k", `"` + strings.Repeat("x", 100000) + `"`, "0324a4c42264f822"},
		{"bigobj", `{"small":1,"big":"` + strings.Repeat("y", 30000) + `","mid":"` + strings.Repeat("z", 100) + `"}`, "62cc1b4f9a383015"},
		{"bigkeys", "{" + strings.Join(keys, ",") + "}", "c63aff54efd9b16b"},
		{"surrogate", `"` + strings.Repeat("😀", 12001) + `"`, "d376dc4743792902"},
		{"deep", deep, "979b01c1d405fc47"},
	} {
		got, _, err := ResponseText(json.RawMessage(c.value), MaxResponse)
		sum := sha256.Sum256([]byte(got))
		if digest := hex.EncodeToString(sum[:8]); err != nil || digest != c.want {
			t.Errorf("%s: digest %s, want %s (%v)\n%.200s … %s", c.name, digest, c.want, err, got, got[max(0, len(got)-200):])
		}
	}
}

func TestResponseTextSmall(t *testing.T) {
	for _, c := range []struct {
		value, want string
		cut         bool
	}{
		{"", "undefined", false},
		{`""`, "", false},
		{`null`, "null", false},
		{`[1,"a"]`, "[\n  1,\n  \"a\"\n]", false},
		{`{}`, "{}", false},
		{`[]`, "[]", false},
		{`"h\u00e9\u2028\"<"`, "hé\u2028\"<", false},
		{`9007199254740993`, "9007199254740993", false},
		{`{"id":9007199254740993,"b":1}`, "{\n  \"id\": 9007199254740993,\n  \"b\": 1\n}", false},
		{`"` + strings.Repeat("x", 101) + `"`, strings.Repeat("x", 100) + "\n\n--- TRUNCATED ---\nResponse was ~26 tokens (limit: 25). Narrow the request to reduce response size.", true},
		{`"` + strings.Repeat("x", 99) + `😀"`, strings.Repeat("x", 99) + "\n\n--- TRUNCATED ---\nResponse was ~26 tokens (limit: 25). Narrow the request to reduce response size.", true},
	} {
		var value json.RawMessage
		if c.value != "" {
			value = json.RawMessage(c.value)
		}
		got, cut, err := ResponseText(value, 100)
		if err != nil || got != c.want || cut != c.cut {
			t.Errorf("%s: got %q, %v, %v; want %q, %v", c.value, got, cut, err, c.want, c.cut)
		}
	}
}

func TestShrunkValuesKeepTheirShape(t *testing.T) {
	value := `{"rows":[{"id":1,"detail":"` + strings.Repeat("x", 70000) + `"},{"id":2}]}`
	text, cut, err := ResponseText(json.RawMessage(value), MaxResponse)
	if err != nil || !cut {
		t.Fatalf("%v, %v", cut, err)
	}
	var shrunk struct{ Rows []struct{ ID int } }
	if err := json.Unmarshal([]byte(text), &shrunk); err != nil || len(shrunk.Rows) != 2 || shrunk.Rows[1].ID != 2 {
		t.Errorf("got %+v, %v", shrunk, err)
	}
	if !strings.Contains(text, "--- TRUNCATED --- 70,000 chars") || utf16Length(text) > MaxResponse {
		t.Errorf("length %d, text ends %s", len(text), text[len(text)-100:])
	}
}
