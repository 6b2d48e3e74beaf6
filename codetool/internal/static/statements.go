package static

import (
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

func (w *walker) statements(list []ast.Statement, awaited bool) {
	for _, s := range list {
		if w.done() {
			return
		}
		w.statement(s, awaited)
	}
}

// statement follows one statement. What it may or may not come to is left out; when a jump in there may leave, the path
// is over. Awaited says what becomes of a value that is returned.
func (w *walker) statement(s ast.Statement, awaited bool) {
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		w.expression(s.Expression)
	case *ast.VariableStatement:
		w.bindings(s.List)
	case *ast.LexicalDeclaration:
		w.bindings(s.List)
	case *ast.ReturnStatement:
		w.value(s.Argument, awaited)
		w.over = true
	case *ast.ThrowStatement:
		w.expression(s.Argument)
		w.over = true
	case *ast.BlockStatement:
		w.statements(s.List, awaited)
	case *ast.IfStatement:
		w.expression(s.Test)
		w.skip(s.Consequent, s.Alternate)
	case *ast.SwitchStatement:
		w.expression(s.Discriminant)
		w.skip(s)
	case *ast.TryStatement:
		w.try(s, awaited)
	case *ast.ForStatement, *ast.ForOfStatement, *ast.ForInStatement, *ast.WhileStatement, *ast.DoWhileStatement:
		w.loop(s, awaited)
	case *ast.FunctionDeclaration, *ast.EmptyStatement:
	default:
		w.over = w.over || w.fault == nil && leaves(s)
	}
}

func (w *walker) bindings(list []*ast.Binding) {
	for _, b := range list {
		w.expression(b.Initializer)
	}
}

// skip passes statements over.
func (w *walker) skip(parts ...ast.Statement) {
	for _, part := range parts {
		if w.fault == nil && leaves(part) {
			w.over = true
		}
	}
}

// try follows a block whose exceptions nobody catches. A jump out of its finally would be as good as a catch.
func (w *walker) try(s *ast.TryStatement, awaited bool) {
	if s.Catch != nil || s.Finally != nil && leaves(s.Finally) {
		w.skip(s)
		return
	}
	w.statements(s.Body.List, awaited)
	if s.Finally != nil {
		w.statements(s.Finally.List, awaited)
	}
}

// loop follows what a loop does before its first round, and the first round when there is one for certain.
func (w *walker) loop(s ast.Statement, awaited bool) {
	var body ast.Statement
	certain := false
	switch s := s.(type) {
	case *ast.ForStatement:
		w.initializer(s.Initializer)
		w.expression(s.Test)
		body, certain = s.Body, s.Test == nil || isTrue(s.Test)
	case *ast.WhileStatement:
		w.expression(s.Test)
		body, certain = s.Body, isTrue(s.Test)
	case *ast.DoWhileStatement:
		body, certain = s.Body, true
	case *ast.ForOfStatement:
		w.expression(s.Source)
		body, certain = s.Body, hasItems(s.Source)
	case *ast.ForInStatement:
		w.expression(s.Source)
		body = s.Body
	}
	if w.done() {
		return
	}
	if certain {
		w.statement(body, awaited)
	}
	if w.fault == nil {
		w.over = leaves(s)
	}
}

func (w *walker) initializer(i ast.ForLoopInitializer) {
	switch i := i.(type) {
	case *ast.ForLoopInitializerExpression:
		w.expression(i.Expression)
	case *ast.ForLoopInitializerVarDeclList:
		w.bindings(i.List)
	case *ast.ForLoopInitializerLexicalDecl:
		w.bindings(i.LexicalDeclaration.List)
	}
}

func isTrue(e ast.Expression) bool {
	literal, ok := e.(*ast.BooleanLiteral)
	return ok && literal.Value
}

// hasItems reports whether an expression is a list with a first item.
func hasItems(e ast.Expression) bool {
	list, ok := e.(*ast.ArrayLiteral)
	if !ok || len(list.Value) == 0 {
		return false
	}
	_, spread := list.Value[0].(*ast.SpreadElement)
	return !spread
}

// leaves reports whether a statement may jump to somewhere outside of it: it holds a return, a jump with a label, or a
// break or continue of a loop around it. Exceptions do not count, nobody catches them.
func leaves(s ast.Statement) bool { return jumps(reflect.ValueOf(s), false, false) }

// jumps is leaves below a node, inside of a loop or a switch of its own or not.
func jumps(v reflect.Value, inLoop, inSwitch bool) bool {
	switch v.Kind() {
	case reflect.Interface:
		return !v.IsNil() && jumps(v.Elem(), inLoop, inSwitch)
	case reflect.Slice:
		for i := range v.Len() {
			if jumps(v.Index(i), inLoop, inSwitch) {
				return true
			}
		}
		return false
	case reflect.Pointer:
		if v.IsNil() {
			return false
		}
	default:
		return false
	}
	switch n := v.Interface().(type) {
	case *ast.ReturnStatement:
		return true
	case *ast.BranchStatement:
		return n.Label != nil || !inLoop && (n.Token == token.CONTINUE || !inSwitch)
	case *ast.ForStatement, *ast.ForOfStatement, *ast.ForInStatement, *ast.WhileStatement, *ast.DoWhileStatement:
		inLoop = true
	case *ast.SwitchStatement:
		inSwitch = true
	case ast.Expression, *ast.FunctionDeclaration, *ast.ClassDeclaration:
		return false
	}
	if v.Elem().Kind() != reflect.Struct {
		return false
	}
	for i := range v.Elem().NumField() {
		if v.Elem().Type().Field(i).IsExported() && jumps(v.Elem().Field(i), inLoop, inSwitch) {
			return true
		}
	}
	return false
}
