package protocol

import "regexp"

// ProviderNamePattern is what a namespace may be called: ASCII only, so that every host spells it alike.
const ProviderNamePattern = `^[a-zA-Z_$][a-zA-Z0-9_$]*$`

var providerName = regexp.MustCompile(ProviderNamePattern)

// IsProviderName reports whether a name matches ProviderNamePattern. It does not ask whether the name is reserved.
func IsProviderName(name string) bool { return providerName.MatchString(name) }

// IsReservedProviderName reports whether a name is bound by the entry scope of every program, or is a global that a
// program's own frame is expected to find.
func IsReservedProviderName(name string) bool {
	switch name {
	case "__dispatch", "Promise", "setTimeout", "Error", "console":
		return true
	}
	return false
}

// ReservedProviderNames lists the names IsReservedProviderName refuses.
func ReservedProviderNames() []string {
	return []string{"__dispatch", "Promise", "setTimeout", "Error", "console"}
}

// IsReservedWord reports whether a name cannot be bound in a program: the words ECMAScript reserves in strict mode code
// and modules, the literals, and eval, arguments and async, which bind but break what follows.
func IsReservedWord(name string) bool {
	switch name {
	case "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum",
		"export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "null",
		"return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with",
		"await", "implements", "interface", "let", "package", "private", "protected", "public", "static", "yield",
		"async", "eval", "arguments":
		return true
	}
	return false
}
