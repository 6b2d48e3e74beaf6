package main

import (
	"context"
	"log"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/examples/agent-loop/agent"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
)

func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// The model was told:
	// Execute code to achieve a goal.
	//
	// Available:
	// type ListUsersInput = {}
	// type ListUsersOutput = {
	//     id: string;
	//     name: string;
	// }[]
	// type ListOrdersInput = {
	//     /** The id of the user whose orders to return. */
	//     userId: string;
	// }
	// type ListOrdersOutput = {
	//     id: string;
	//     userId: string;
	//     total: number;
	//     status: string;
	// }[]
	//
	// declare const codemode: {
	// 	/**
	// 	 * Every user this host knows about.
	// 	 */
	// 	listUsers: (input: ListUsersInput) => Promise<ListUsersOutput>;
	//
	// 	/**
	// 	 * Orders belonging to one user.
	// 	 * @param input.userId - The id of the user whose orders to return.
	// 	 */
	// 	listOrders: (input: ListOrdersInput) => Promise<ListOrdersOutput>;
	// }
	//
	// Write an async arrow function in JavaScript that returns the result.
	// Do NOT use TypeScript syntax — no type annotations, interfaces, or generics.
	// Do NOT define named functions then call them — just write the arrow function body directly.
	//
	// Example: async () => { const r = await codemode.searchWeb({ query: "test" }); return r; }
	//
	// Its program came back as: {"result":42}
	// It answered: Ada has 42 in shipped orders.
}

// newTool is the tool of run, for conversations of a test's own.
func newTool(t *testing.T) *codetool.Tool {
	t.Helper()
	pool, err := executor.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	tool := codetool.NewTool(pool, []codetool.Provider{agent.Shop()}, nil)
	t.Cleanup(func() { tool.Close() })
	return tool
}

// What a model reads of programs that fail, in its next turn.
func TestFailuresAreResults(t *testing.T) {
	programs := []string{
		"async () => codemode.listInvoices()",
		"async () => codemode.listOrders({ userId: 1 })",
		"console.warn('careful'); throw new Error('broken')",
	}
	model := &agent.Scripted{}
	for _, program := range programs {
		model.Turns = append(model.Turns, agent.Turn{Calls: []agent.Call{{ID: program[:5], Code: program}}})
	}
	model.Turns = append(model.Turns, agent.Turn{Text: "I give up."})
	answer, messages, err := agent.Run(t.Context(), model, newTool(t), "Break something.", 4)
	if err != nil || answer != "I give up." {
		t.Fatalf("answer %q, %v", answer, err)
	}
	var got []string
	for _, message := range messages {
		if message.Result != nil {
			if !message.Result.IsError {
				t.Errorf("%q is no error", message.Result.Text)
			}
			got = append(got, message.Result.Text)
		}
	}
	want := []string{
		`Error: Code execution failed: Tool "listInvoices" not found`,
		"Error: Code execution failed: Invalid arguments for codemode.listOrders:\n- userId: expected string, got 1",
		"Error: Code execution failed: broken\n\nConsole output:\n[warn] careful",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A loop of one step ends with the program's result, which the model never saw.
func TestOneStepStopsShort(t *testing.T) {
	model := &agent.Scripted{Turns: []agent.Turn{{Calls: []agent.Call{{ID: "call-1", Code: program}}}}}
	answer, messages, err := agent.Run(t.Context(), model, newTool(t), "What did Ada spend?", 1)
	if err != nil {
		t.Fatal(err)
	}
	last := messages[len(messages)-1].Result
	if answer != "" || last == nil || last.Text != `{"result":42}` {
		t.Errorf("answer %q after %+v", answer, last)
	}
}
