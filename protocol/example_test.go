package protocol_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// A caller's functions behind the one dispatch that an ExecuteRequest carries. Each answer is an envelope's text.
func ExampleNewEnvelopeDispatch() {
	add := func(_ context.Context, tool, argsJSON string) (json.RawMessage, error) {
		if tool != "add" {
			return nil, &protocol.ToolNotFoundError{Tool: tool}
		}
		var args []struct{ A, B float64 }
		if err := json.Unmarshal([]byte(argsJSON), &args); err != nil {
			return nil, err
		}
		return json.Marshal(args[0].A + args[0].B)
	}
	guard := &protocol.CompletionGuard{}
	dispatch := protocol.NewEnvelopeDispatch(map[string]protocol.Handler{"math": add}, guard)

	ask := func(provider, tool, args string) {
		envelope, _ := dispatch(context.Background(), provider, tool, args) // its error is always nil
		fmt.Println(envelope)
	}
	ask("math", "add", `[{"a":40,"b":2}]`)
	ask("math", "subtract", `[]`)
	ask("physics", "add", `[]`)
	guard.Complete()
	ask("math", "add", `[{"a":40,"b":2}]`)
	// Output:
	// {"result":42}
	// {"error":"Tool \"subtract\" not found"}
	// {"error":"Tool \"add\" not found"}
	// {"error":"Execution has already completed"}
}

func ExampleParseEnvelope() {
	answered, _ := protocol.ParseEnvelope(`{"result":{"id":1}}`)
	failed, _ := protocol.ParseEnvelope(`{"error":"no such user"}`)
	fmt.Println(string(answered.Result))
	fmt.Println(*failed.Error)
	fmt.Println(protocol.Envelope{}.Text(), "is undefined")
	// Output:
	// {"id":1}
	// no such user
	// {} is undefined
}

// An Error has a code that survives the wire and says whether trying again is safe.
func ExampleError() {
	var err error = protocol.Errorf(protocol.CodeQueueFull, "the queue is full: %d requests wait", 256)
	var ours *protocol.Error
	if errors.As(err, &ours) {
		fmt.Println(ours.Code, ours.Retryable, ours)
	}
	fmt.Println(errors.Is(err, protocol.CodeQueueFull), errors.Is(err, protocol.CodePoolClosed))
	// Output:
	// QUEUE_FULL true the queue is full: 256 requests wait
	// true false
}

func ExampleValidateProviders() {
	for _, name := range []string{"github", "my-api", "class", "console"} {
		fmt.Println(protocol.ValidateProviders([]protocol.ProviderDescriptor{{Name: name}}))
	}
	// Output:
	// <nil>
	// providers[0].name: "my-api" is not an identifier; use letters, digits, _ and $ (ASCII), not starting with a digit
	// providers[0].name: "class" is a reserved word of JavaScript and cannot name a namespace
	// providers[0].name: "console" is already bound in every program's scope; choose another name for this namespace
}

// Values cross as JSON, and bytes as a tagged object.
func ExampleEncodeValue() {
	raw, err := protocol.EncodeValue(map[string]any{"name": "ada.png", "bytes": []byte{1, 2, 3}})
	fmt.Println(string(raw), err)

	back, err := protocol.DecodeValue(raw)
	fmt.Println(back, err)
	// Output:
	// {"bytes":{"__codemode_binary_v1__":"Uint8Array","data":"AQID"},"name":"ada.png"} <nil>
	// [{bytes [1 2 3]} {name ada.png}] <nil>
}

func ExampleTimeout_Resolve() {
	fallback, maximum := time.Minute, 30*time.Minute
	for _, timeout := range []protocol.Timeout{{}, protocol.TimeoutOf(5 * time.Second), protocol.MaximumTimeout(), protocol.TimeoutOf(0)} {
		fmt.Println(timeout.Resolve(fallback, maximum))
	}
	// Output:
	// 1m0s <nil>
	// 5s <nil>
	// 30m0s <nil>
	// 0s timeout must be greater than 0 ms, got 0s
}

// A request tightens the limits of its executor and never loosens them.
func ExampleLimits_Tighten() {
	base := protocol.DefaultLimits()
	limits, err := base.Tighten(protocol.Limits{ToolCalls: 20})
	fmt.Println(limits.ToolCalls, limits.Memory, err)

	_, err = base.Tighten(protocol.Limits{Memory: 1 << 30})
	fmt.Println(err)
	// Output:
	// 20 134217728 <nil>
	// limits.memory can only tighten the executor's 134217728, got 1073741824
}

// Programs may throw texts that only begin as a timeout does.
func ExampleMatchesExecutionTimeout() {
	ours := &protocol.ExecutionTimeoutError{Timeout: 5 * time.Second}
	fmt.Println(ours, protocol.MatchesExecutionTimeout(ours.Error()))
	fmt.Println(protocol.MatchesExecutionTimeout("Execution timed out waiting for the vendor API"))
	// Output:
	// Execution timed out at its 5000 ms bound. Do less work per run and return the part that is already finished. true
	// false
}

func ExampleSeparateImports() {
	imports, body := protocol.SeparateImports("import { sum } from 'lib.js'\nasync () => sum(40, 2)")
	fmt.Printf("%q\n%q\n", imports, body)
	// Output:
	// "import { sum } from 'lib.js'"
	// "\nasync () => sum(40, 2)"
}

func ExampleCheckVersion() {
	fmt.Println(protocol.CheckVersion(protocol.Version, protocol.Version))
	fmt.Println(protocol.CheckVersion(1, 2))
	// Output:
	// <nil>
	// Executor protocol mismatch: client speaks v1, server speaks v2
}
