package dialect

import (
	"context"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

// fakeNative is a native executor whose programs are Go functions, so that a test sees exactly what crosses.
type fakeNative struct {
	program  func(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error)
	requests []*protocol.ExecuteRequest
	closed   int
}

func (f *fakeNative) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	f.requests = append(f.requests, request)
	return f.program(ctx, request)
}

func (f *fakeNative) Close() error {
	f.closed++
	return nil
}

// returns makes a program that ends at once.
func returns(result *protocol.ExecuteResult, err error) *fakeNative {
	return &fakeNative{program: func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		return result, err
	}}
}

// calling makes a program that makes one call and returns the envelope's text as its value.
func calling(t *testing.T, provider, tool, argsJSON string) *fakeNative {
	return &fakeNative{program: func(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		text, err := request.Dispatch(ctx, provider, tool, argsJSON)
		if err != nil {
			t.Errorf("dispatch returned a Go error: %v", err)
		}
		return &protocol.ExecuteResult{Value: []byte(text)}, nil
	}}
}

func executeWith(t *testing.T, native *fakeNative, providers []Provider, options *ExecuteOptions) *Result {
	t.Helper()
	executor := New(native, nil)
	t.Cleanup(func() {
		if err := executor.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	result, err := executor.Execute(t.Context(), "async () => 1", providers, options)
	if err != nil {
		t.Fatalf("Execute: %v", err)
	}
	return result
}
