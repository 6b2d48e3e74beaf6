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
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/codemode-go/codemode/executor/internal/v8" // what its library lacks on older systems
	"github.com/codemode-go/codemode/executor/internal/web"
	v8 "github.com/tommie/v8go"
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
	iso     *v8.Isolate
	ctx     *v8.Context
	turn    *v8.Function
	scripts map[string]string
	ops     map[string]web.Op
	options Options
}

// New boots an isolate. It belongs to the calling goroutine.
func New(t testing.TB, options *Options) *Host {
	t.Helper()
	runtime.LockOSThread()
	h := &Host{t: t, iso: v8.NewIsolate(), scripts: map[string]string{}, ops: web.Ops()}
	if options != nil {
		h.options = *options
	}
	h.ctx = v8.NewContext(h.iso)
	t.Cleanup(func() {
		h.ctx.Close()
		h.iso.Dispose()
		runtime.UnlockOSThread()
	})
	for _, s := range web.Scripts() {
		h.scripts[s.Name] = s.Source()
	}
	mode := "blocked"
	if h.options.Outbound != nil {
		mode = "open"
	}
	boot, err := h.call(h.run(hostSource, "host.js"), h.function(h.native), h.function(h.compile), h.function(h.outbound), h.value(mode), h.run("({__proto__: null})", "table.js"))
	if err != nil {
		t.Fatalf("booting the test host: %v", err)
	}
	h.turn, err = boot.AsFunction()
	if err != nil {
		t.Fatalf("booting the test host: %v", err)
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
	v, err := h.ctx.RunScript("("+expression+"\n)", "test.js")
	if err != nil {
		return describe(err)
	}
	if !v.IsPromise() {
		return h.json(v)
	}
	promise, err := v.AsPromise()
	if err != nil {
		h.t.Fatalf("awaiting: %v", err)
	}
	for promise.State() == v8.Pending {
		h.ctx.PerformMicrotaskCheckpoint()
		if promise.State() != v8.Pending {
			break
		}
		more, err := h.turn.Call(v8.Undefined(h.iso))
		if err != nil {
			return "in a timer: " + describe(err)
		}
		if !more.Boolean() {
			return "stalled"
		}
	}
	if promise.State() == v8.Rejected {
		return h.thrown(promise.Result())
	}
	return h.json(promise.Result())
}

// Settle runs microtasks and timers until nothing is left to do.
func (h *Host) Settle() {
	h.t.Helper()
	for {
		h.ctx.PerformMicrotaskCheckpoint()
		more, err := h.turn.Call(v8.Undefined(h.iso))
		if err != nil {
			h.t.Fatalf("in a timer: %v", err)
		}
		if !more.Boolean() {
			return
		}
	}
}

func (h *Host) json(v *v8.Value) string {
	text, err := v8.JSONStringify(h.ctx, v)
	if err != nil {
		return describe(err)
	}
	return text
}

func (h *Host) thrown(v *v8.Value) string {
	if !v.IsObject() {
		return "thrown " + v.DetailString()
	}
	name, nameErr := v.Object().Get("name")
	message, messageErr := v.Object().Get("message")
	if nameErr != nil || messageErr != nil {
		return "thrown object"
	}
	return name.String() + ": " + message.String()
}

func describe(err error) string {
	if jsError, ok := errors.AsType[*v8.JSError](err); ok {
		return jsError.Message
	}
	return err.Error()
}

func (h *Host) run(source, name string) *v8.Value {
	h.t.Helper()
	v, err := h.ctx.RunScript(source, name)
	if err != nil {
		h.t.Fatalf("compiling %s: %+v", name, err)
	}
	return v
}

func (h *Host) call(fn *v8.Value, args ...v8.Valuer) (*v8.Value, error) {
	f, err := fn.AsFunction()
	if err != nil {
		return nil, err
	}
	return f.Call(v8.Undefined(h.iso), args...)
}

func (h *Host) value(v any) *v8.Value {
	out, err := v8.NewValue(h.iso, v)
	if err != nil {
		h.t.Fatalf("making a value of %T: %v", v, err)
	}
	return out
}

func (h *Host) function(fn func(args []string) (*v8.Value, error)) *v8.Function {
	return v8.NewFunctionTemplateWithError(h.iso, func(info *v8.FunctionCallbackInfo) (*v8.Value, error) {
		var args []string
		for _, a := range info.Args() {
			args = append(args, a.String())
		}
		return fn(args)
	}).GetFunction(h.ctx)
}

// native answers "names", "scripts", and the call of an op with encoded arguments.
func (h *Host) native(args []string) (*v8.Value, error) {
	switch args[0] {
	case "names":
		var names []string
		for name := range h.ops {
			names = append(names, name)
		}
		slices.Sort(names)
		return h.value(strings.Join(names, " ")), nil
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
		return h.value(string(text)), err
	}
	var decoded []any
	for _, a := range args[1:] {
		decoded = append(decoded, decode(a))
	}
	result, err := h.ops[args[0]](decoded)
	if opErr, ok := errors.AsType[*web.OpError](err); ok {
		return h.value("!" + opErr.Name + "\n" + opErr.Message), nil
	}
	if err != nil {
		return h.value("!Error\n" + err.Error()), nil
	}
	return h.value(encode(result)), nil
}

func (h *Host) compile(args []string) (*v8.Value, error) {
	source, ok := h.scripts[args[0]]
	if !ok {
		return nil, fmt.Errorf("no script %q", args[0])
	}
	return h.ctx.RunScript(source, args[0]+".js")
}

func (h *Host) outbound(args []string) (*v8.Value, error) {
	return h.value(h.options.Outbound(args[0])), nil
}

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
