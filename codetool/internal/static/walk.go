package static

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// walker follows the main path to the first fault on it.
type walker struct {
	names    Names
	facts    *facts
	followed map[followed]bool // so that one that calls itself, or is called again, is not followed again

	// over is set where the path may have left the function, or the loop, that is being followed: what comes after is not
	// certain any more.
	over  bool
	fault *Fault
	place file.Idx
}

// followed is a call that has nothing to find that it had not the first time.
type followed struct {
	function ast.Expression
	awaited  bool
}

// done reports whether there is nothing more to find.
func (w *walker) done() bool { return w.over || w.fault != nil }

func (w *walker) found(fault Fault, place file.Idx) {
	if !w.done() {
		w.fault, w.place = &fault, place
	}
}

// call follows a function that is called here. A rejection of what it returns ends the program when it is awaited.
func (w *walker) call(function ast.Expression, awaited bool) {
	one := followed{function, awaited}
	if w.done() || w.followed[one] {
		return
	}
	w.followed[one] = true
	switch f := function.(type) {
	case *ast.ArrowFunctionLiteral:
		if f.Async && !awaited {
			return // what it throws is a promise's
		}
		switch body := f.Body.(type) {
		case *ast.ExpressionBody:
			w.value(body.Expression, awaited)
		case *ast.BlockStatement:
			w.body(body, awaited)
		}
	case *ast.FunctionLiteral:
		if f.Generator || f.Async && !awaited {
			return
		}
		w.body(f.Body, awaited)
	}
}

func (w *walker) body(block *ast.BlockStatement, awaited bool) {
	w.statements(block.List, awaited)
	w.over = false // whatever left the function, its caller goes on
}

// value is an expression whose value is awaited, or is not.
func (w *walker) value(e ast.Expression, awaited bool) {
	if awaited {
		w.await(e)
	} else {
		w.expression(e)
	}
}

// await is an expression whose value is awaited on the main path: when that is a promise that rejects, the program ends.
func (w *walker) await(e ast.Expression) {
	if w.done() || e == nil {
		return
	}
	switch e := e.(type) {
	case *ast.CallExpression:
		w.awaitCall(e)
	case *ast.AwaitExpression:
		w.await(e.Argument)
	case *ast.AssignExpression:
		if e.Operator == token.ASSIGN {
			w.await(e.Right)
			return
		}
		w.expression(e)
	case *ast.SequenceExpression:
		last := len(e.Sequence) - 1
		w.expressions(e.Sequence[:last])
		w.await(e.Sequence[last])
	default:
		w.expression(e)
	}
}

func (w *walker) awaitCall(call *ast.CallExpression) {
	if f := w.functionOf(call.Callee); f != nil {
		w.expressions(call.ArgumentList)
		w.call(f, true)
		return
	}
	callee, ok := call.Callee.(*ast.DotExpression)
	if !ok {
		w.expression(call)
		return
	}
	object, isName := callee.Left.(*ast.Identifier)
	member := callee.Identifier.Name.String()
	switch {
	case isName && w.isNamespace(object.Name.String()):
		w.expressions(call.ArgumentList)
		if !w.names.Tool(object.Name.String(), member) {
			w.found(Fault{Namespace: object.Name.String(), Name: member}, callee.Identifier.Idx)
		}
	case isName && object.Name == "Promise" && member == "all" && !w.facts.declared["Promise"] && !w.facts.changed["Promise"] && len(call.ArgumentList) == 1:
		list, ok := call.ArgumentList[0].(*ast.ArrayLiteral)
		if !ok {
			w.expression(call)
			return
		}
		for _, item := range list.Value {
			w.await(item)
		}
	case member == "then" && len(call.ArgumentList) < 2 && !hasSpread(call.ArgumentList), member == "finally":
		w.await(callee.Left)
		w.expressions(call.ArgumentList)
	default:
		w.expression(call)
	}
}

func hasSpread(list []ast.Expression) bool {
	return slices.ContainsFunc(list, func(e ast.Expression) bool { _, is := e.(*ast.SpreadElement); return is })
}

// functionOf is the function of the program that a call calls for certain.
func (w *walker) functionOf(callee ast.Expression) ast.Expression {
	if name, ok := callee.(*ast.Identifier); ok {
		return w.facts.functions[name.Name.String()]
	}
	if isFunction(callee) {
		return callee
	}
	return nil
}

// isNamespace reports whether a name is a namespace wherever it stands.
func (w *walker) isNamespace(name string) bool {
	return w.names.Namespace(name) && !w.facts.declared[name] && !w.facts.changed[name]
}

func (w *walker) expressions(list []ast.Expression) {
	for _, e := range list {
		w.expression(e)
	}
}

// expression is one that is evaluated on the main path. What it does not have to evaluate is left out.
func (w *walker) expression(e ast.Expression) {
	if w.done() || e == nil {
		return
	}
	switch e := e.(type) {
	case *ast.Identifier:
		w.read(e)
	case *ast.AwaitExpression:
		w.await(e.Argument)
	case *ast.YieldExpression:
		w.over = true
	case *ast.CallExpression:
		w.expression(e.Callee)
		w.expressions(e.ArgumentList)
		if f := w.functionOf(e.Callee); f != nil {
			w.call(f, false)
		}
	case *ast.NewExpression:
		w.expression(e.Callee)
		w.expressions(e.ArgumentList)
	case *ast.DotExpression:
		w.expression(e.Left)
	case *ast.BracketExpression:
		w.expression(e.Left)
		w.expression(e.Member)
	case *ast.OptionalChain:
		w.expression(optionalBase(e.Expression))
	case *ast.AssignExpression:
		w.assign(e)
	case *ast.BinaryExpression:
		w.expression(e.Left)
		if e.Operator != token.LOGICAL_AND && e.Operator != token.LOGICAL_OR && e.Operator != token.COALESCE {
			w.expression(e.Right)
		}
	case *ast.UnaryExpression:
		if _, isName := e.Operand.(*ast.Identifier); !isName || e.Operator != token.TYPEOF {
			w.expression(e.Operand)
		}
	case *ast.ConditionalExpression:
		w.expression(e.Test)
	case *ast.SequenceExpression:
		w.expressions(e.Sequence)
	case *ast.ArrayLiteral:
		w.expressions(e.Value)
	case *ast.SpreadElement:
		w.expression(e.Expression)
	case *ast.ObjectLiteral:
		w.properties(e.Value)
	case *ast.TemplateLiteral:
		w.expression(e.Tag)
		w.expressions(e.Expressions)
	}
}

// read is a variable whose value is asked for.
func (w *walker) read(e *ast.Identifier) {
	name := e.Name.String()
	if !w.facts.declared[name] && !w.facts.changed[name] && !w.names.Namespace(name) && w.names.Missing(name) {
		w.found(Fault{Name: name}, e.Idx)
	}
}

// assign is an assignment. The parts of a pattern, and the right side of &&= and its like, may go unevaluated.
func (w *walker) assign(e *ast.AssignExpression) {
	switch left := e.Left.(type) {
	case *ast.DotExpression:
		w.expression(left.Left)
	case *ast.BracketExpression:
		w.expression(left.Left)
		w.expression(left.Member)
	}
	if e.Operator != token.LOGICAL_AND && e.Operator != token.LOGICAL_OR && e.Operator != token.COALESCE {
		w.expression(e.Right)
	}
}

func (w *walker) properties(list []ast.Property) {
	for _, p := range list {
		switch p := p.(type) {
		case *ast.PropertyShort:
			w.read(&p.Name)
		case *ast.PropertyKeyed:
			if p.Computed {
				w.expression(p.Key)
			}
			w.expression(p.Value)
		case *ast.SpreadElement:
			w.expression(p.Expression)
		}
	}
}

// optionalBase is the part of an optional chain that is evaluated whatever it finds: what stands before the first "?.".
func optionalBase(e ast.Expression) ast.Expression {
	var base ast.Expression
	for e != nil {
		switch n := e.(type) {
		case *ast.Optional:
			base, e = n.Expression, n.Expression
		case *ast.DotExpression:
			e = n.Left
		case *ast.PrivateDotExpression:
			e = n.Left
		case *ast.BracketExpression:
			e = n.Left
		case *ast.CallExpression:
			e = n.Callee
		default:
			e = nil
		}
	}
	return base
}
