package link_test

import (
	"fmt"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/link"
	"github.com/codemode-go/codemode/executor/internal/web/webtest"
)

// run links and runs a program in a fresh isolate.
func run(t *testing.T, code string, modules map[string]string) string {
	t.Helper()
	l, err := link.Link(link.Program{Source: code, Modules: modules})
	if err != nil {
		return err.Error()
	}
	return webtest.New(t, nil).Await("(" + l.Script + ")(undefined).then((make) => make()()).then((v) => v)")
}

func TestX(t *testing.T) {
	fmt.Println(run(t, "async () => 1", nil))
	fmt.Println(run(t, "async () => 1;", nil))
	fmt.Println(run(t, "import {a, f as g} from './a.js'; import d, * as ns from 'a.js'\nasync () => { g(); return [a, d, ns, ns.default === d, Object.keys(ns)] }", map[string]string{"a.js": "export let a = 1; export function f() { a++; if (this) throw 5 }; export default () => 1"}))
}
