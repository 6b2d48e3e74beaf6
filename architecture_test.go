package codemode_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/codemode-go/codemode/"

// arrows is docs of the house as data: a top-level package and the top-level packages of ours that its non-test files
// may import. Tests may import more, but never cmd.
var arrows = map[string][]string{
	"protocol":  {},
	"executor":  {"protocol"},
	"remote":    {"protocol"},
	"dialect":   {"protocol"},
	"typegen":   {"dialect"},
	"codetool":  {"protocol", "dialect", "typegen"},
	"mcpserver": {"protocol", "codetool"},
	"compat":    {"protocol", "executor", "remote", "dialect", "typegen", "codetool", "mcpserver"},
	"cmd":       {"protocol", "executor", "remote", "dialect", "typegen", "codetool", "mcpserver", "compat"},
	"examples":  {"protocol", "executor", "remote", "dialect", "typegen", "codetool", "mcpserver"},
}

// onlyIn names imports that one top-level package keeps to itself, by the prefix of the import path.
var onlyIn = map[string]string{
	"github.com/mark3labs/mcp-go": "mcpserver",
	"github.com/tommie/v8go":      "executor/internal/v8",
}

// sdkGuests may import what onlyIn keeps elsewhere, each for the reason beside it.
var sdkGuests = map[string]string{
	"cmd/codemode": "the demo is a real MCP client in front of a real upstream server",
	"compat":       "evidence drives the server as a client does",
	"examples":     "a program that embeds us has an MCP server or client of its own",
}

func TestArrows(t *testing.T) {
	forEachGoFile(t, func(file string, parsed *ast.File) {
		dir := path.Dir(file)
		top, _, _ := strings.Cut(dir, "/")
		allowed, known := arrows[top]
		if !known {
			if dir != "." {
				t.Errorf("%s: %q is no top-level package of the house", file, top)
			}
			return
		}
		test := strings.HasSuffix(file, "_test.go")
		for _, spec := range parsed.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			checkThirdParty(t, file, dir, imported, test)
			ours, isOurs := strings.CutPrefix(imported, modulePath)
			if !isOurs {
				continue
			}
			target, _, _ := strings.Cut(ours, "/")
			if target != top && !slices.Contains(allowed, target) && (!test || target == "cmd") {
				t.Errorf("%s imports %s: the arrows allow %s only %v", file, ours, top, allowed)
			}
		}
	})
}

func checkThirdParty(t *testing.T, file, dir, imported string, test bool) {
	t.Helper()
	for prefix, home := range onlyIn {
		if !strings.HasPrefix(imported, prefix) || test {
			continue
		}
		if dir == home || strings.HasPrefix(dir, home+"/") {
			continue
		}
		for guest := range sdkGuests {
			if home == "mcpserver" && (dir == guest || strings.HasPrefix(dir, guest+"/")) {
				return
			}
		}
		t.Errorf("%s imports %s, which belongs to %s alone", file, imported, home)
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	documented := map[string]bool{}
	forEachGoFile(t, func(file string, parsed *ast.File) {
		dir := path.Dir(file)
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		documented[dir] = documented[dir] || parsed.Doc != nil
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package doc", dir)
		}
	}
}

// forEachGoFile parses the imports and the package comment of every Go file of the tree.
func forEachGoFile(t *testing.T, visit func(file string, parsed *ast.File)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			skip := name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || entry.Name() == "testdata")
			if skip {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		files++
		visit(filepath.ToSlash(name), parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Fatalf("read only %d files: the test runs in the wrong directory", files)
	}
}
