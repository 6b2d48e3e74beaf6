//go:build cgo && (linux || darwin)

package codetool_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/executor"
)

// mathTool is one Go function as a tool, over a pool of this machine.
func mathTool(options *codetool.Options) *codetool.Tool {
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	type input struct {
		A int `json:"a" jsonschema_description:"The first summand."`
		B int `json:"b"`
	}
	add := codetool.Func("add", "Adds two numbers.", func(_ context.Context, in input) (int, error) { return in.A + in.B, nil })
	return codetool.NewTool(pool, []codetool.Provider{{Name: "math", Tools: []codetool.RawTool{add}}}, options)
}

// What the model reads, and what one of its programs makes of it.
func ExampleNewTool() {
	tool := mathTool(nil)
	defer tool.Close()
	description := tool.Description()
	fmt.Println(description[strings.Index(description, "type AddInput"):strings.Index(description, "\n\nWrite")])

	outcome, err := tool.Call(context.Background(), "const sum = await math.add({a: 40, b: 2})\nconsole.log({ sum })\nsum")
	if err != nil {
		log.Fatal(err) // the executor failed
	}
	envelope, err := outcome.Envelope()
	fmt.Println(string(envelope), err)
	// Output:
	// type AddInput = {
	//     /** The first summand. */
	//     a: number;
	//     b: number;
	// }
	// type AddOutput = number
	//
	// declare const math: {
	// 	/**
	// 	 * Adds two numbers.
	// 	 * @param input.a - The first summand.
	// 	 */
	// 	add: (input: AddInput) => Promise<AddOutput>;
	// }
	// {"result":42,"logs":["{ sum: 42 }"]} <nil>
}

// A program that fails is an outcome, worded for the model that wrote it.
func ExampleTool_Call_failure() {
	tool := mathTool(nil)
	defer tool.Close()
	for _, code := range []string{
		"async () => math.add({ a: 40, b: 'two' })",
		"async () => math.ad({ a: 40, b: 2 })",
		"async () => {\n  return mat.add({ a: 40, b: 2 })\n}",
	} {
		outcome, err := tool.Call(context.Background(), code)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(outcome.Failure)
	}
	// Output:
	// Error: Invalid arguments for math.add:
	// - b: expected integer, got "two"
	// Error: Tool "ad" not found (line 1:18)
	//   1 | async () => math.ad({ a: 40, b: 2 })
	//     |                  ^
	// math has add.
	// Nothing was run.
	// ReferenceError: mat is not defined (line 2:10); did you mean `math.add`?
	//   2 |   return mat.add({ a: 40, b: 2 })
	//     |          ^
}

// Authorize is asked before each call, with the arguments that passed their schema.
func ExampleOptions_authorize() {
	tool := mathTool(&codetool.Options{Authorize: func(_ context.Context, call codetool.Call) error {
		fmt.Printf("asked: %s.%s %s\n", call.Provider, call.Tool, call.Arguments)
		return errors.New("not today")
	}})
	defer tool.Close()
	outcome, err := tool.Call(context.Background(), "math.add({a: 40, b: 2})")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.ErrorText())
	// Output:
	// asked: math.add {"a":40,"b":2}
	// Code execution failed: not today
}

// The functions change; running programs keep those they started with.
func ExampleTool_With() {
	tool := mathTool(nil)
	defer tool.Close()
	now := codetool.Func("now", "The time.", func(context.Context, struct{}) (string, error) { return "noon", nil })
	changed := tool.With([]codetool.Provider{{Name: "clock", Tools: []codetool.RawTool{now}}})
	outcome, err := changed.Call(context.Background(), "clock.now()")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(outcome.Value))
	// Output:
	// "noon"
}

// A long value is cut where it is longest, and says so.
func ExampleResponseText() {
	text, cut, err := codetool.ResponseText([]byte(`{"id":7,"body":"`+strings.Repeat("lorem ", 100)+`"}`), 200)
	fmt.Println(text, cut, err)
	// Output:
	// {"id":7,"body":"lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lorem lore --- TRUNCATED --- 600 chars"} true <nil>
}
