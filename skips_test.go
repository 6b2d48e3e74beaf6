package codemode_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// TestSkips: where CI is set a test fails rather than skips, or its reason says why it skips there, too.
func TestSkips(t *testing.T) {
	skips := 0
	forEachGoFile(t, func(file string, _ *ast.File) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, file, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		textOf := func(n ast.Node) []byte {
			return source[positions.Position(n.Pos()).Offset:positions.Position(n.End()).Offset]
		}
		for _, declaration := range parsed.Decls {
			ast.Inspect(declaration, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				method, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || method.Sel.Name != "Skip" && method.Sel.Name != "Skipf" && method.Sel.Name != "SkipNow" {
					return true
				}
				skips++
				if !bytes.Contains(textOf(declaration), []byte(`os.Getenv("CI")`)) && !bytes.Contains(textOf(call), []byte("CI")) {
					t.Errorf("%s: skips where CI is set, and does not say why", positions.Position(call.Pos()))
				}
				return true
			})
		}
	})
	if skips == 0 {
		t.Error("no skips were found")
	}
}
