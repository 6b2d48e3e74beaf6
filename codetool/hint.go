package codetool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/codemode-go/codemode/protocol"
)

// The hints about programs that ended well but surely not as they meant to, or failed in a way that has a usual cause.
const (
	noValueHint = "The program returned no value; a function that nobody calls is none either. Return one: async () => { …; return value }"
	opaqueHint  = "The program returned a %s, which has no JSON: call it, or return data."
	// notANumberHint takes NaN or an infinity.
	notANumberHint = "The program returned %s, which is null in JSON: a value that it computed with is undefined or no number."
	listedHint     = "A namespace lists nothing. %s has %s."
	namespaceHint  = "%s is an object of functions, which has no JSON: call one of them, as in await %s.%s(…)."
	emptyHint      = "An empty {} in the result may be a Map, a Set, an Error or a class without fields, which have no JSON: return Object.fromEntries(map), [...set] or error.message."
	escapedHint    = "the program seems to be escaped twice: send line ends and quotes as they are"
)

// successHint says what a program that ended well may have got wrong; empty when nothing looks so.
func (t *Tool) successHint(o *Outcome, code string, ran retry) string {
	var hints []string
	open := t.unawaited(code)
	if o.Native != nil {
		if unheard := unheardOf(o.Native.Unhandled, ran); len(unheard) > 0 {
			hints = append(hints, unheard...)
			open = nil
		}
		failed, lost := unheardCalls(o.Native.Calls, code)
		if len(failed) > 0 {
			hints = append(hints, fmt.Sprintf(failedUnheard, strings.Join(failed, ", ")))
			open = nil
		}
		if len(lost) > 0 {
			hints = append(hints, "Not awaited, so the answer reached nobody: "+strings.Join(lost, ", ")+". Write await before the call, or await Promise.all([…]) for several.")
			open = nil
		}
	}
	if hasEmptyObject(o.Value) {
		switch ns := t.returnedNamespace(code); {
		case ns != nil:
			hints = append(hints, fmt.Sprintf(namespaceHint, ns.identifier, ns.identifier, ns.tools[0].identifier))
		case len(open) > 0:
			hints = append(hints, fmt.Sprintf("An empty {} in the result may be a promise: await %s(…), or await Promise.all([…]) for several.", open[0]))
		case len(hints) == 0 && makesOpaque.MatchString(code):
			hints = append(hints, emptyHint)
		}
	}
	if inexact := inexactHint(code); inexact != "" {
		hints = append(hints, inexact)
	}
	if ns := t.listedNamespace(code); ns != nil {
		hints = append(hints, fmt.Sprintf(listedHint, ns.identifier, ns.toolNames("")))
	}
	switch {
	case o.Value != nil && o.Native != nil && o.Native.ValueKind != "":
		hints = append(hints, fmt.Sprintf(notANumberHint, o.Native.ValueKind))
	case o.Value != nil:
	case o.Native != nil && o.Native.ValueKind != "":
		hints = append(hints, fmt.Sprintf(opaqueHint, o.Native.ValueKind))
	case readsEnvelope.MatchString(code):
		hints = append(hints, strings.ToUpper(dataHint[:1])+dataHint[1:]+".")
	case len(o.Logs) == 0 && len(hints) == 0:
		hints = append(hints, noValueHint)
		if o.Native != nil {
			hints = append(hints, t.gives(o.Native.Calls)...)
		}
	}
	return strings.Join(hints, " ")
}

// returnedNamespace finds the namespace that a program returns as it is; nil when it returns something else.
func (t *Tool) returnedNamespace(code string) *namespace {
	at := returnedName.FindStringSubmatch(code)
	if at == nil {
		return nil
	}
	for _, ns := range t.callable {
		if ns.identifier == at[1] && len(ns.tools) > 0 {
			return ns
		}
	}
	return nil
}

// returnedName finds a variable that is the last thing in a program.
var returnedName = regexp.MustCompile(`(?:=>|\breturn\b|^|[;\n{(])[ \t]*\(?([A-Za-z_$][\w$]*)[\s;)}]*$`)

// makesOpaque finds what makes values that have no JSON.
var makesOpaque = regexp.MustCompile(`\bnew\s+(Map|Set|WeakMap|WeakSet|[A-Z]\w*Error|Error|Response|Request|Headers|FormData|Blob|URLSearchParams)\b|\bfunction\s*\*|\bMap\.groupBy\b|\bcatch\s*\(`)

// hasEmptyObject reports whether a {} is anywhere in a value.
func hasEmptyObject(value json.RawMessage) bool {
	return bytes.Contains(value, []byte("{}")) && json.Valid(value)
}

// failureHint says what a failed program most likely got wrong; empty when that is not known.
func (t *Tool) failureHint(failure *protocol.Failure, code string) string {
	if name := undefinedName(failure, code); name != "" {
		if near := t.suggestName(name); near != "" {
			return fmt.Sprintf("did you mean `%s`?", near)
		}
		return t.undefinedHint(name, code)
	}
	switch {
	case failure.Kind == protocol.FailureSyntax && looksEscaped(code):
		return escapedHint
	case (failure.Kind == protocol.FailureSyntax || strings.HasPrefix(failure.Message, emptyTag)) && len(fencedBlock.FindAllString(code, 2)) > 1:
		return blocksHint
	case failure.Kind == protocol.FailureSyntax && strings.HasPrefix(failure.Message, "await is only valid in async functions"):
		return asyncHint
	case strings.HasPrefix(failure.Message, "No such module "):
		return modulesHint
	case strings.HasPrefix(failure.Message, refusedFetch):
		return noNetworkHint
	case failure.Name == "SyntaxError" && strings.HasPrefix(failure.Message, `"[object Object]" is not valid JSON`):
		return parsedHint
	case failure.Name == "TypeError" && readsAWrongValue.MatchString(failure.Message):
		return t.wrongValueHint(code)
	}
	return ""
}

// refusedFetch is what a refused fetch says in the reference, and so here.
const refusedFetch = "This worker is not permitted to access the internet"

// wrongValueHint is for a program that took something for what it is not.
func (t *Tool) wrongValueHint(code string) string {
	switch open := t.unawaited(code); {
	case t.memberOfGlobal(code) != "":
		return fmt.Sprintf(globalHint, t.memberOfGlobal(code))
	case len(open) > 0:
		return fmt.Sprintf("is an await missing? A call gives a promise: await %s(…)", open[0])
	case hasParameters.MatchString(code) && t.namespaceNames() != "":
		return fmt.Sprintf(noArgumentsHint, t.namespaceNames())
	case readsEnvelope.MatchString(code):
		return dataHint
	}
	return ""
}

// readsAWrongValue finds what V8 says of a promise that is used as its value.
var readsAWrongValue = regexp.MustCompile(`is not a function|is not iterable|Cannot read properties of undefined`)

// unawaited are the calls in a text that no await, return or arrow stands before, though their value is used. The text is
// not parsed: what comes of it is a hint and no more.
func (t *Tool) unawaited(code string) []string {
	var found []string
	for _, at := range memberCall.FindAllStringSubmatchIndex(code, -1) {
		namespace, name := code[at[2]:at[3]], code[at[4]:at[5]]
		before := strings.TrimRight(code[:at[0]], " \t\r\n")
		used := strings.HasSuffix(before, "[") || strings.HasSuffix(before, ",") || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "=")
		inAll := strings.LastIndex(before, "Promise.") > strings.LastIndexAny(before, ";\n")
		if t.hasNamespace(namespace) && used && !inAll {
			found = append(found, namespace+"."+name)
		}
	}
	return found
}

// memberCall finds what may be a call of a namespace's function.
var memberCall = regexp.MustCompile(`\b([A-Za-z_$][\w$]*)\.([A-Za-z_$][\w$]*)\(`)

func (t *Tool) hasNamespace(name string) bool {
	return slices.ContainsFunc(t.callable, func(ns *namespace) bool { return ns.identifier == name })
}

// suggestTool names the tool that a call of an unknown name in ns most likely meant: one of a like name in ns, else the
// one that is called so, but for case and separators, in another namespace. Empty when there is none.
func suggestTool(name string, ns *namespace, all []*namespace) string {
	candidates := make([]string, len(ns.tools))
	for i, tool := range ns.tools {
		candidates[i] = tool.identifier
	}
	if near := nearest(name, candidates); near != "" {
		return near
	}
	for _, other := range all {
		for _, tool := range other.tools {
			if other != ns && (tool.Name == name || slices.Equal(fold(tool.identifier), fold(name))) {
				return other.identifier + "." + tool.identifier
			}
		}
	}
	return ""
}

// suggestName names what a program most likely meant by a variable that does not exist.
func (t *Tool) suggestName(name string) string {
	var namespaces []string
	for _, ns := range t.namespaces {
		namespaces = append(namespaces, ns.identifier)
	}
	if near := nearest(name, namespaces); near != "" {
		return near
	}
	folded := strings.TrimPrefix(string(fold(name)), "mcp")
	for _, ns := range t.namespaces {
		for _, tool := range ns.tools {
			if tool.identifier == name || string(fold(ns.identifier+tool.identifier)) == folded { // or files_read, mcp__files__read
				return ns.identifier + "." + tool.identifier
			}
		}
	}
	return ""
}

// nearest returns the candidate closest to name, if one is close: the same but for case and separators, or at most one
// slip in four characters away. Of equally close ones it returns the first by name.
func nearest(name string, candidates []string) string {
	folded := fold(name)
	limit := len(folded) / 4
	best, bestDistance := "", limit+1
	for _, candidate := range candidates {
		distance := editDistance(folded, fold(candidate), limit)
		if distance < bestDistance || distance == bestDistance && distance <= limit && candidate < best {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

func fold(name string) []rune {
	return []rune(strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name)))
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours; past limit it stops counting.
func editDistance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		if slices.Min(row) > limit {
			return limit + 1
		}
		before, last = last, row
	}
	return last[len(b)]
}

// placeOfName is where a variable that does not exist stands, when the engine's place is that of the statement around it.
func placeOfName(failure *protocol.Failure, code string, at *protocol.Position) *protocol.Position {
	name := ""
	if failure != nil && at != nil && at.File == "" {
		name = undefinedName(failure, code)
	}
	lines := lineEnds.Split(code, -1)
	if name == "" || at.Line > len(lines) {
		return nil
	}
	line := utf16.Encode([]rune(lines[at.Line-1]))
	start := max(at.Column-1, 0)
	if start > len(line) {
		return nil
	}
	rest := string(utf16.Decode(line[start:]))
	found := regexp.MustCompile(`(?:^|[^\p{L}\p{N}_$.])(` + regexp.QuoteMeta(name) + `)(?:[^\p{L}\p{N}_$]|$)`).FindStringSubmatchIndex(rest)
	if found == nil {
		return nil
	}
	return &protocol.Position{Line: at.Line, Column: at.Column + len(utf16.Encode([]rune(rest[:found[2]])))}
}

// undefinedName finds the variable of code that a ReferenceError says does not exist; empty when it says something else.
// The engine's place is no help: it may be that of the whole statement.
func undefinedName(failure *protocol.Failure, code string) string {
	if failure.Name != "ReferenceError" {
		return ""
	}
	for _, name := range strings.FieldsFunc(code, func(r rune) bool { return !isIdentifierPart(r) }) {
		if failure.Message == name+" is not defined" {
			return name
		}
	}
	return ""
}
