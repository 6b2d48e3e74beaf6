package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Write puts performance.json, performance.md and performance.svg into a directory.
func (r *Report) Write(dir string) error {
	figures, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"performance.json": string(figures) + "\n", "performance.md": r.page(), "performance.svg": r.chart(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const page = `# Performance, beside the reference

The same programs on %s and on us, in one run, in turns, on %s. Written by ` + "`make bench-compat`" + ` on %s; the figures
are in performance.json.

![How many times better than the reference](performance.svg)

| | reference | codemode | times better |
|---|---:|---:|---:|
%s
## Method

Every figure is the median of several rounds, after one that warms up; the rounds of the two sides take turns, so that
what else the machine does falls on both. Both run the whole of the dialect: the program's text is normalised, each run has
a sandbox of its own, and tools are functions of the host. A figure in milliseconds is one run after a pause of 60 ms,
less what the same request costs without a run (the reference is asked by HTTP). The figures of a warm sandbox (warm) are without
pauses: the reference's inside its worker, ours from the call of the executor in Go to its result, without the dialect and without the making
of the next isolate between two runs. Throughput is without pauses; the
reference runs those repetitions inside one request. It has one thread and one process; we have a pool of processes. Beside
a busy one means that another program has computed for a twentieth of a second and goes on. Memory is that of the sandboxes' processes, with shared pages
counted in parts (Pss).

Versions: %s.
`

const proxyPage = `
## The proxy

What has no counterpart in the reference, on %s, written by ` + "`make bench-proxy`" + ` on %s.

| | measured | wanted |
|---|---:|---:|
%s
Every figure is the median of several rounds, after one that warms up. The servers of the first two are small shell scripts with ten tools each, which
start behind the answer; memory is that of the one process (resident, shared pages in full). A program's call is one of two hundred, one after the other, through
` + "`serve`" + ` on its standard streams, less what a program with one call takes, and less the same call of the same server by a client of its own.
`

// wantedRows is a row a measure: what it is and what is wanted of it.
func wantedRows(measures []Measure) string {
	var rows strings.Builder
	for _, m := range measures {
		fmt.Fprintf(&rows, "| %s | %s | %s |\n", m.Name, amount(m.Value, m.Unit), amount(m.Wanted, m.Unit))
	}
	return rows.String()
}

// proxyText is the page's part on the proxy; empty without one.
func (r *Report) proxyText() string {
	if r.Proxy == nil {
		return ""
	}
	return fmt.Sprintf(proxyPage, r.Proxy.Machine, r.Proxy.Date, wantedRows(r.Proxy.Measures))
}

const cataloguePage = `
## What the model reads

Over %d functions of real servers, on %s, written by ` + "`make bench-catalogue`" + ` on %s.

| | measured | wanted |
|---|---:|---:|
%s
Every figure is the median of several rounds, after one that warms up. Search and describe are what a program's call of them costs the host,
without the program.
`

// catalogueText is the page's part on descriptions; empty without one.
func (r *Report) catalogueText() string {
	if r.Catalogue == nil {
		return ""
	}
	return fmt.Sprintf(cataloguePage, r.Catalogue.Tools, r.Catalogue.Machine, r.Catalogue.Date, wantedRows(r.Catalogue.Measures))
}

const daemonPage = `
## Through a daemon

On %s, written by ` + "`make bench-remote`" + ` on %s.

| | beside | that | ours | ratio | wanted |
|---|---|---:|---:|---:|---|
%s
Every figure but the last is the median of several rounds, after one that warms up, in turns. Callbacks are what a daemon calls of its host's: between
two processes of ours, and between two of node with the npm package (0.12.0). A program's time is that of a single run after a pause of 60 ms, through
` + "`codemode daemon`" + ` on loopback and through a pool of the measuring process. Memory is the daemon's, without its workers.
`

// daemonText is the page's part on the daemon; empty without one.
func (r *Report) daemonText() string {
	if r.Daemon == nil {
		return ""
	}
	var rows strings.Builder
	for _, c := range r.Daemon.Comparisons {
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %.2f | %s |\n", c.Name, c.Beside, amount(c.Other, c.Unit), amount(c.Ours, c.Unit), c.Ratio(), c.Wanted)
	}
	return fmt.Sprintf(daemonPage, r.Daemon.Machine, r.Daemon.Date, rows.String())
}

const platformPage = `
## The web platform, beside node

%s and our sandbox in turns, on %s, written by ` + "`make bench-platform`" + ` on %s.

| | node | ours | ratio | wanted |
|---|---:|---:|---:|---|
%s
Every figure is the median of several rounds, each of which starts a process of node and a sandbox of ours, does the work twice, and takes
the best of five times more. What is native in node is Go behind a crossing here: texts and bytes are copied on their way, and Go has no
vector instructions for base64.
`

// platformText is the page's part on the web platform; empty without one.
func (r *Report) platformText() string {
	if r.Platform == nil {
		return ""
	}
	var rows strings.Builder
	for _, c := range r.Platform.Comparisons {
		fmt.Fprintf(&rows, "| %s | %s | %s | %.2f | %s |\n", c.Name, amount(c.Other, c.Unit), amount(c.Ours, c.Unit), c.Ratio(), c.Wanted)
	}
	return fmt.Sprintf(platformPage, r.Platform.Node, r.Platform.Machine, r.Platform.Date, rows.String())
}

// Read reads the report that Write put into a directory.
func Read(dir string) (*Report, error) {
	text, err := os.ReadFile(filepath.Join(dir, "performance.json"))
	if err != nil {
		return nil, err
	}
	var r Report
	return &r, json.Unmarshal(text, &r)
}

func (r *Report) page() string {
	var rows strings.Builder
	for _, f := range r.Figures {
		fmt.Fprintf(&rows, "| %s | %s | %s | %.1f |\n", f.Name, amount(f.Reference, f.Unit), amount(f.Ours, f.Unit), f.Ratio())
	}
	var versions []string
	for _, name := range []string{"reference", "go", "v8go"} {
		if v := r.Versions[name]; v != "" {
			versions = append(versions, strings.TrimPrefix(name+" "+v, "reference "))
		}
	}
	return fmt.Sprintf(page, r.Versions["reference"], r.Machine, r.Date, rows.String(), strings.Join(versions, ", ")) + r.catalogueText() + r.proxyText() + r.daemonText() + r.platformText()
}

func amount(v float64, unit string) string {
	digits := 0
	if v < 100 {
		digits = 1
	}
	if v < 10 {
		digits = 2
	}
	return fmt.Sprintf("%.*f %s", digits, v, unit)
}

// The chart's measures in pixels. A bar's length is the logarithm of the ratio; the line in the middle is equality.
const (
	chartWidth  = 760
	chartLabel  = 280
	chartRow    = 26
	chartTop    = 44
	chartMiddle = chartLabel + (chartWidth-chartLabel)/2
	chartScale  = 70 // pixels for each doubling
)

func (r *Report) chart() string {
	var b strings.Builder
	height := chartTop + chartRow*len(r.Figures) + 16
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", chartWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", chartWidth, height)
	fmt.Fprintf(&b, `<text x="8" y="20" font-weight="bold">How many times better than the reference</text>`+"\n")
	fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#888"/>`+"\n", chartMiddle, chartTop-10, chartMiddle, height-10)
	for i, f := range r.Figures {
		y := chartTop + chartRow*i
		length := math.Log2(f.Ratio()) * chartScale
		length = max(min(length, float64(chartWidth-chartMiddle-56)), float64(chartLabel-chartMiddle+56))
		fill, anchor, at := "#2a7", "start", chartMiddle+length+6
		if length < 0 {
			fill, anchor, at = "#c64", "end", chartMiddle+length-6
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", chartLabel-8, y+13, f.Name)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="16" fill="%s"/>`+"\n", chartMiddle+min(length, 0), y, math.Abs(length), fill)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="%s">%.1f×</text>`+"\n", at, y+13, anchor, f.Ratio())
	}
	b.WriteString("</svg>\n")
	return b.String()
}
