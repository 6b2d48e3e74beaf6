package codetool

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/codetool/internal/static"
	"github.com/codemode-go/codemode/protocol"
)

// The mistakes of models that have a usual cause: what to do in place of it, behind the error's own words.
const (
	modulesHint   = "programs have no npm modules, no files and no require: call the functions that the tool's description declares"
	noPageHint    = "there is no web page here: programs compute, and call the functions that the tool's description declares"
	noNetworkHint = "programs have no network: call the functions that the tool's description declares"
	printHint     = "did you mean `console.log`?"
	parsedHint    = "what a call gives is a value already: leave JSON.parse out"
	dataHint      = "a call gives the tool's own data: nothing like structuredContent or content[0].text stands around it"
	asyncHint     = "the function around it has to be async: await Promise.all(list.map(async (x) => await …))"
	byNameHint    = "a function is called by its own name: await namespace.name({ … })"
	globalHint    = "%s is a variable of the program: write it alone"
	blocksHint    = "the text has several code blocks: send one program"
)

// noArgumentsHint takes the namespaces.
const noArgumentsHint = "a program is called without arguments: %s are variables that it has"

// foreignNames are variables that other places have.
var foreignNames = map[string]string{
	"require": modulesHint, "module": modulesHint, "exports": modulesHint, "__dirname": modulesHint, "__filename": modulesHint,
	"document": noPageHint, "window": noPageHint, "localStorage": noPageHint, "sessionStorage": noPageHint, "XMLHttpRequest": noNetworkHint,
	"axios": noNetworkHint, "print": printHint, "alert": printHint,
	"callTool": byNameHint, "call_tool": byNameHint, "useTool": byNameHint, "runTool": byNameHint, "invokeTool": byNameHint,
}

var (
	// readsEnvelope finds a program that looks for data inside what MCP puts around it.
	readsEnvelope = regexp.MustCompile(`\.structuredContent\b|\.content\s*(\?\.)?\[\s*0|\.content\s*\.\s*(map|find|filter)\b`)
	// hasParameters finds a program that is a function of something.
	hasParameters = regexp.MustCompile(`^\s*(export\s+default\s+)?(async\s*)?(function\s*[\w$]*\s*)?\(\s*[\w$\[{]`)
	// listsNamespace finds a look at what a namespace has.
	listsNamespace = regexp.MustCompile(`\bObject\.(?:keys|values|entries|getOwnPropertyNames)\(\s*([A-Za-z_$][\w$]*)\s*\)|\bin\s+([A-Za-z_$][\w$]*)\s*\)`)
	// readsGlobal finds a member of the global object, or of codemode, which has the functions of a single server.
	readsGlobal  = regexp.MustCompile(`\b(?:this|globalThis|self|window|codemode)\s*\.\s*([A-Za-z_$][\w$]*)`)
	toolNotFound = regexp.MustCompile(`^Tool "(.+)" not found$`)
)

// undefinedHint says what may be meant by a variable that does not exist and is like none that does.
func (t *Tool) undefinedHint(name, code string) string {
	if hint := foreignNames[name]; hint != "" || name == "arguments" {
		return hint
	}
	member := regexp.MustCompile(`(?:^|[^\w$.])` + regexp.QuoteMeta(name) + `\s*\.\s*([A-Za-z_$][\w$]*)`).FindStringSubmatch(code)
	if member == nil {
		return ""
	}
	for _, ns := range t.namespaces {
		if ns.identifier == member[1] {
			return fmt.Sprintf("did you mean `%s`?", ns.identifier)
		}
		if slices.ContainsFunc(ns.tools, func(tool *boundTool) bool { return tool.identifier == member[1] }) {
			return fmt.Sprintf("did you mean `%s.%s`?", ns.identifier, member[1])
		}
	}
	if names := t.namespaceNames(); names != "" {
		return "the namespaces are " + names
	}
	return ""
}

// maxNamed bounds how many names a hint lists.
const maxNamed = 12

func (t *Tool) namespaceNames() string {
	var names []string
	for _, ns := range t.namespaces {
		if len(ns.tools) > 0 {
			names = append(names, ns.identifier)
		}
	}
	return listed(names)
}

// toolNames lists the functions of a namespace. Where that is too many, those come first that a search for words finds.
func (ns *namespace) toolNames(words string) string {
	tools := ns.tools
	if len(tools) > maxNamed {
		found := newRanking(tools).find(words, maxNamed)
		tools = append(slices.Clone(found), slices.DeleteFunc(slices.Clone(tools), func(tool *boundTool) bool { return slices.Contains(found, tool) })...)
	}
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.identifier
	}
	return listed(names)
}

// listed joins the first names and counts the others.
func listed(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// incomplete says where a text ends too early, when that is why it is no program and the engine has no place for it.
func incomplete(code string) (hint string, at *protocol.Position) {
	found := static.FindIncomplete(code)
	if found == nil {
		return "", nil
	}
	at = &protocol.Position{Line: found.Line, Column: found.Column}
	if found.Missing != "" {
		return fmt.Sprintf("the text ends where \"%s\" is expected: something is opened and not closed", found.Missing), at
	}
	return "something is opened and not closed: a bracket, a brace, a quote or a comment", at
}

// about are lines on what there is in place of what a failed program looked for: the functions of a namespace, and what the
// calls that it made give.
func (t *Tool) about(failure *Failure, code string, calls []protocol.Call) []string {
	if missing := toolNotFound.FindStringSubmatch(failure.Message); missing != nil && failure.Hint == "" {
		for _, ns := range t.namespaces {
			if strings.Contains(code, ns.identifier+"."+missing[1]) || strings.Contains(code, ns.identifier+"["+show(missing[1])) {
				if len(ns.tools) == 0 {
					return nil // of a server that is down, say, and then its state is told
				}
				return []string{fmt.Sprintf("%s has %s.", ns.identifier, ns.toolNames(missing[1]))}
			}
		}
	}
	if n := failure.Native; n == nil || n.Name != "TypeError" || !readsAWrongValue.MatchString(n.Message) {
		return nil
	}
	return t.gives(calls)
}

// gives are lines on what the calls of a run give, where that is declared or was seen.
func (t *Tool) gives(calls []protocol.Call) []string {
	var lines []string
	seen := map[protocol.Call]bool{}
	for _, call := range calls {
		kind := protocol.Call{Provider: call.Provider, Tool: call.Tool, Outcome: call.Outcome}
		if seen[kind] || len(lines) == maxUnheard {
			continue
		}
		seen[kind] = true
		tool := t.boundTo(call)
		if tool == nil || call.Outcome != protocol.CallCompleted || len(tool.OutputSchema) == 0 && tool.observed == nil {
			continue
		}
		_, gives, _ := strings.Cut(tool.signature(), "): Promise<")
		gives = strings.TrimSuffix(gives, ">;")
		line := fmt.Sprintf("%s gives %s.", tool.path(), gives)
		if characters(line) <= maxSignature {
			lines = append(lines, line)
		}
	}
	return lines
}

// boundTo is the tool of a call; nil when it is none of ours.
func (t *Tool) boundTo(call protocol.Call) *boundTool {
	for _, ns := range t.namespaces {
		for _, tool := range ns.tools {
			if ns.identifier == call.Provider && (tool.identifier == call.Tool || tool.Name == call.Tool) {
				return tool
			}
		}
	}
	return nil
}

// memberOfGlobal is a namespace that a program reads as a member of the global object; empty without one.
func (t *Tool) memberOfGlobal(code string) string {
	for _, match := range readsGlobal.FindAllStringSubmatch(code, -1) {
		if t.hasNamespace(match[1]) {
			return match[1]
		}
	}
	return ""
}

// listedNamespace is a namespace that a program asks for its members; nil without one.
func (t *Tool) listedNamespace(code string) *namespace {
	for _, match := range listsNamespace.FindAllStringSubmatch(code, -1) {
		for _, ns := range t.namespaces {
			if ns.identifier == match[1]+match[2] && len(ns.tools) > 0 {
				return ns
			}
		}
	}
	return nil
}

// tagged is a text in a tag.
var tagged = regexp.MustCompile(`(?s)^\s*<(code|script|javascript|js|program)>(.*)</(?:code|script|javascript|js|program)>\s*$`)

// unwrapped finds the program in a text that is JSON around one, {"code": "…"} or a string, or a tag.
func unwrapped(code string) (retry, bool) {
	text := strings.TrimSpace(code)
	if at := tagged.FindStringSubmatchIndex(code); at != nil {
		return retry{code: code[at[4]:at[5]], lines: -strings.Count(code[:at[4]], "\n")}, true
	}
	var wrapped struct{ Code string }
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Code != "" {
		return retry{code: wrapped.Code}, true
	}
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil && looksLikeProgram.MatchString(inner) {
		return retry{code: inner}, true
	}
	return retry{}, false
}

// looksLikeProgram tells a program in a string from any other text.
var looksLikeProgram = regexp.MustCompile(`^\s*(async\b|\(.*=>|function\b|const\b|let\b|return\b|await\b)`)

// The texts of a program, and integers in the rest of it that have too many digits for a number.
var (
	quotedText  = regexp.MustCompile("'[^'\\n]*'|\"[^\"\\n]*\"|`[^`]*`|//[^\\n]*")
	longInteger = regexp.MustCompile(`(?:^|[^\w.$])([1-9]\d{15,})(n?)(?:[^\w.]|$)`)
)

// inexactHint names an integer that is another one as a number; empty without one.
func inexactHint(code string) string {
	if !longInteger.MatchString(code) {
		return ""
	}
	for _, match := range longInteger.FindAllStringSubmatch(quotedText.ReplaceAllString(code, `""`), -1) {
		exact, ok := new(big.Int).SetString(match[1], 10)
		if !ok || match[2] == "n" {
			continue
		}
		if rounded, _ := new(big.Float).SetInt(exact).Float64(); new(big.Float).SetFloat64(rounded).Cmp(new(big.Float).SetInt(exact)) != 0 {
			return fmt.Sprintf("A number holds integers exactly up to 9007199254740991: write %sn, or the digits as a string, where they count.", match[1])
		}
	}
	return ""
}
