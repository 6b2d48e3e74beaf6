package codetool

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"
)

// The bounds of one evaluation. The cost is CEL's own measure, about one an operation: a condition is a line or two, and
// arguments can be megabytes.
const (
	expressionCost  = 1_000_000
	interruptsEvery = 1000
)

// environment is the language of conditions. It is made when the first is compiled, and not before: every worker process
// runs this binary, too.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(ext.Strings(),
		cel.Variable("args", cel.DynType),
		cel.Variable("server", cel.StringType),
		cel.Variable("tool", cel.StringType),
		cel.Variable("calledServer", cel.StringType),
		cel.Variable("calledTool", cel.StringType),
		cel.Variable("readOnly", cel.BoolType),
		cel.Variable("destructive", cel.BoolType),
	)
})

// compileExpression reads a condition, which has to be a boolean.
func compileExpression(text string) (expression, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, fmt.Errorf("is no CEL expression: %s (in its line %d, column %d)", first.Message, first.Location.Line(), first.Location.Column()+1)
	}
	if kind := ast.OutputType(); kind != cel.BoolType && kind != cel.DynType {
		return nil, fmt.Errorf("must be true or false, is a value of type %s", kind)
	}
	program, err := env.Program(ast, cel.CostLimit(expressionCost), cel.InterruptCheckFrequency(interruptsEvery))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, call *Call, hints Hints) (bool, error) {
		args, err := argumentsOf(call.Arguments)
		if err != nil {
			return false, err
		}
		value, _, err := program.ContextEval(ctx, map[string]any{
			"args": args, "server": call.Provider, "tool": call.Tool, "calledServer": cmp.Or(call.Namespace, call.Provider), "calledTool": cmp.Or(call.Identifier, call.Tool),
			"readOnly": hints.readOnly(), "destructive": hints.destructive(),
		})
		if err != nil {
			return false, err
		}
		holds, ok := value.Value().(bool)
		if !ok {
			return false, fmt.Errorf("it is no boolean but %s", value.Type().TypeName())
		}
		return holds, nil
	}, nil
}
