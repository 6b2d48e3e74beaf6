package codetool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/codemode-go/codemode/protocol"
)

func TestPagesMakeUpTheText(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", 1000), strings.Repeat("𝒳é\n", 500), strings.Repeat("a line of text\n", 300), strings.Repeat("天", 999)} {
		pages := NewPages(&PagesOptions{PageBytes: 100})
		id, count, ok := pages.Keep("me", text)
		if !ok {
			t.Fatal("not kept")
		}
		var all strings.Builder
		for page := 1; page <= count; page++ {
			part, of, err := pages.Read("me", id, page)
			if err != nil || of != count || len(part) > 100 || !utf8.ValidString(part) {
				t.Errorf("page %d of %d: %q, %v", page, of, part, err)
			}
			all.WriteString(part)
		}
		if all.String() != text {
			t.Errorf("%d pages of %q make up %q", count, text, all.String())
		}
		for _, page := range []int{-1, 0, count + 1} {
			var none *NoPageError
			if _, _, err := pages.Read("me", id, page); !errors.As(err, &none) || none.Pages != count {
				t.Errorf("page %d: %v", page, err)
			}
		}
	}
}

func TestPagesAreTheirOwnersOnly(t *testing.T) {
	pages := NewPages(nil)
	id, _, _ := pages.Keep("me", "secret")
	other, _, _ := pages.Keep("me", "secret")
	if len(id) < 26 || id == other {
		t.Errorf("ids %q and %q", id, other)
	}
	for _, c := range []struct{ owner, id string }{{"you", id}, {"", id}, {"me", ""}, {"me", id[1:]}} {
		if text, _, err := pages.Read(c.owner, c.id, 1); err == nil {
			t.Errorf("%q read %q: %q", c.owner, c.id, text)
		}
	}
	pages.Forget("me")
	if _, _, err := pages.Read("me", id, 1); err == nil || pages.bytes != 0 {
		t.Errorf("after its owner has left: %v, %d bytes", err, pages.bytes)
	}
}

func TestPagesAreBounded(t *testing.T) {
	now := time.Unix(0, 0)
	pages := NewPages(&PagesOptions{Bytes: 200, Lifetime: time.Minute, Now: func() time.Time { return now }})
	if _, _, ok := pages.Keep("me", strings.Repeat("x", 101)); ok {
		t.Error("a text beyond the bound was kept")
	}
	first, _, _ := pages.Keep("me", strings.Repeat("1", 60))
	second, _, _ := pages.Keep("me", strings.Repeat("2", 60))
	if _, _, err := pages.Read("me", first, 1); err == nil {
		t.Error("the oldest did not make room")
	}
	if _, _, err := pages.Read("me", second, 1); err != nil {
		t.Errorf("the youngest: %v", err)
	}
	now = now.Add(time.Minute)
	if _, _, err := pages.Read("me", second, 1); err == nil || !strings.Contains(err.Error(), "pagesLifetime") || pages.bytes != 0 {
		t.Errorf("after its time: %v, %d bytes", err, pages.bytes)
	}
}

// TestOneOwnerDoesNotEvictAnother: whoever keeps much loses by it, and not who keeps little.
func TestOneOwnerDoesNotEvictAnother(t *testing.T) {
	pages := NewPages(&PagesOptions{Bytes: 200})
	mine, _, _ := pages.Keep("me", strings.Repeat("m", 40))
	for _, owner := range []string{"you", "they", "you", "they", "we"} {
		for range 5 {
			if _, _, ok := pages.Keep(owner, strings.Repeat("x", 70)); !ok {
				t.Fatalf("%s: not kept", owner)
			}
			if pages.bytes > 200 {
				t.Errorf("%d bytes", pages.bytes)
			}
		}
	}
	if _, _, err := pages.Read("me", mine, 1); err != nil {
		t.Error(err)
	}
	for owner, unit := range map[string]string{"me": "m", "new": "n"} {
		last, _, ok := pages.Keep(owner, strings.Repeat(unit, 100)) // all that one may have
		if text, _, err := pages.Read(owner, last, 1); !ok || err != nil || len(text) != 100 {
			t.Errorf("%s: %v %v", owner, ok, err)
		}
	}
}

func TestTheDocumentHasTheLimitsOfPages(t *testing.T) {
	text, err := os.ReadFile("../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		fmt.Sprintf("| `pagesBytes` | %d MiB, %d MiB of one client |", DefaultPagesBytes>>20, DefaultPagesBytes>>21),
		fmt.Sprintf("| `pagesLifetime` | %d min |", int(DefaultPagesLifetime.Minutes())),
	} {
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/limits.md has not %s", row)
		}
	}
}

// TestWholeTextIsIndentedWhereItFits: the size that is foreseen is that of the text.
func TestWholeTextIsIndentedWhereItFits(t *testing.T) {
	for _, raw := range []string{
		`[]`, `{}`, `[[],{}]`, `[1,[2,[3,{"a":[],"b":{"c":"d"}}]]]`, `{"a:,[{":"\",[{\\","b":[{}]}`, `"text"`, `[ 1 , { "a" : [ ] } ]`, `7`,
	} {
		var compact, indented bytes.Buffer
		if err := json.Compact(&compact, []byte(raw)); err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := indentedSize(compact.Bytes()); got != indented.Len() {
			t.Errorf("%s: %d bytes are foreseen, and there are %d", raw, got, indented.Len())
		}
	}
	large := "[" + strings.Repeat("[0],", DefaultPagesBytes/2/8) + "[0]]"
	if got, err := WholeText(json.RawMessage(large)); err != nil || got != large {
		t.Errorf("%v, %d bytes", err, len(got))
	}
	if _, err := WholeText(json.RawMessage(`[`)); err == nil {
		t.Error("what is no JSON has a text")
	}
}

// TestVastValuesAreCutLikeText: a few values that are repeated are many, and a node for each would be many times their text.
func TestVastValuesAreCutLikeText(t *testing.T) {
	list := func(n int) json.RawMessage {
		return json.RawMessage("[" + strings.Repeat("[],", n-1) + "[]]")
	}
	for n, vast := range map[int]bool{maxShaped / 2: false, maxShaped/2 + 10: true} {
		if IsVast(list(n)) != vast {
			t.Errorf("%d lists in a list: vast is not %v", n, vast)
		}
		text, cut, err := ResponseText(list(n), 1000)
		if err != nil || !cut || json.Valid([]byte(text)) == vast || strings.Contains(text, "\nResponse was ~") != vast {
			t.Errorf("%d lists in a list: %v, %v, %.100s", n, cut, err, text)
		}
	}
	if IsVast(json.RawMessage(`["` + strings.Repeat(`\",[`, maxShaped) + `"]`)) {
		t.Error("a text is one value")
	}
	if _, err := argumentObject([]json.RawMessage{list(maxShaped)}); err == nil || err.Error() != "the argument has more than 500000 values in it (limit maxShaped)" {
		t.Error(err)
	}
	tagged := json.RawMessage(`[{"` + protocol.BinaryKey + `":"Uint8Array","data":""},` + string(list(maxShaped)[1:]))
	if _, err := readableJSON(tagged); err == nil || !strings.Contains(err.Error(), "more than 500000 values (limit maxShaped)") {
		t.Error(err)
	}
}
