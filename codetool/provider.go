package codetool

import (
	"context"
	"encoding/json"
)

// DefaultNamespace is what a provider without a name goes under.
const DefaultNamespace = "codemode"

// Provider is a list of tools under one namespace.
type Provider struct {
	// Name is the namespace, or any text to make one of, such as an MCP server's name; empty is DefaultNamespace.
	Name string
	// Tools in the order they are declared in. Of two with the same name the first holds.
	Tools []RawTool
	// Withheld are tools that are there but may not be called. They are nowhere declared and not found by search.
	Withheld []Withheld
	// Types replaces the generated declarations when it is not empty.
	Types string
	// Note is printed as a comment above the declarations; empty prints nothing.
	Note string
	// Instructions is what the provider says of itself, such as an MCP server's instructions. The compact description has
	// a line of it.
	Instructions string
}

// Withheld is a tool that programs may not call.
type Withheld struct {
	// Name is free-form.
	Name string
	// Refuse is asked when a program calls it all the same. args is what it would have been called with, not validated; the
	// error is thrown at the call site.
	Refuse func(ctx context.Context, args json.RawMessage) error
}

// RawTool is one function a program may call, described as an MCP server or a host describes it.
type RawTool struct {
	// Name is free-form.
	Name string
	// Title stands in for an empty Description.
	Title, Description string
	// InputSchema and OutputSchema are JSON Schemas, of the draft their $schema says, else 2020-12. Absent means
	// anything.
	InputSchema, OutputSchema json.RawMessage
	// NeedsApproval leaves the tool out, unless Options.Approve is there to be asked.
	NeedsApproval bool
	// Call runs the tool. args is one JSON object, digits and key order as the program sent them. What it returns goes
	// through protocol.EncodeValue: a json.RawMessage is data and passes with its bytes as they are,
	// protocol.Undefined is undefined. An error is thrown at the call site with its text. Calls of one program arrive
	// concurrently; ctx ends when the program is given up.
	Call func(ctx context.Context, args json.RawMessage) (any, error)
}

// Call is one call that a program is about to make.
type Call struct {
	// Provider and Tool are the names as the host gave them.
	Provider, Tool string
	// Namespace and Identifier are what programs call them.
	Namespace, Identifier string
	// Arguments is the argument object.
	Arguments json.RawMessage
}
