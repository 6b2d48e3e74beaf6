// Command agent-loop is an agent with one tool, from the Go functions behind it to the answer.
//
// One learns how Go functions become tools, what a model reads about them, what its program comes back as, and how a
// loop around that is tested without a key. The model here is scripted; providers/ has the same loop over Anthropic's
// and OpenAI's Go SDKs.
//
//	go run ./examples/agent-loop
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/examples/agent-loop/agent"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/protocol"
)

// program is what a model wrote when it was asked.
//
//go:embed program.js
var program string

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	// Blocked is the whole network policy of this host: left out, a program may reach what this machine can.
	pool, err := executor.New(&executor.Options{Outbound: protocol.BlockOutbound()})
	if err != nil {
		return err
	}
	tool := codetool.NewTool(pool, []codetool.Provider{agent.Shop()}, nil)
	defer tool.Close()

	model := &agent.Scripted{Turns: []agent.Turn{
		{Calls: []agent.Call{{ID: "call-1", Code: program}}},
		{Text: "Ada has 42 in shipped orders."},
	}}
	answer, messages, err := agent.Run(ctx, model, tool, "What did Ada spend on shipped orders?", 4)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The model was told:\n%s\n\n", model.Specs[0].Description)
	fmt.Fprintf(out, "Its program came back as: %s\n", messages[2].Result.Text)
	fmt.Fprintf(out, "It answered: %s\n", answer)
	return nil
}
