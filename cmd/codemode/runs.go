package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/mcpserver/config"
)

func runsCommand() command {
	return command{
		name:    "runs",
		usage:   "runs [--file F] [--last N] [--json] [ID]",
		summary: "List the runs that were written down, or show one with its calls.",
		description: `A configuration with {"codemode": {"audit": {}}} has serve write a line for each run. ID is what the list shows first, or the
beginning of it. --json prints the lines as they are.`,
		setup: func(flags *flag.FlagSet) runFunc {
			file := flags.String("file", "", "the audit `file` (default: where serve writes it)")
			last := flags.Int("last", 20, "list `N` runs, the newest last")
			asJSON := flags.Bool("json", false, "JSON lines, for scripts")
			return func(_ context.Context, term terminal, args []string) error {
				if len(args) > 1 || *last < 1 {
					return usagef("one ID at most, and --last from 1")
				}
				if *file == "" {
					var err error
					if *file, err = config.DefaultAuditFile(); err != nil {
						return usageError{err}
					}
				}
				runs, err := readRuns(term, *file)
				if err != nil {
					return err
				}
				if len(args) == 1 {
					return showRun(term, runs, args[0], *asJSON)
				}
				return listRuns(term, runs[max(0, len(runs)-*last):], *asJSON)
			}
		},
	}
}

// nothingWrittenDown says what to do where there is no audit file.
func nothingWrittenDown(err error) error {
	return usageError{fmt.Errorf(`no runs were written down: %w; a configuration with {"codemode": {"audit": {}}} has serve write them`, err)}
}

// readRuns reads an audit file. A line that is no run, because a disk was full for example, is named and skipped.
func readRuns(term terminal, name string) ([]mcpserver.AuditRun, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nothingWrittenDown(err)
	}
	defer file.Close()
	var runs []mcpserver.AuditRun
	err = eachLine(file, func(number int, line []byte) error {
		var run mcpserver.AuditRun
		if json.Unmarshal(line, &run) != nil {
			fmt.Fprintf(term.err, "codemode runs: %s line %d is no run; it is skipped\n", name, number)
			return nil
		}
		runs = append(runs, run)
		return nil
	})
	return runs, err
}

func listRuns(term terminal, runs []mcpserver.AuditRun, asJSON bool) error {
	if asJSON {
		for i := range runs {
			if err := writeJSONLine(term.out, runs[i]); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(term.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "id\ttime\toutcome\tms\tcalls\tclient\terror")
	for _, r := range runs {
		fmt.Fprintf(table, "%s\t%s\t%s\t%.0f\t%d\t%s\t%s\n", r.ID, r.Time.Local().Format(time.DateTime), r.Outcome, r.Ms, len(r.Calls)+r.MoreCalls, r.Client, oneLine(r.Error))
	}
	return table.Flush()
}

// oneLine is the start of a text, for a table.
func oneLine(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > 60 {
		return string(line[:60]) + "…"
	}
	return string(line)
}

func showRun(term terminal, runs []mcpserver.AuditRun, id string, asJSON bool) error {
	var found []mcpserver.AuditRun
	for _, r := range runs {
		if strings.HasPrefix(r.ID, id) {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 0:
		return usagef("no run's id begins with %q; codemode runs lists them", id)
	case len(found) > 1:
		return usagef("the ids of %d runs begin with %q; say more of it", len(found), id)
	}
	r := found[0]
	if asJSON {
		return writeJSONLine(term.out, r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "run      %s, %s\noutcome  %s\ntook     %.1f ms, %.1f ms of them on the processor\ncode     %d bytes, SHA-256 %s\n",
		r.ID, r.Time.Local().Format(time.RFC3339), strings.TrimSpace(r.Outcome+" "+r.Error), r.Ms, r.CPUMs, r.CodeBytes, r.CodeSHA256)
	for _, row := range [][2]string{{"client", r.Client}, {"view", r.View}, {"subject", strings.TrimSpace(r.Subject + " " + r.Issuer)}} {
		if row[1] != "" {
			fmt.Fprintf(&b, "%-8s %s\n", row[0], row[1])
		}
	}
	for _, part := range []struct{ title, text string }{{"program", r.Code}, {"result", r.Result}, {"console", strings.Join(r.Logs, "\n")}} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n%s\n%s\n", part.title, part.text)
		}
	}
	fmt.Fprintf(&b, "\ncalls    %d\n", len(r.Calls)+r.MoreCalls)
	for _, c := range r.Calls {
		fmt.Fprintf(&b, "  %8.1f ms  %s.%s %s in %.1f ms; arguments: %d bytes, SHA-256 %s\n", c.StartMs, c.Server, c.Tool, c.Outcome, c.Ms, c.ArgumentsBytes, c.ArgumentsSHA256)
		for _, text := range []string{c.Arguments, c.Error} {
			if text != "" {
				fmt.Fprintf(&b, "               %s\n", text)
			}
		}
	}
	_, err := fmt.Fprint(term.out, b.String())
	return err
}
