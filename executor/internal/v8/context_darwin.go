//go:build cgo

package v8

import "github.com/tommie/v8go"

// newIsolate makes an isolate and its context.
func newIsolate(options ...v8go.IsolateOption) (*v8go.Isolate, *v8go.Context) {
	isolate := v8go.NewIsolate(options...)
	return isolate, v8go.NewContext(isolate)
}
