// Command watch-dispatch puts a watcher around an executor.
//
// One learns that every tool call of a program is three strings that cross to the host (namespace, function, the
// arguments as one JSON array) and one envelope that crosses back; and that wrapping [protocol.Executor] is how a host
// sees, times, counts, changes or refuses them, whatever runs the program and whatever dialect stands above it.
//
//	go run ./examples/watch-dispatch
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"sync"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/protocol"
)

// program calls a function that there is, and one that there is not.
//
//go:embed program.js
var program string

// watched is an executor that writes a line before and after each tool call of the programs it hands on.
type watched struct {
	protocol.Executor
	mu  sync.Mutex // calls of one program come concurrently
	out io.Writer
}

// Execute hands the request on with a dispatch of its own in front of the caller's.
func (w *watched) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	if request.Dispatch == nil {
		return w.Executor.Execute(ctx, request)
	}
	inner := request.Dispatch
	changed := *request // the caller's request stays as it is
	changed.Dispatch = func(ctx context.Context, provider, tool, argsJSON string) (string, error) {
		w.say("→", provider, tool, argsJSON)
		envelope, err := inner(ctx, provider, tool, argsJSON)
		w.say("←", provider, tool, envelope)
		return envelope, err
	}
	return w.Executor.Execute(ctx, &changed)
}

func (w *watched) say(parts ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintln(w.out, parts...)
}

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	pool, err := executor.New(&executor.Options{Outbound: protocol.BlockOutbound()})
	if err != nil {
		return err
	}
	host := dialect.New(&watched{Executor: pool, out: out}, nil)
	defer host.Close() // and with it the pool
	result, err := host.Execute(ctx, program, []dialect.Provider{{Name: "codemode", Functions: []dialect.Function{{Name: "listOrders", Call: listOrders}}}}, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "value: %s\n", result.Value)
	return nil
}

func listOrders(_ context.Context, args []json.RawMessage) (any, error) {
	return []map[string]any{{"id": "o1", "total": 42}, {"id": "o2", "total": 7}}, nil
}
