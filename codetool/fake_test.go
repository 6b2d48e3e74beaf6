package codetool

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

// fakeExecutor runs Go functions in place of programs: each request takes the next of programs.
type fakeExecutor struct {
	programs []program
	requests []*protocol.ExecuteRequest
}

type program func(call caller) *protocol.ExecuteResult

// caller makes one tool call as a program does: the result's JSON, or the error that the program sees thrown.
type caller func(namespace, tool, argsJSON string) (string, error)

func (f *fakeExecutor) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	next := f.programs[min(len(f.requests), len(f.programs)-1)]
	f.requests = append(f.requests, request)
	if err := protocol.ValidateProviders(request.Providers); err != nil {
		return nil, err
	}
	return next(func(namespace, tool, argsJSON string) (string, error) {
		text, err := request.Dispatch(ctx, namespace, tool, argsJSON)
		if err != nil {
			return "", err
		}
		envelope, err := protocol.ParseEnvelope(text)
		if err != nil {
			return "", err
		}
		if envelope.Error != nil {
			return "", errors.New(*envelope.Error)
		}
		return string(envelope.Result), nil
	}), nil
}

func (f *fakeExecutor) Close() error { return nil }

// ends is a program that ends with a result.
func ends(result protocol.ExecuteResult) program {
	return func(caller) *protocol.ExecuteResult { return &result }
}

func newTestTool(t testing.TB, options *Options, providers []Provider, programs ...program) (*Tool, *fakeExecutor) {
	t.Helper()
	executor := &fakeExecutor{programs: programs}
	tool := NewTool(executor, providers, options)
	t.Cleanup(func() {
		if err := tool.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return tool, executor
}

// callOnce runs a program that makes one call, and returns what the program got.
func callOnce(t *testing.T, options *Options, providers []Provider, namespace, tool, argsJSON string) (result string, err error) {
	t.Helper()
	codetool, _ := newTestTool(t, options, providers, func(call caller) *protocol.ExecuteResult {
		result, err = call(namespace, tool, argsJSON)
		return &protocol.ExecuteResult{}
	})
	if _, failed := codetool.Call(t.Context(), "async () => {}"); failed != nil {
		t.Fatalf("Call: %v", failed)
	}
	return result, err
}

// echoTool answers with its argument object.
func echoTool(name, inputSchema string) RawTool {
	return RawTool{Name: name, InputSchema: json.RawMessage(inputSchema), Call: func(_ context.Context, args json.RawMessage) (any, error) {
		return args, nil
	}}
}

func echoTools(names ...string) []RawTool {
	tools := make([]RawTool, len(names))
	for i, name := range names {
		tools[i] = echoTool(name, "")
	}
	return tools
}
