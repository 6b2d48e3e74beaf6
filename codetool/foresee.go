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

// maxNear bounds how many names are offered for one that does not exist.
const maxNear = 3

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
	}
	return &Outcome{Failure: failure}
}

// offer asks whether tools of like names were meant.
func (t *Tool) offer(namespace, name string) string {
	near := t.nearTools(namespace, name)
	if len(near) == 0 {
		return ""
	}
	for i, name := range near {
		near[i] = `"` + name + `"`
	}
	last := len(near) - 1
	if last == 0 {
		return "did you mean " + near[0] + "?"
	}
	return "did you mean " + strings.Join(near[:last], ", ") + " or " + near[last] + "?"
}

// nearTools are the tools that a call of an unknown name most likely meant: the one that is spelled alike, in whichever
// namespace, else those of the namespace that share a word with it, the likeliest first.
func (t *Tool) nearTools(in, name string) []string {
	at := slices.IndexFunc(t.callable, func(ns *namespace) bool { return ns.identifier == in })
	ns := t.callable[at]
	if spelled := ns.suggest(name); spelled != "" {
		return []string{spelled}
	}
	var near []string
	for _, tool := range newRanking(ns.tools).find(name, maxNear) {
		if haveWordInCommon(tool.identifier, name) {
			near = append(near, tool.identifier)
		}
	}
	return near
}

// haveWordInCommon reports whether two names have a word in common.
func haveWordInCommon(a, b string) bool {
	other := words(b)
	return slices.ContainsFunc(words(a), func(word string) bool { return slices.Contains(other, word) })
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
