package codetool

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// maxFallback bounds how many characters a name that has no usable one is spelled with.
const maxFallback = 8

// toolIdentifier is what a tool would be called if it were alone: the dialect's rule, which drops every letter beyond
// ASCII, widened to all that JavaScript takes in an identifier.
func toolIdentifier(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '-' || r == '.' || unicode.IsSpace(r) || r == '\ufeff':
			b.WriteByte('_')
		case isIdentifierPart(r):
			b.WriteRune(r)
		}
	}
	id := b.String()
	if id == "" {
		return spellOut("tool", name)
	}
	if first := []rune(id)[0]; !isIdentifierStart(first) {
		id = "_" + id
	}
	if isASCII(id) {
		id = dialect.SanitizeToolName(id) // for the reserved words
	}
	if id == "then" { // no namespace has one, so that awaiting it does not call a tool
		return "then_"
	}
	return id
}

// NamespaceName is the identifier under which programs see a provider, or a server, called name, if no other wants the
// same: ASCII letters, digits, "_" and "$" stay and everything else becomes "_"; a leading digit gets one in front, and a
// name that programs cannot do without one behind. A name with nothing that stays is spelled by its code points, so that
// 天気 and 地図 do not meet. The empty name is DefaultNamespace.
func NamespaceName(name string) string {
	if name == "" {
		return DefaultNamespace
	}
	id := strings.Map(func(r rune) rune {
		if r <= unicode.MaxASCII && isIdentifierPart(r) {
			return r
		}
		return '_'
	}, name)
	if strings.Trim(id, "_") == "" && strings.Trim(name, "_") != "" {
		id = strings.TrimPrefix(spellOut("", name), "_")
	}
	if '0' <= id[0] && id[0] <= '9' {
		id = "_" + id
	}
	for isTaken(id) {
		id += "_"
	}
	return id
}

// isTaken reports whether a program could not bind the name, or would lose by it something that programs rely on.
func isTaken(id string) bool {
	return dialect.IsReservedName(id) || protocol.IsReservedWord(id) || protocol.IsReservedProviderName(id) ||
		isStandardGlobal(id) || strings.HasPrefix(id, "__") && !strings.HasSuffix(id, "_")
}

// spellOut names what has no usable character by its code points: "tool_u5929_u6c17".
func spellOut(prefix, name string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for i, r := range []rune(name) {
		if i == maxFallback {
			break
		}
		fmt.Fprintf(&b, "_u%04x", r)
	}
	return b.String()
}

// assignIdentifiers gives every name an identifier of its own. Names are claimed in an order that does not depend on
// the list: a name that is an identifier already keeps it, then each identifier goes to the first that wants it, and
// the rest are numbered, past anything that another is called.
func assignIdentifiers(names []string, identifier func(string) string) []string {
	assigned, wanted := make([]string, len(names)), make([]string, len(names))
	order := make([]int, len(names))
	taken := make(map[string]bool, len(names))
	for i, name := range names {
		order[i], wanted[i] = i, identifier(name)
		if wanted[i] == name && !taken[name] {
			assigned[i] = name
			taken[name] = true
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	for _, i := range order {
		if want := wanted[i]; assigned[i] == "" && !taken[want] {
			assigned[i] = want
			taken[want] = true
		}
	}
	last := map[string]int{} // the number that was tried last
	for _, i := range order {
		for want := wanted[i]; assigned[i] == ""; {
			last[want] = max(last[want]+1, 2)
			if numbered := want + "_" + strconv.Itoa(last[want]); !taken[numbered] {
				assigned[i] = numbered
				taken[numbered] = true
			}
		}
	}
	return assigned
}

func isIdentifierStart(r rune) bool {
	return r == '$' || r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start)
}

func isIdentifierPart(r rune) bool {
	return isIdentifierStart(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// isStandardGlobal reports whether ECMAScript itself binds a name; a namespace of that name would take from programs
// what they are made of. Names of the platform (fetch, process) are free: servers are called so.
func isStandardGlobal(name string) bool {
	switch name {
	case "globalThis", "undefined", "NaN", "Infinity", "isFinite", "isNaN", "parseFloat", "parseInt",
		"decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape",
		"Object", "Function", "Array", "String", "Number", "Boolean", "Symbol", "BigInt", "Math", "JSON", "Date", "RegExp",
		"Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError",
		"Map", "Set", "WeakMap", "WeakSet", "WeakRef", "FinalizationRegistry", "Promise", "Proxy", "Reflect", "Iterator",
		"ArrayBuffer", "SharedArrayBuffer", "DataView", "Atomics", "Int8Array", "Uint8Array", "Uint8ClampedArray",
		"Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float16Array", "Float32Array", "Float64Array",
		"BigInt64Array", "BigUint64Array", "Intl", "Temporal", "WebAssembly":
		return true
	}
	return false
}
