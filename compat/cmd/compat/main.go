// Command compat runs a catalogue of cases on our dialect and compares it with what the real reference answered.
//
//	go run ./compat/cmd/compat -cases cases.json -expect expected-0.5.6.json
//	go run ./compat/cmd/compat -cases cases.json -live
//
// -version names another release of the reference, or all of them, the newest last. With -live the reference itself is asked, which needs npm ci in compat/reference.
//
// It prints each difference that no rule covers, a summary by rule, and as the last line "N passed, N failed". Exit
// codes: 0 every case passed, 1 one did not or could not be read, 2 usage.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/codemode-go/codemode/compat"
	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/compat/reference"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
)

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// flags are the command line.
type flags struct {
	cases, expect, typed, version, only string
	live, json, verbose                 bool
	concurrency                         int
}

func parseFlags(args []string, stderr io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet("compat", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&f.cases, "cases", "", "the catalogue, a JSON `file` of cases")
	set.StringVar(&f.expect, "expect", "", "the reference's outcomes, a JSON `file`")
	set.BoolVar(&f.live, "live", false, "ask the reference itself in place of -expect")
	set.StringVar(&f.typed, "typed", "", "what the reference's tools saw, a JSON `file`; calls are compared too")
	set.StringVar(&f.version, "version", compat.Newest, "the `release` of the reference, or all; an older one puts expected-RELEASE.diff.json over -expect")
	set.StringVar(&f.only, "only", "", "run the cases whose name contains `text`")
	set.IntVar(&f.concurrency, "concurrency", 0, "cases at a `time`; 0 is one for each processor")
	set.BoolVar(&f.json, "json", false, "print a report as JSON")
	set.BoolVar(&f.verbose, "v", false, "print covered differences too")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if f.cases == "" || f.live == (f.expect != "") || set.NArg() > 0 {
		set.Usage()
		return f, errors.New("-cases and one of -expect and -live are needed, and nothing else")
	}
	return f, nil
}

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "compat:", err)
		return exitUsage
	}
	reports, err := reportsOf(ctx, f)
	if err != nil {
		fmt.Fprintln(stderr, "compat:", err)
		return exitUsage
	}
	code := exitOK
	for _, report := range reports {
		if f.json {
			if err := report.PrintJSON(stdout); err != nil {
				fmt.Fprintln(stderr, "compat:", err)
				return exitFailed
			}
		} else {
			report.Print(stdout, f.verbose)
		}
		if !report.OK() {
			code = exitFailed
		}
	}
	return code
}

// reportsOf runs the cases once and has a report for each release.
func reportsOf(ctx context.Context, f flags) ([]*compat.Report, error) {
	text, err := os.ReadFile(f.cases)
	if err != nil {
		return nil, err
	}
	cases, malformed := casefile.ParseFile(f.cases, text)
	cases = selected(cases, f.only)
	columns, err := expectations(ctx, f, cases)
	if err != nil {
		return nil, err
	}
	options := &compat.RunOptions{Concurrency: f.concurrency}
	if f.typed != "" {
		if options.Typed, err = readTyped(f.typed); err != nil {
			return nil, err
		}
	}
	pool, err := executor.New(nil)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	reports := compat.Run(ctx, pool, cases, columns, options)
	for _, err := range malformed {
		last := reports[len(reports)-1]
		last.Malformed = append(last.Malformed, err.Error())
	}
	return reports, nil
}

// allReleases asks for every release.
const allReleases = "all"

// expectations reads the recorded outcomes, or asks the reference, for each release that was asked for.
func expectations(ctx context.Context, f flags, cases []*casefile.Case) ([]*compat.Outcomes, error) {
	releases := []string{f.version}
	if f.version == allReleases {
		releases = slices.Clone(reference.Releases())
		slices.Reverse(releases) // the newest last
	}
	var columns []*compat.Outcomes
	for _, release := range releases {
		column, err := expectation(ctx, f, release, cases)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	for _, column := range columns {
		if f.live {
			column.NewestByName = columns[len(columns)-1].ByName
		}
	}
	return columns, nil
}

func expectation(ctx context.Context, f flags, release string, cases []*casefile.Case) (*compat.Outcomes, error) {
	if !f.live {
		return compat.LoadExpected(f.expect, release)
	}
	server, err := reference.Start(ctx, release, nil)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	return compat.Live(ctx, server, cases, 1)
}

func selected(cases []*casefile.Case, text string) []*casefile.Case {
	var out []*casefile.Case
	for _, c := range cases {
		if strings.Contains(c.Name, text) {
			out = append(out, c)
		}
	}
	return out
}

func readTyped(file string) (compat.Typed, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var typed compat.Typed
	if err := json.Unmarshal(text, &typed); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return typed, nil
}
