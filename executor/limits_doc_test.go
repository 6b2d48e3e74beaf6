package executor_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

var update = flag.Bool("update", false, "write the documents that are made of the table of limits")

const (
	limitsBegin = "<!-- limits: made by go test ./executor -run Limits -update -->\n"
	limitsEnd   = "<!-- limits end -->\n"
)

// limitsTable is the table of all limits in Markdown.
func limitsTable() string {
	var b strings.Builder
	b.WriteString("| limit | default | why | what happens |\n|---|---|---|---|\n")
	for _, l := range executor.Limits() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", l.Name, shownLimit(l), l.Reason, l.Failure)
	}
	return b.String()
}

// shownLimit is a default as people write it.
func shownLimit(l protocol.LimitInfo) string {
	switch l.Unit {
	case protocol.UnitBytes:
		return fmt.Sprintf("%d MiB", l.Default>>20)
	case protocol.UnitMilliseconds:
		d := time.Duration(l.Default) * time.Millisecond
		if d >= 2*time.Minute {
			return fmt.Sprintf("%d min", d/time.Minute)
		}
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprint(l.Default)
}

const limitsHead = `# Limits

The first table is made from the executor's own by ` + "`go test ./executor -run Limits -update`" + `; a test fails when it is stale.

The limits from ` + "`memory` to `handles`" + ` are those of one run: a request may tighten them (` + "`limits.<name>`" + `), an operator may set them
(` + "`executor.Options.Limits`" + `). The rest are options of the pool. A failure says in ` + "`limit` and `limitValue`" + ` which one was reached; clocks are in
milliseconds, sizes in bytes of UTF-8 text.

`

func TestTheDocumentsHaveTheLimitsAsTheyAre(t *testing.T) {
	checkDocument(t, "../docs/limits.md", func(text string) string {
		_, others, found := strings.Cut(text, limitsEnd) // of other packages, written by hand
		if !found {
			t.Fatal("docs/limits.md has no end of the table")
		}
		return limitsHead + limitsTable() + limitsEnd + others
	})
	checkDocument(t, "../protocol/PROTOCOL.md", func(text string) string {
		before, rest, found := strings.Cut(text, limitsBegin)
		_, after, ended := strings.Cut(rest, limitsEnd)
		if !found || !ended {
			t.Fatal("PROTOCOL.md has no place for the limits")
		}
		return before + limitsBegin + limitsTable() + limitsEnd + after
	})
}

func checkDocument(t *testing.T, path string, render func(old string) string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := render(string(old))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(old)); diff != "" {
		t.Errorf("%s is stale; run go test ./executor -run Limits -update:\n%s", path, diff)
	}
}
