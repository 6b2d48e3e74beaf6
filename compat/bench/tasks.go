package bench

import "encoding/json"

// task is one program to measure.
type task struct {
	name, code string
	// times is how many runs make one measurement.
	times int
}

// request is the task in the case format.
func (t task) request() []byte {
	text, err := json.Marshal(map[string]any{
		"name": t.name, "code": t.code, "options": map[string]any{"timeout": 60_000},
		"providers": []any{map[string]any{"name": "codemode", "tools": map[string]any{
			"echo":  map[string]any{"kind": "echo"},
			"value": map[string]any{"kind": "value", "value": 1},
			"never": map[string]any{"kind": "never"},
		}}},
	})
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return text
}

func trivial() task { return task{"trivial program", "async () => 1", 5} }

func oneCall() task { return task{"one tool call", "async () => codemode.echo(1)", 5} }

func tasks() []task {
	return []task{
		trivial(),
		oneCall(),
		{"100 tool calls, one after the other", "async () => { for (let i = 0; i < 100; i++) await codemode.echo(i) }", 5},
		{"100 tool calls at once", "async () => { await Promise.all(Array.from({ length: 100 }, (_, i) => codemode.echo(i))) }", 5},
		{"result of 1 MB", "async () => 'x'.repeat(1 << 20)", 5},
		{"argument of 1 MB", "async () => codemode.value('x'.repeat(1 << 20))", 5},
	}
}

// busy computes for a third of a second or so, and never waits.
func busy() []byte {
	return task{code: "async () => { let x = 0; for (let i = 0; i < 3e8; i++) x += i & 1; return x }"}.request()
}

// waiting waits for a tool that never answers.
func waiting() []byte { return task{code: "async () => codemode.never()"}.request() }
