package codetool

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/codemode-go/codemode/codetool/internal/static"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// platformGlobals are the global names of the sandbox, one a line.
//
//go:embed globals.txt
var platformGlobals string

var isPlatformGlobal = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.Lines(platformGlobals) {
		names[strings.TrimSpace(name)] = true
	}
	return names
})

// foresee is the outcome of a program that will surely fail because of a name that does not exist; nil when nothing is
// sure. Nothing of the program has run then, so that no write of it has to be undone or repeated.
func (t *Tool) foresee(code string) *Outcome {
	if t.options.RunUnchecked {
		return nil
	}
	normalized := dialect.NormalizeCode(code)
	if imports, _ := protocol.SeparateImports(normalized); imports != "" {
		return nil // a module may change whatever it finds
	}
	_, called := calledFunction(code)
	fault := static.Find(normalized, static.Names{
		Tool: t.mayHave, Namespace: t.hasNamespace, Missing: t.surelyMissing, Global: isGlobal, CallsValue: called,
	})
	if fault == nil {
		return nil
	}
	place := dialect.PositionIn(code, &protocol.Position{Line: fault.Line, Column: fault.Column})
	failure := &Failure{Position: place, Frame: frameOf(code, place), Foreseen: true}
	if fault.Namespace == "" {
		failure.Message = fault.Name + " is not defined"
		failure.Hint = fmt.Sprintf("did you mean `%s`?", t.suggestName(fault.Name))
	} else {
		failure.Message = (&protocol.ToolNotFoundError{Tool: fault.Name}).Error()
		failure.Hint = t.offer(fault.Namespace, fault.Name)
		failure.About = t.about(failure, code, nil)
	}
	return &Outcome{Failure: failure}
}

// offer asks whether the tool was meant whose name is spelled alike. A name that only shares a word with others gets none: the
// text of the error alone is the dialect's.
func (t *Tool) offer(in, name string) string {
	at := slices.IndexFunc(t.callable, func(ns *namespace) bool { return ns.identifier == in })
	if near := t.callable[at].suggest(name); near != "" {
		return `did you mean "` + near + `"?`
	}
	return ""
}

// mayHave reports whether a member of a namespace is a tool, in whichever spelling, or something else than a call that
// fails.
func (t *Tool) mayHave(namespace, name string) bool {
	for _, ns := range t.callable {
		if ns.identifier != namespace {
			continue
		}
		if name == "then" || ns.byName[name] != nil || ns.withheld[name] != nil {
			return true
		}
		for _, tool := range ns.tools {
			if tool.identifier == name {
				return true
			}
		}
		for _, extra := range ns.extra {
			if extra.Name == name {
				return true
			}
		}
	}
	return false
}

// surelyMissing reports whether a variable exists nowhere and another name is near enough to be meant.
func (t *Tool) surelyMissing(name string) bool {
	return !isGlobal(name) && name != "arguments" && t.suggestName(name) != ""
}

// isGlobal reports whether the sandbox has a variable of its own.
func isGlobal(name string) bool { return isStandardGlobal(name) || isPlatformGlobal()[name] }
