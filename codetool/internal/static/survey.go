package static

import (
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// facts is what holds in all of a program, whatever the scope.
type facts struct {
	declared  map[string]bool           // names with a declaration somewhere
	changed   map[string]bool           // names that are assigned to, or whose object is changed or handed on
	functions map[string]ast.Expression // functions that are declared once, by name
}

// survey collects the facts. It is not ok when the program reaches for what can change any name: eval, the global object.
func survey(tree *ast.Program, around Names) (*facts, bool) {
	s := surveyor{
		facts: facts{declared: map[string]bool{}, changed: map[string]bool{}, functions: map[string]ast.Expression{}},
		ok:    true, members: map[*ast.Identifier]bool{}, count: map[string]int{},
	}
	each(reflect.ValueOf(tree), s.visit)
	for _, use := range s.uses {
		if !s.members[use] && (around.Namespace(use.Name.String()) || use.Name == "Promise") {
			s.changed[use.Name.String()] = true
		}
	}
	for name := range s.functions {
		if s.count[name] != 1 || s.changed[name] || around.Global(name) { // in another scope it is the global one that is called
			delete(s.functions, name)
		}
	}
	return &s.facts, s.ok
}

type surveyor struct {
	facts
	ok      bool
	uses    []*ast.Identifier
	members map[*ast.Identifier]bool // uses that only read a member, or ask whether it is there
	count   map[string]int           // declarations by name
}

func (s *surveyor) visit(node any) {
	switch n := node.(type) {
	case *ast.Identifier:
		s.uses = append(s.uses, n)
		switch n.Name {
		case "eval", "Function", "globalThis", "self", "global", "window", "frames":
			s.ok = false
		}
	case *ast.ThisExpression: // of a function that is called without an object, it is the global one
		s.ok = false
	case *ast.PropertyShort:
		s.uses = append(s.uses, &n.Name)
		s.reach(n.Name.Name.String())
	case *ast.PropertyKeyed:
		s.key(n.Key)
	case *ast.DotExpression:
		s.member(n.Left)
		s.reach(n.Identifier.Name.String())
	case *ast.NewExpression:
		s.member(n.Callee)
	case *ast.BracketExpression:
		s.member(n.Left)
		s.key(n.Member)
	case *ast.BinaryExpression:
		if n.Operator == token.IN {
			s.member(n.Right)
		}
	case *ast.UnaryExpression:
		switch n.Operator {
		case token.TYPEOF:
			s.member(n.Operand)
		case token.DELETE, token.INCREMENT, token.DECREMENT:
			s.change(n.Operand)
		}
	case *ast.AssignExpression:
		s.change(n.Left)
	case *ast.ForIntoExpression:
		s.change(n.Expression)
	case *ast.ArrayPattern, *ast.ObjectPattern:
		s.declare(n)
		s.change(n)
	case *ast.Binding:
		s.declare(n.Target)
		if name, ok := n.Target.(*ast.Identifier); ok && isFunction(n.Initializer) {
			s.functions[name.Name.String()] = n.Initializer
		}
	case *ast.ForDeclaration:
		s.declare(n.Target)
	case *ast.ParameterList:
		if n.Rest != nil {
			s.declare(n.Rest)
		}
	case *ast.CatchStatement:
		if n.Parameter != nil {
			s.declare(n.Parameter)
		}
	case *ast.FunctionDeclaration:
		if isFunction(n.Function) && n.Function.Name != nil {
			s.functions[n.Function.Name.Name.String()] = n.Function
		}
	case *ast.FunctionLiteral:
		if n.Name != nil {
			s.declare(n.Name)
		}
	case *ast.ClassLiteral:
		if n.Name != nil {
			s.declare(n.Name)
		}
	}
}

// reach notes that a program reads a member of some object. Of a function constructor is an eval; what the others lead to is
// behind the global object, whose variables it then is.
func (s *surveyor) reach(member string) {
	switch member {
	case "constructor", "prototype", "__proto__", "getPrototypeOf", "setPrototypeOf":
		s.ok = false
	}
}

// key is reach for a name that is written as a text.
func (s *surveyor) key(e ast.Expression) {
	if literal, ok := e.(*ast.StringLiteral); ok {
		s.reach(literal.Value.String())
	}
}

// member marks the object of a member as not handed on.
func (s *surveyor) member(object ast.Expression) {
	if optional, ok := object.(*ast.Optional); ok {
		object = optional.Expression
	}
	if name, ok := object.(*ast.Identifier); ok {
		s.members[name] = true
	}
}

// change marks what an assignment's target, or a pattern of several, belongs to.
func (s *surveyor) change(target any) {
	names(target, func(name string) { s.changed[name] = true })
}

// declare marks all names in a declaration's target. A pattern's defaults count as well, which only makes less certain.
func (s *surveyor) declare(target any) {
	names(target, func(name string) {
		s.declared[name] = true
		s.count[name]++
	})
}

// names visits all variables in a target.
func names(target any, visit func(name string)) {
	each(reflect.ValueOf(target), func(node any) {
		switch n := node.(type) {
		case *ast.Identifier:
			visit(n.Name.String())
		case *ast.PropertyShort:
			visit(n.Name.Name.String())
		}
	})
}

// each visits a node and all below it, each as a pointer. What a function hoists is in the tree twice, and seen once.
func each(v reflect.Value, visit func(node any)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.Kind() == reflect.Pointer {
			if _, ok := v.Interface().(*file.File); ok {
				return
			}
			if v.Elem().Kind() == reflect.Struct {
				visit(v.Interface())
			}
		}
		each(v.Elem(), visit)
	case reflect.Slice:
		if v.Type().Elem() == reflect.TypeFor[*ast.VariableDeclaration]() {
			return
		}
		for i := range v.Len() {
			each(v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			if field.Kind() == reflect.Struct && field.CanAddr() && field.Type() != reflect.TypeFor[ast.Identifier]() {
				visit(field.Addr().Interface())
			}
			if v.Type().Field(i).IsExported() {
				each(field, visit)
			}
		}
	}
}
