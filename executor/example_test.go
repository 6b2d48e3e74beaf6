//go:build cgo && (linux || darwin)

package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// A program that embeds the package begins its main with worker.Main(), since workers are started from its own binary
// (these examples have that in TestMain).
func ExampleNew() {
	pool, err := executor.New(&executor.Options{Workers: 1, Outbound: protocol.BlockOutbound()})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	result, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: `async () => 6 * 7`})
	if err != nil {
		log.Fatal(err) // we failed
	}
	fmt.Printf("%s %v\n", result.Value, result.Failure)
	// Output:
	// 42 <nil>
}

// Tool calls come back to the dispatch, one JSON array of arguments each.
func ExamplePool_Execute() {
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	result, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{
		Code: `async () => {
  const orders = await api.listOrders({ userId: 'u1' })
  console.warn(orders.length, 'orders')
  return orders.reduce((sum, order) => sum + order.total, 0)
}`,
		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"listOrders"}}},
		Dispatch: func(_ context.Context, provider, tool, argsJSON string) (string, error) {
			fmt.Println("host:", provider, tool, argsJSON)
			return `{"result":[{"total":42},{"total":7}]}`, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("value %s\n", result.Value)
	fmt.Println("log:", result.Logs[0].Level, result.Logs[0].Text)
	fmt.Println("ledger:", result.Calls[0].Provider, result.Calls[0].Tool, result.Calls[0].Outcome)
	// Output:
	// host: api listOrders [{"userId":"u1"}]
	// value 49
	// log: warn 2 orders
	// ledger: api listOrders completed
}

// A program that fails is data in the result; positions are those of the text that was sent.
func ExamplePool_Execute_failure() {
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	run := func(request *protocol.ExecuteRequest) *protocol.Failure {
		result, err := pool.Execute(context.Background(), request)
		if err != nil {
			log.Fatal(err)
		}
		return result.Failure
	}

	thrown := run(&protocol.ExecuteRequest{Code: "async () => {\n  return missing.length\n}"})
	fmt.Printf("%s: %s: %s (line %d:%d)\n", thrown.Kind, thrown.Name, thrown.Message, thrown.Position.Line, thrown.Position.Column)

	endless := run(&protocol.ExecuteRequest{Code: `async () => { for (;;) {} }`, Timeout: protocol.TimeoutOf(100 * time.Millisecond)})
	fmt.Printf("%s: %s\n", endless.Kind, endless.Message)

	greedy := run(&protocol.ExecuteRequest{
		Code:      `async () => { for (;;) await api.next() }`,
		Dispatch:  func(context.Context, string, string, string) (string, error) { return `{}`, nil },
		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"next"}}},
		Limits:    protocol.Limits{ToolCalls: 3},
	})
	fmt.Printf("%s: %s = %d\n", greedy.Kind, greedy.Limit, greedy.LimitValue)
	// Output:
	// thrown: ReferenceError: missing is not defined (line 2:3)
	// timeout: Execution timed out at its 100 ms bound. Do less work per run and return the part that is already finished.
	// limit: toolCalls = 3
}

// Every request of the program's fetch comes to a function of the host, which may answer, change or refuse it.
func ExamplePool_Execute_outbound() {
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	onlyDocs := func(_ context.Context, request *http.Request) (*http.Response, error) {
		if request.URL.Host != "docs.example" {
			return nil, fmt.Errorf("%s is not on the list", request.URL.Host)
		}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("hello"))}, nil
	}
	result, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{
		Code: `async () => {
  const text = await (await fetch('https://docs.example/')).text()
  const refused = await fetch('https://intranet.example/').catch((error) => error.message)
  return [text, refused]
}`,
		Outbound: protocol.OutboundVia(onlyDocs),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", result.Value)
	// Output:
	// ["hello","intranet.example is not on the list"]
}

// Modules are the only source that import reaches beside what the platform has. TypeScript is stripped.
func ExamplePool_Execute_modules() {
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	result, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{
		Code:    "import { sum } from 'math.ts'\nasync () => sum(40, 2)",
		Modules: map[string]string{"math.ts": "export function sum(a: number, b: number): number { return a + b }"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", result.Value)
	// Output:
	// 42
}

// A retained run keeps its isolate, so that functions in its result stay callable.
func ExamplePool_InvokeHandle() {
	ctx := context.Background()
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	counter, err := pool.Execute(ctx, &protocol.ExecuteRequest{
		Code:          `async () => { let n = 0; return { next: (by) => n += by } }`,
		RetainHandles: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.CloseHandles(ctx, counter.ExecutionID)
	value, err := protocol.DecodeValue(counter.Value)
	if err != nil {
		log.Fatal(err)
	}
	next, _ := value.(protocol.Object).Get("next")
	for range 2 {
		result, err := pool.InvokeHandle(ctx, &protocol.InvokeRequest{
			ExecutionID: counter.ExecutionID, HandleID: int64(next.(protocol.Handle)), Args: []json.RawMessage{[]byte("21")},
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", result.Value)
	}
	// Output:
	// 21
	// 42
}
