package dialect

import (
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/dialect/internal/jsparse"
)

// SanitizeToolName returns the JavaScript identifier under which programs call
// the tool called name. Hyphens, dots and white space become "_"; every other
// character outside [a-zA-Z0-9_$] is dropped; a leading digit gains a "_" in
// front and a reserved word one behind. A name with no usable character is
// "_". Different names may share an identifier, see [DetectSanitizeCollision].
func SanitizeToolName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '-' || r == '.' || jsparse.IsSpace(r):
			b.WriteByte('_')
		case isToolNameChar(r):
			b.WriteRune(r)
		}
	}
	id := b.String()
	if id == "" {
		return "_"
	}
	if '0' <= id[0] && id[0] <= '9' {
		id = "_" + id
	}
	if isReservedIdentifier(id) {
		id += "_"
	}
	return id
}

func isToolNameChar(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '$'
}

// isReservedIdentifier reports whether id is a name a tool never gets: a
// reserved word of any ECMAScript edition, the future-reserved words of ES1 to
// ES3 among them, the strict-mode names arguments and eval, and undefined,
// which generated source must not shadow. The set is the upstream type
// generator's (@cloudflare/codemode, src/utils.ts) word for word, because the
// identifier shown to the model has to be the identifier looked up.
func isReservedIdentifier(id string) bool {
	switch id {
	case "abstract", "arguments", "await", "boolean", "break", "byte", "case", "catch", "char", "class",
		"const", "continue", "debugger", "default", "delete", "do", "double", "else", "enum", "eval",
		"export", "extends", "false", "final", "finally", "float", "for", "function", "goto", "if",
		"implements", "import", "in", "instanceof", "int", "interface", "let", "long", "native", "new",
		"null", "package", "private", "protected", "public", "return", "short", "static", "super",
		"switch", "synchronized", "this", "throw", "throws", "transient", "true", "try", "typeof",
		"undefined", "var", "void", "volatile", "while", "with", "yield":
		return true
	}
	return false
}

// FormatSanitizeCollision composes the text for two tool names, a and b as the
// host wrote them, that both become identifier in provider. Hosts show the
// text to their model and compare it, so it is contract (upstream
// executor.ts); this is the only place that words it.
func FormatSanitizeCollision(a, b, identifier, provider string) string {
	return fmt.Sprintf(`Tool names "%s" and "%s" both sanitize to "%s" in provider "%s"`, a, b, identifier, provider)
}

// DetectSanitizeCollision walks toolNames, the raw names of provider's tools
// in declaration order, and returns the text for the first name whose
// identifier an earlier, different name took already. Unlike upstream, which
// lets the empty name be overwritten silently, it treats "" as any other name.
func DetectSanitizeCollision(provider string, toolNames []string) (text string, collides bool) {
	taken := make(map[string]string, len(toolNames))
	for _, name := range toolNames {
		id := SanitizeToolName(name)
		if earlier, ok := taken[id]; ok && earlier != name {
			return FormatSanitizeCollision(earlier, name, id, provider), true
		}
		taken[id] = name
	}
	return "", false
}
