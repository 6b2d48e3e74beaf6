// Package v8 is the little of V8 that a worker needs, over github.com/tommie/v8go, without policy.
//
// An [Isolate] is a heap with one context in it. A [Script] is compiled once and run in an isolate; with the cache of
// an earlier compilation it costs a tenth. A [Value] is a handle on something in the heap, a [Callback] a Go function
// that scripts can call.
//
//	isolate, err := v8.NewIsolate(heapLimit)
//	script, _, err := isolate.Compile("(n) => n + 1", "inc.js", nil)
//	inc, err := script.Run()
//	v, err := isolate.Call(inc, isolate.Number(41))
//	v.Number() // 42
//	v.Release()
//
// # Lifetime
//
// An isolate belongs to the goroutine that made it, locked to its thread; only Terminate may be called from elsewhere.
// Every Value has to be released, except that Dispose frees what is left. A Callback must not keep its arguments.
//
// # Limits
//
// The heap limit is a courtesy: V8 ends the running script when it is reached and doubles it, and bytes of array
// buffers do not count. Strings cross as UTF-8 with their length, so NUL and everything but lone surrogates survives;
// a lone surrogate becomes U+FFFD. On a build without cgo, or on another system than linux and darwin, the package
// consists of Available, which answers ErrUnavailable.
package v8

import "errors"

// ErrUnavailable says that this build cannot run JavaScript.
var ErrUnavailable = errors.New("this build has no JavaScript engine (needs cgo on linux or darwin)")

// CompileError is a text that is no script. Line and Column count from 1, the column in UTF-16 units.
type CompileError struct {
	// Name is the script's name, Message the engine's text with the error's class in front.
	Name, Message string
	Line, Column  int
}

func (e *CompileError) Error() string { return e.Message }

// Exception is an exception that left a script, or the end of a script that was terminated; V8 does not tell the two
// apart except by its text.
type Exception struct{ Message, Stack string }

func (e *Exception) Error() string { return e.Message }
