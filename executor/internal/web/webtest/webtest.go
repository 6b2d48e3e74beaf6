//go:build cgo && (linux || darwin)

// Package webtest runs JavaScript in a real V8 isolate with the scripts and ops of package web, under
// a host object small enough to read: the worker's own boot script is tested elsewhere. Time is
// virtual, so that a test never waits for a timer.
//
//	h := webtest.New(t, nil)
//	got := h.Eval(`return new URL('/b', 'https://a/').href`) // `"https://a/b"`, or "TypeError: …"
package webtest

import (
	_ "embed"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/v8"
	"github.com/codemode-go/codemode/executor/internal/web"
)

//go:embed host.js
var hostSource string

// Options of a Host. Outbound, when set, answers fetch: it receives the request and returns the
// response as JSON, both as host.js says.
type Options struct {
	Outbound func(request string) string
}

// Host is one isolate with the platform in it, closed when its test ends.
type Host struct {
	t       testing.TB
	isolate *v8.Isolate
	// turn and observe are functions of host.js.
	turn, observe v8.Value
	scripts       map[string]string
	ops           map[string]web.Op
	calls         map[string]int
	state         *web.State
	options       Options
}

// New boots an isolate. It belongs to the calling goroutine.
func New(t testing.TB, options *Options) *Host {
	t.Helper()
	runtime.LockOSThread()
	isolate, err := v8.NewIsolate(0)
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{t: t, isolate: isolate, scripts: map[string]string{}, ops: web.Ops(), calls: map[string]int{}, state: web.NewState()}
	if options != nil {
		h.options = *options
	}
	t.Cleanup(func() {
		isolate.Dispose()
		h.state.Close()
		runtime.UnlockOSThread()
	})
	for _, s := range web.Scripts() {
		h.scripts[s.Name] = s.Source()
	}
	mode := "blocked"
	if h.options.Outbound != nil {
		mode = "open"
	}
	boot, err := h.run(hostSource, "host.js")
	if err != nil {
		t.Fatalf("compiling the test host: %v", err)
	}
	host, err := isolate.Call(boot, h.function(h.native), isolate.Function(h.compile), h.function(h.outbound), isolate.String(mode))
	if err != nil {
		t.Fatalf("booting the test host: %v", err)
	}
	if h.turn, err = host.Get("turn"); err != nil {
		t.Fatal(err)
	}
	if h.observe, err = host.Get("observe"); err != nil {
		t.Fatal(err)
	}
	return h
}

// Eval runs code as the body of an async function and returns its value as JSON ("undefined" when it
// has none), or the thrown error as "Name: message".
func (h *Host) Eval(code string) string {
	h.t.Helper()
	return h.Await("(async () => {\n" + code + "\n})()")
}

// Await evaluates an expression and awaits its value, as Eval does.
func (h *Host) Await(expression string) string {
	h.t.Helper()
	value, err := h.run("("+expression+"\n)", "test.js")
	if err != nil {
		return err.Error()
	}
	// look returns undefined while a promise is pending.
	look, err := h.isolate.Call(h.observe, value)
	if err != nil {
		h.t.Fatalf("observing a value: %v", err)
	}
	for {
		text, err := h.isolate.Call(look)
		if err != nil {
			h.t.Fatalf("looking at a value: %v", err)
		}
		if text.IsString() {
			return text.String()
		}
		more, err := h.isolate.Call(h.turn)
		if err != nil {
			return "in a timer: " + err.Error()
		}
		if !more.Boolean() {
			return "stalled"
		}
	}
}

// Settle runs microtasks and timers until nothing is left to do.
func (h *Host) Settle() {
	h.t.Helper()
	for {
		more, err := h.isolate.Call(h.turn)
		if err != nil {
			h.t.Fatalf("in a timer: %v", err)
		}
		if !more.Boolean() {
			return
		}
	}
}

func (h *Host) run(source, name string) (v8.Value, error) {
	script, _, err := h.isolate.Compile(source, name, nil)
	if err != nil {
		return v8.Value{}, err
	}
	return script.Run()
}

// function makes a function of strings.
func (h *Host) function(fn func(args []string) string) v8.Value {
	return h.isolate.Function(func(args []v8.Value) v8.Value {
		var texts []string
		for _, arg := range args {
			texts = append(texts, arg.String())
		}
		return h.isolate.String(fn(texts))
	})
}

// Calls is how often the scripts have called an operation.
func (h *Host) Calls(op string) int { return h.calls[op] }

// native answers "names", "scripts", and the call of an op with encoded arguments.
func (h *Host) native(args []string) string {
	switch args[0] {
	case "names":
		var names []string
		for name := range h.ops {
			names = append(names, name)
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	case "scripts":
		type entry struct {
			Name    string   `json:"name"`
			Globals []string `json:"globals,omitempty"`
		}
		var entries []entry
		for _, s := range web.Scripts() {
			entries = append(entries, entry{s.Name, s.Globals})
		}
		text, err := json.Marshal(entries)
		if err != nil {
			h.t.Fatal(err)
		}
		return string(text)
	}
	var decoded []any
	for _, a := range args[1:] {
		decoded = append(decoded, decode(a))
	}
	h.calls[args[0]]++
	result, err := h.ops[args[0]](h.state, decoded)
	if opErr, ok := errors.AsType[*web.OpError](err); ok {
		return "!" + opErr.Name + "\n" + opErr.Message
	}
	if err != nil {
		return "!Error\n" + err.Error()
	}
	return encode(result)
}

// compile evaluates the script that a name stands for; what it returns of one that fails cannot be called.
func (h *Host) compile(args []v8.Value) v8.Value {
	name := args[0].String()
	value, err := h.run(h.scripts[name], name+".js")
	if err != nil {
		h.t.Errorf("the script %q: %v", name, err)
		return v8.Value{}
	}
	return value
}

func (h *Host) outbound(args []string) string { return h.options.Outbound(args[0]) }

func decode(text string) any {
	switch text[0] {
	case 's':
		return text[1:]
	case 'f':
		f, _ := strconv.ParseFloat(text[1:], 64)
		return f
	case 't', 'u':
		return text[0] == 't'
	case 'b':
		bytes := []byte{}
		for _, r := range text[1:] {
			bytes = append(bytes, byte(r))
		}
		return bytes
	}
	return nil
}

func encode(v any) string {
	switch v := v.(type) {
	case string:
		return "s" + v
	case web.Text:
		return "s" + encode([]byte(v))[1:]
	case float64:
		return "f" + strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		if v {
			return "t"
		}
		return "u"
	case []byte:
		runes := make([]rune, len(v))
		for i, b := range v {
			runes[i] = rune(b)
		}
		return "b" + string(runes)
	}
	return "n"
}
