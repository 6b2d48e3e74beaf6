package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"github.com/codemode-go/codemode/protocol"
)

const (
	// shownCalls bounds the calls that have a line of their own; the summary counts the others.
	shownCalls = 20
	// redraw is how often the line that is being written over tells the time.
	redraw = 100 * time.Millisecond
)

// progressMode says when calls are shown on standard error: auto, on a terminal; plain, always, in plain lines; off.
type progressMode string

func (m *progressMode) declare(flags *flag.FlagSet) {
	*m = "auto"
	flags.Func("progress", "show calls and a summary on standard error: `WHEN` is auto (on a terminal), plain (lines, anywhere) or off", func(text string) error {
		if !slices.Contains([]string{"auto", "plain", "off"}, text) {
			return fmt.Errorf("must be auto, plain or off")
		}
		*m = progressMode(text)
		return nil
	})
}

// progress shows on standard error how the calls of programs go: a line for each that has ended, below them a line that is
// written over while others last, and a summary. Where the terminal cannot write over a line there is none. A nil one shows
// nothing.
type progress struct {
	w              io.Writer
	columns        func() int
	over, coloured bool
	// single says that there is one program, whose calls are shown one by one.
	single bool
	began  time.Time
	stop   func()

	mu       sync.Mutex
	programs int
	calls    int
	failed   int
	shown    int
	open     []*openCall // calls that last, in the order they began
	slowest  string
	longest  time.Duration
	drawn    bool // the line that is written over is on the screen
	finished bool
}

type openCall struct {
	name  string
	began time.Time
}

// newProgress is nil when there is nothing to show calls on.
func newProgress(w io.Writer, mode progressMode, single bool) *progress {
	file := fileOf(w)
	if file != nil {
		w = file // names are printable, and the sequences ours
	}
	p := &progress{w: w, single: single, began: time.Now(), columns: func() int { return 1 << 20 }, stop: func() {}}
	terminal := file != nil && term.IsTerminal(int(file.Fd()))
	switch {
	case mode == "off", mode == "auto" && !terminal:
		return nil
	case !terminal:
		return p
	}
	p.columns = func() int {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return columns
		}
		return 80
	}
	if kind := os.Getenv("TERM"); mode == "plain" || kind == "" || kind == "dumb" {
		return p
	}
	p.over, p.coloured = true, os.Getenv("NO_COLOR") == ""
	done := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() { p.tick(done) })
	p.stop = sync.OnceFunc(func() { close(done); ticking.Wait() })
	return p
}

func (p *progress) tick(done <-chan struct{}) {
	ticker := time.NewTicker(redraw)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		}
	}
}

// watch puts the progress between an executor and those who call it.
func (p *progress) watch(executor protocol.Executor) protocol.Executor {
	if p == nil {
		return executor
	}
	return &watchedExecutor{executor, p}
}

// watchedExecutor tells a progress of the calls of its programs.
type watchedExecutor struct {
	protocol.Executor
	progress *progress
}

// Execute implements protocol.Executor.
func (w *watchedExecutor) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	changed := *request
	if inner := request.Dispatch; inner != nil {
		changed.Dispatch = func(ctx context.Context, provider, tool, argsJSON string) (string, error) {
			end := w.progress.call(provider + "." + tool)
			text, err := inner(ctx, provider, tool, argsJSON)
			envelope, parseErr := protocol.ParseEnvelope(text)
			end(err != nil || parseErr != nil || envelope.Error != nil)
			return text, err
		}
	}
	result, err := w.Executor.Execute(ctx, &changed)
	w.progress.program()
	return result, err
}

// call notes that a call began; the function it returns, that it ended.
func (p *progress) call(name string) (end func(failed bool)) {
	one := &openCall{printable(name), time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	p.open = append(p.open, one)
	p.draw()
	return func(failed bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open = slices.DeleteFunc(p.open, func(other *openCall) bool { return other == one })
		p.ended(one.name, time.Since(one.began), failed)
	}
}

// ended counts a call and writes its line, with p.mu held.
func (p *progress) ended(name string, took time.Duration, failed bool) {
	if failed {
		p.failed++
	}
	if took >= p.longest {
		p.slowest, p.longest = name, took
	}
	if p.single && p.shown < shownCalls && !p.finished {
		p.shown++
		p.line(!failed, name, "  "+shortTime(took))
		if p.shown == shownCalls {
			p.line(true, "further calls are only counted", "")
		}
	}
	p.draw()
}

// told notes a call of which a server said in words that it was answered.
func (p *progress) told(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finished {
		return
	}
	p.calls++
	p.line(true, printable(text), "")
}

// program notes that one program more has ended.
func (p *progress) program() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.programs++
	p.draw()
}

// finish writes the summary and nothing afterwards.
func (p *progress) finish(ok bool) {
	if p == nil {
		return
	}
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
	p.erase()
	text := "ok"
	if !ok {
		text = "failed"
	}
	text += " in " + shortTime(time.Since(p.began))
	if !p.single {
		text += ", " + counted(p.programs, "program")
	}
	text += ", " + counted(p.calls, "call")
	if p.failed > 0 {
		text += fmt.Sprintf(" (%d failed)", p.failed)
	}
	if p.calls > 1 && p.slowest != "" {
		text += ", slowest " + p.slowest + " " + shortTime(p.longest)
	}
	p.line(ok, text, "")
}

// writer is standard output for as long as the line that is written over may be on the same screen.
func (p *progress) writer(out io.Writer) io.Writer {
	if p == nil || !p.over {
		return out
	}
	return writerFunc(func(data []byte) (int, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.erase()
		n, err := out.Write(data)
		p.draw()
		return n, err
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// line writes one line above the one that is written over, with p.mu held. Where there is too little room the end stays whole.
func (p *progress) line(ok bool, text, end string) {
	p.erase()
	mark, colour := "✓", "32"
	if !ok {
		mark, colour = "✗", "31"
	}
	text = fit(text, p.columns()-3-len(end)) + end
	if p.coloured {
		mark = "\x1b[" + colour + "m" + mark + "\x1b[0m"
	}
	fmt.Fprintln(p.w, mark+" "+text)
}

// draw writes the last line over, with p.mu held.
func (p *progress) draw() {
	if !p.over || p.finished {
		return
	}
	text := shortTime(time.Since(p.began)) + " · " + counted(p.calls, "call")
	if !p.single {
		text = shortTime(time.Since(p.began)) + " · " + counted(p.programs, "program") + " · " + counted(p.calls, "call")
	}
	if n := len(p.open); n > 0 {
		text += " · " + p.open[0].name
		if n > 1 {
			text += fmt.Sprintf(" and %d more", n-1)
		}
	}
	text = fit(text, p.columns()-1)
	if p.coloured {
		text = "\x1b[2m" + text + "\x1b[0m"
	}
	fmt.Fprint(p.w, "\r\x1b[K"+text)
	p.drawn = true
}

// erase takes that line away, with p.mu held.
func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// fit cuts a text to so many columns.
func fit(text string, columns int) string {
	used, cut := 0, 0
	for i, r := range text {
		wide := 1
		switch {
		case unicode.Is(unicode.Mn, r):
			wide = 0
		case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
			wide = 2
		}
		if used+wide > columns {
			return text[:cut] + "…"
		}
		if used += wide; used < columns {
			cut = i + len(string(r))
		}
	}
	return text
}

func shortTime(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
