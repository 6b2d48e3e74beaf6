package surface

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/compat/reference"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/executor"
)

var (
	probeCount = flag.Int("probes", 400, "how many probes TestProbes runs")
	probeSeed  = flag.Uint64("seed", 1, "the seed of TestProbes")
)

// probeBound ends a batch that the reference does not.
const probeBound = time.Minute

// TestProbes calls members of the platform with arguments that they do not expect, here and there. A difference has to
// be of a kind that probes.json knows.
func TestProbes(t *testing.T) {
	server := startReference(t)
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	ours := dialect.New(pool, nil)
	known := readProbeWords().Known
	const batch = 25 // probes that share a sandbox
	for probes := range slices.Chunk(recorded(t).Probes(*probeSeed, *probeCount), batch) {
		text := probeProgram(t, probes)
		want, got := outcomesThere(t, server, text), outcomesHere(t, ours, text)
		if len(got) < len(probes) || len(want) < len(probes) {
			t.Fatalf("%d outcomes here, %d there: it ended at %s", len(got), len(want), probes[min(len(got), len(want))])
		}
		for i, probe := range probes {
			if got[i] != want[i] && !slices.ContainsFunc(known, func(k knownDifference) bool { return k.matches(probe, want[i], got[i]) }) {
				t.Errorf("%s\n got  %s\n want %s", probe, got[i], want[i])
			}
		}
	}
}

// probeProgram is a case whose program logs a line a probe.
func probeProgram(t *testing.T, probes []string) []byte {
	t.Helper()
	var code strings.Builder
	fmt.Fprintf(&code, "async () => {\n%s\nconst probes = [\n", prelude)
	for _, probe := range probes {
		if !strings.HasPrefix(probe, "const ") {
			probe = "return (" + probe + ")"
		}
		fmt.Fprintf(&code, "async () => { 'use strict'; %s\n},\n", probe)
	}
	code.WriteString("];\nfor (const probe of probes) console.log(await outcome(probe));\n}")
	text, err := json.Marshal(map[string]any{
		"name": "probes", "code": code.String(), "providers": []any{}, "options": map[string]any{"timeout": 60_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func outcomesThere(t *testing.T, server *reference.Server, text []byte) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probeBound)
	defer cancel()
	answer, err := server.Run(ctx, text)
	if err != nil {
		t.Fatal(err)
	}
	var outcome struct {
		Error, Threw any
		Logs         []string
	}
	if err := json.Unmarshal(answer, &outcome); err != nil || outcome.Error != nil || outcome.Threw != nil {
		t.Fatalf("%v %v %v in\n%s", err, outcome.Error, outcome.Threw, text)
	}
	return outcome.Logs
}

func outcomesHere(t *testing.T, executor *dialect.Executor, text []byte) []string {
	t.Helper()
	c, err := casefile.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.Run(t.Context(), executor, nil)
	if err != nil {
		t.Fatal(err)
	}
	if result.Error != "" {
		t.Error(result.Error)
	}
	return result.Logs
}
