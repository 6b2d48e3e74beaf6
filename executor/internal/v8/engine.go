//go:build cgo && (linux || darwin)

package v8

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tommie/v8go"
)

// Available is nil when this build can run JavaScript.
func Available() error { return nil }

// Version is the engine's version.
func Version() string { return strings.TrimSuffix(v8go.Version(), "-v8go") }

// SetFlags sets flags of the engine ("--stack-size=984") for the isolates made after it.
func SetFlags(flags ...string) { v8go.SetFlags(flags...) }

// Isolate is a heap with one context.
type Isolate struct {
	isolate   *v8go.Isolate
	context   *v8go.Context
	undefined *v8go.Value
	returned  *v8go.Value // what the last callback returned, to be released by the next
}

// Value is a handle on a value in an isolate. The zero Value is undefined where a Callback returns it or a function
// takes it.
type Value struct{ v *v8go.Value }

// Callback is a Go function that scripts can call. It must not keep args; what it returns is released for it.
type Callback func(args []Value) Value

// Script is a compiled script of one isolate.
type Script struct {
	isolate *Isolate
	script  *v8go.UnboundScript
}

// NewIsolate makes an isolate whose heap is limited to heapLimit bytes, or by V8's own default when that is 0.
func NewIsolate(heapLimit uint64) (*Isolate, error) {
	var options []v8go.IsolateOption
	if heapLimit > 0 {
		options = append(options, v8go.WithResourceConstraints(0, heapLimit))
	}
	isolate, context := newIsolate(options...)
	return &Isolate{isolate: isolate, context: context, undefined: v8go.Undefined(isolate)}, nil
}

// Dispose frees the isolate and everything in it.
func (i *Isolate) Dispose() {
	i.context.Close()
	i.isolate.Dispose()
}

// Terminate ends the script that runs, or else the next one that starts. It may be called from any goroutine until
// Dispose.
func (i *Isolate) Terminate() { i.isolate.TerminateExecution() }

// HeapLimit is the heap's limit in bytes; it has grown when the heap once reached it.
func (i *Isolate) HeapLimit() uint64 { return i.isolate.GetHeapStatistics().HeapSizeLimit }

// HeapUsed is how many bytes of the heap are used.
func (i *Isolate) HeapUsed() uint64 { return i.isolate.GetHeapStatistics().UsedHeapSize }

// Compile compiles a script under a name. A cache that Script.Cache made of the same source saves most of the work;
// used says whether it was good. The error is a *CompileError.
func (i *Isolate) Compile(source, name string, cache []byte) (script *Script, used bool, err error) {
	// v8go hands sources over as C strings. A NUL is legal in literals and comments alone, where its escape means the
	// same; anywhere else both are an error.
	source = strings.ReplaceAll(source, "\x00", `\x00`)
	options := v8go.CompileOptions{}
	if len(cache) > 0 {
		options.CachedData = &v8go.CompilerCachedData{Bytes: cache}
	}
	unbound, err := i.isolate.CompileUnboundScript(source, name, options)
	if err != nil {
		return nil, false, compileError(err, name)
	}
	return &Script{i, unbound}, options.CachedData != nil && !options.CachedData.Rejected, nil
}

// compileError reads v8go's location, which is the name, the line and the column joined by colons.
func compileError(err error, name string) error {
	var thrown *v8go.JSError
	if !errors.As(err, &thrown) {
		return err
	}
	e := &CompileError{Name: name, Message: thrown.Message}
	line, column, _ := strings.Cut(strings.TrimPrefix(thrown.Location, name+":"), ":")
	e.Line, _ = strconv.Atoi(line)
	e.Column, _ = strconv.Atoi(column)
	return e
}

// Run runs the script and returns its value. The error is an *Exception.
func (s *Script) Run() (Value, error) { return result(s.script.Run(s.isolate.context)) }

// Cache is what makes the next compilation of the same source cheap, with the functions compiled so far.
func (s *Script) Cache() []byte { return s.script.CreateCodeCache().Bytes }

// Call calls fn, which has to be a function, with undefined as this. When nothing else of the isolate is running, its
// microtasks run before Call returns. The error is an *Exception.
func (i *Isolate) Call(fn Value, args ...Value) (Value, error) {
	list := make([]v8go.Valuer, len(args))
	for n, arg := range args {
		list[n] = arg.v
		if arg.v == nil {
			list[n] = i.undefined
		}
	}
	function := v8go.Function{Value: fn.v} // v8go's conversion would ask the engine first
	return result(function.Call(i.undefined, list...))
}

func result(v *v8go.Value, err error) (Value, error) {
	var thrown *v8go.JSError
	if errors.As(err, &thrown) {
		return Value{}, &Exception{Message: thrown.Message, Stack: thrown.StackTrace}
	}
	return Value{v}, err
}

// Function makes a function of the isolate that calls back. It lives as long as the isolate.
func (i *Isolate) Function(call Callback) Value {
	template := v8go.NewFunctionTemplateWithError(i.isolate, func(info *v8go.FunctionCallbackInfo) (*v8go.Value, error) {
		args := make([]Value, len(info.Args()))
		for n, arg := range info.Args() {
			args[n] = Value{arg}
		}
		out := call(args).v
		info.Release()
		if i.returned != nil {
			i.returned.Release()
		}
		i.returned = out
		return out, nil
	})
	return Value{template.GetFunction(i.context).Value}
}

// String makes a string; it is UTF-8.
func (i *Isolate) String(s string) Value { return i.primitive(s) }

// Number makes a number.
func (i *Isolate) Number(n float64) Value { return i.primitive(n) }

// Boolean makes a boolean.
func (i *Isolate) Boolean(b bool) Value { return i.primitive(b) }

func (i *Isolate) primitive(v any) Value {
	value, err := v8go.NewValue(i.isolate, v)
	if err != nil { // a string over V8's limit of half a gigabyte
		return Value{}
	}
	return Value{value}
}

// Get reads a property of an object.
func (v Value) Get(key string) (Value, error) {
	object, err := v.v.AsObject()
	if err != nil {
		return Value{}, err
	}
	return result(object.Get(key))
}

// Set writes a property of an object.
func (v Value) Set(key string, value Value) error {
	object, err := v.v.AsObject()
	if err != nil {
		return err
	}
	return object.Set(key, value.v)
}

// SharedBytes is the memory of a SharedArrayBuffer, valid until release is called.
func (v Value) SharedBytes() (data []byte, release func(), err error) {
	return v.v.SharedArrayBufferGetContents()
}

// Release lets go of the value.
func (v Value) Release() {
	if v.v != nil {
		v.v.Release()
	}
}

// IsProxy reports whether the value is a proxy, which no script can tell.
func (v Value) IsProxy() bool { return v.v.IsProxy() }

// PromiseState is a promise's state as the engine numbers it.
type PromiseState int

const (
	Pending PromiseState = iota
	Fulfilled
	Rejected
)

// Promise is the state of a promise, and what it has been settled with unless it is pending; ok is false for a value that
// is no promise.
func (v Value) Promise() (state PromiseState, result Value, ok bool) {
	promise, err := v.v.AsPromise()
	if err != nil {
		return 0, Value{}, false
	}
	if state = PromiseState(promise.State()); state == Pending {
		return state, Value{}, true
	}
	return state, Value{promise.Result()}, true
}

// IsString reports whether the value is a primitive string.
func (v Value) IsString() bool { return v.v.IsString() }

// IsNumber reports whether the value is a primitive number.
func (v Value) IsNumber() bool { return v.v.IsNumber() }

// IsBoolean reports whether the value is a primitive boolean.
func (v Value) IsBoolean() bool { return v.v.IsBoolean() }

// IsFunction reports whether the value can be called.
func (v Value) IsFunction() bool { return v.v.IsFunction() }

// String is the value of a string. Of anything else it is what String(v) gives, which may run scripts.
func (v Value) String() string { return v.v.String() }

// Text is the value of a string, as String gives it. v8go copies it once less on this way, which leaves lone surrogates
// as they are.
func (v Value) Text() string {
	if text := v.v.DetailString(); utf8.ValidString(text) {
		return text
	}
	return v.v.String()
}

// Number is the value of a number.
func (v Value) Number() float64 { return v.v.Number() }

// Boolean is the value of a boolean.
func (v Value) Boolean() bool { return v.v.Boolean() }
