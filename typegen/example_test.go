package typegen_test

import (
	"encoding/json"
	"fmt"

	"github.com/codemode-go/codemode/typegen"
)

func listOrders() typegen.Tool {
	return typegen.Tool{
		Name:        "list-orders",
		Description: "Orders belonging to one user.",
		InputSchema: json.RawMessage(`{
			"type": "object",
			"properties": {"userId": {"type": "string", "description": "The id of the user whose orders to return."}},
			"required": ["userId"]
		}`),
		OutputSchema: json.RawMessage(`{"type": "array", "items": {"enum": ["shipped", "pending"]}}`),
	}
}

func ExampleGenerate() {
	fmt.Println(typegen.Generate("codemode", []typegen.Tool{listOrders()}))
	// Output:
	// type ListOrdersInput = {
	//     /** The id of the user whose orders to return. */
	//     userId: string;
	// }
	// type ListOrdersOutput = ("shipped" | "pending")[]
	//
	// declare const codemode: {
	// 	/**
	// 	 * Orders belonging to one user.
	// 	 * @param input.userId - The id of the user whose orders to return.
	// 	 */
	// 	list_orders: (input: ListOrdersInput) => Promise<ListOrdersOutput>;
	// }
}

// What of a schema cannot be printed costs that place its type and is named.
func ExampleBlock_warnings() {
	block := typegen.Generate("crm", []typegen.Tool{{
		Name:        "find",
		InputSchema: json.RawMessage(`{"type": "object", "properties": {"who": {"$ref": "https://example.com/person.json"}}}`),
	}})
	for _, warning := range block.Warnings {
		fmt.Printf("%s, %s: %s\n", warning.Tool, warning.Path, warning.Message)
	}
	// Output:
	// find, inputSchema/properties/who: $ref "https://example.com/person.json" leads to no schema of this document
}

// Blocks that a model reads together share no type name.
func ExampleGenerateAll() {
	tool := typegen.Tool{Name: "getUser", InputSchema: json.RawMessage(`{"type": "object"}`)}
	blocks := typegen.GenerateAll(typegen.Namespace{Name: "crm", Tools: []typegen.Tool{tool}}, typegen.Namespace{Name: "shop", Tools: []typegen.Tool{tool}})
	for _, block := range blocks {
		fmt.Println(block.Namespace + ":" + block.Tools[0].Signature)
	}
	// Output:
	// crm:	getUser: (input: GetUserInput) => Promise<GetUserOutput>;
	// shop:	getUser: (input: GetUser_2Input) => Promise<GetUser_2Output>;
}

// The short form, for descriptions that have a budget.
func ExampleGenerateCompactTool() {
	fmt.Println(typegen.GenerateCompactTool("codemode", listOrders()))
	// Output:
	// list_orders(input: { /** The id of the user whose orders to return. */ userId: string }): Promise<("shipped" | "pending")[]>;
}
