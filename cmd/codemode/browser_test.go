package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromiumPath finds the headless Chromium of testdata/browser, which `make deps` installs.
func chromiumPath(t *testing.T) string {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("CI") != "" {
		missing = t.Fatalf
	}
	if here := goruntime.GOOS + "/" + goruntime.GOARCH; here != "linux/amd64" {
		missing("the browser of the lock file is for linux/amd64, and this is %s", here)
	}
	dir, err := filepath.Abs(filepath.Join("testdata", "browser"))
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err != nil {
		missing("there is no browser: %v; `make deps` installs it", err)
	}
	cache := filepath.Join(modules, ".cache")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "executable.mjs"))
	command.Env = append(os.Environ(), "TMPDIR="+cache)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		missing("the browser cannot be unpacked: %v", err)
	}
	return strings.TrimSpace(string(text))
}

// tab is one tab of a headless Chromium, and what it did that it should not have.
type tab struct {
	*testing.T
	ctx  context.Context
	page string // where all of its requests have to go

	mu     sync.Mutex
	faults []string
}

// openTab starts a browser that ends with the test, where anything but the page at an address is a fault.
func openTab(t *testing.T, page string) *tab {
	t.Helper()
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.ExecPath(chromiumPath(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("no-zygote", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("font-render-hinting", "none"))
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(func() { end(); endAllocator() })
	b := &tab{T: t, ctx: ctx, page: page}
	b.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		if _, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{}); err != nil {
			return chromedp.Void{}, err
		}
		_, err := cdp.Call(ctx, target, cdplog.Enable, cdp.Empty{})
		return chromedp.Void{}, err
	})
	watch(b, network.RequestWillBeSent, func(e network.EventRequestWillBeSent) string {
		if strings.HasPrefix(e.Request.URL, page+"/") {
			return ""
		}
		return "asked for " + e.Request.URL
	})
	watch(b, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) string { return "threw " + e.ExceptionDetails.Text })
	watch(b, cdplog.EntryAdded, func(e cdplog.EventEntryAdded) string { return string(e.Entry.Level) + ": " + e.Entry.Text })
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, fault := range b.faults {
			t.Error("the page", fault)
		}
	})
	return b
}

// watch notes what a kind of event says of it, unless that is nothing.
func watch[E any](b *tab, kind cdp.Event[E], fault func(E) string) {
	events := chromedp.Events(b.ctx, kind)
	go func() { // ends with the browser
		for event, err := range events {
			if err != nil {
				return
			}
			if text := fault(event); text != "" {
				b.mu.Lock()
				b.faults = append(b.faults, text)
				b.mu.Unlock()
			}
		}
	}()
}

func (b *tab) do(action chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, action); err != nil {
		b.Fatal(err)
	}
}

func (b *tab) open(path string) { b.Helper(); b.do(chromedp.Navigate(b.page + path)) }

// press types keys once the page's script has taken hold.
func (b *tab) press(keys string) {
	b.Helper()
	b.await(`document.readyState`, "complete")
	for _, r := range keys {
		event := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: string(r), Text: string(r)}
		switch r {
		case '\r':
			event.Key, event.WindowsVirtualKeyCode = "Enter", 13
		case escape:
			event.Key, event.Text, event.WindowsVirtualKeyCode = "Escape", "", 27
		}
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
			event.Type = kind
			b.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, target, input.DispatchKeyEvent, event)
				return chromedp.Void{}, err
			})
		}
	}
}

// text is what an expression gives, as text.
func (b *tab) text(expression string) string {
	b.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return text
}

// await waits until an expression gives a text.
func (b *tab) await(expression, want string) {
	b.Helper()
	got := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
		if err != nil { // a page that is just being left
			got = err.Error()
			continue
		}
		if got = text; got == want {
			return
		}
	}
	b.Fatalf("%s is %q, want %q", expression, got, want)
}

// look makes the window so wide, in a colour scheme.
func (b *tab) look(width int64, scheme string) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, 900))
	b.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return chromedp.Void{}, err
	})
}

// picture saves what is seen where CODEMODE_SCREENSHOTS says, for a person to look at.
func (b *tab) picture(name string) {
	b.Helper()
	dir := os.Getenv("CODEMODE_SCREENSHOTS")
	if dir == "" {
		return
	}
	image, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), image, 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// scriptless turns JavaScript off, or on again.
func (b *tab) scriptless(off bool) {
	b.Helper()
	b.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off})
		return chromedp.Void{}, err
	})
}

// shown is codemode with a page, in this process, and a client of it.
type shown struct {
	url string
	in  io.Writer
	id  int
	out *bufio.Scanner
}

// serveShown starts codemode serve --ui and reads the page's address.
func serveShown(t *testing.T, args ...string) *shown {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	stdout := os.Stdout // serve gives it away
	t.Cleanup(func() { os.Stdout = stdout })
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { outR.Close() }) // once serve has ended: a client that is gone is an error
	s := &shown{in: inW, out: bufio.NewScanner(outR), url: background(t, ctx, cancel, terminal{in: inR, out: outW}, append([]string{"serve", "--ui", "127.0.0.1:0"}, args...), "ui listening ")}
	s.out.Buffer(nil, 16<<20)
	t.Cleanup(func() {
		inW.Close()
		go io.Copy(io.Discard, outR)
	})
	s.send("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test-client", "version": "1"}})
	s.answer(t)
	fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// background runs a command until the test ends, and waits for the address that it prints after a prefix.
func background(t *testing.T, ctx context.Context, cancel func(), term terminal, args []string, prefix string) (url string) {
	t.Helper()
	errR, errW := io.Pipe()
	term.err = errW
	ended := make(chan int, 1)
	go func() {
		ended <- dispatch(ctx, term, args)
		errW.Close()
	}()
	lines := bufio.NewScanner(errR)
	for url == "" && lines.Scan() {
		url, _ = strings.CutPrefix(lines.Text(), prefix)
		if !strings.HasPrefix(lines.Text(), prefix) {
			t.Log(lines.Text())
			url = ""
		}
	}
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, errR) }()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != exitOK {
			t.Errorf("%v ended with %d", args, code)
		}
		<-drained
	})
	if url == "" {
		t.Fatalf("%v printed no address", args)
	}
	return url
}

func (s *shown) send(method string, params any) {
	s.id++
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}) // maps of ours
	fmt.Fprintf(s.in, "%s\n", text)
}

// answer reads one answer; what is told in between does not count.
func (s *shown) answer(t *testing.T) (line string) {
	t.Helper()
	for s.out.Scan() {
		if line = s.out.Text(); strings.Contains(line, `"id":`) && !strings.Contains(line, `"method":`) {
			return line
		}
	}
	t.Fatalf("no answer: %v", s.out.Err())
	return ""
}

// start begins a program; run also waits for its answer.
func (s *shown) start(code string) {
	s.send("tools/call", map[string]any{"name": "code", "arguments": map[string]any{"code": code}})
}

func (s *shown) run(t *testing.T, code string) { t.Helper(); s.start(code); s.answer(t) }

// escape stands for the key.
const escape = '\x1b'

func navigate(url string) chromedp.Action[chromedp.Void] { return chromedp.Navigate(url) }

// click clicks on what a selector finds, in one step: what goes on is drawn anew at any moment.
func (b *tab) click(selector string) {
	b.Helper()
	b.await(fmt.Sprintf(`(() => { const found = document.querySelector(%q); found?.click(); return found !== null })()`, selector), "true")
}
