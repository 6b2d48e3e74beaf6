// Command providers is the agent of agent-loop over real models: Anthropic's and OpenAI's Go SDKs behind agent.Model.
//
// One learns what each API wants of the one tool: how it is declared, how a call arrives, and how a result, and a
// failure, go back. It is a module of its own because of what the SDKs weigh; nothing else of codemode needs them.
//
//	cd examples/agent-loop/providers
//	ANTHROPIC_API_KEY=… go run . anthropic MODEL "What did Ada spend on shipped orders?"
//	OPENAI_API_KEY=…    go run . openai    MODEL "What did Ada spend on shipped orders?"
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/examples/agent-loop/agent"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
)

// steps bounds the turns of the model: a program, a better one, and an answer, with some to spare.
const steps = 8

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	if len(os.Args) != 4 {
		log.Fatal("usage: providers anthropic|openai MODEL PROMPT")
	}
	var model agent.Model
	switch os.Args[1] {
	case "anthropic":
		model = newAnthropic(os.Args[2])
	case "openai":
		model = newOpenAI(os.Args[2])
	default:
		log.Fatalf("there is no provider %q: anthropic or openai", os.Args[1])
	}
	answer, err := ask(context.Background(), model, os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}

// ask runs one conversation over the shop of agent-loop.
func ask(ctx context.Context, model agent.Model, prompt string) (string, error) {
	pool, err := executor.New(nil)
	if err != nil {
		return "", err
	}
	tool := codetool.NewTool(pool, []codetool.Provider{agent.Shop()}, nil) // it blocks the network of programs
	defer tool.Close()
	answer, _, err := agent.Run(ctx, model, tool, prompt, steps)
	return answer, err
}
