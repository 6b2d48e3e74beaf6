package config

import (
	"fmt"
	"regexp"
	"strings"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expander replaces variables in the strings of one server's entry.
type expander struct {
	// lookup finds an environment variable.
	lookup func(string) (string, bool)
	// special are the names of editors: userHome, workspaceFolder, pathSeparator, "/".
	special map[string]string
	// secrets collects the values that came out of variables whose name says that they are secret.
	secrets []string
}

// expand replaces ${VAR}, ${VAR:-default}, ${env:VAR}, ${env:VAR:-default}, ${input:id} and the editors' own names.
// "$$" is a dollar sign; a dollar sign before anything else, and a "${" that is never closed, stand for themselves. As
// in a shell, the default takes the place of a variable that is unset or empty. The error names the variable, never a
// value.
func (x *expander) expand(text string) (string, error) {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			return b.String(), nil
		}
		b.WriteString(text[:i])
		switch text[i+1] {
		case '$':
			b.WriteByte('$')
			text = text[i+2:]
		case '{':
			end := closingBrace(text[i+2:])
			if end < 0 {
				b.WriteString(text[i:])
				return b.String(), nil
			}
			value, err := x.variable(text[i+2 : i+2+end])
			if err != nil {
				return "", err
			}
			b.WriteString(value)
			text = text[i+2+end+1:]
		default:
			b.WriteByte('$')
			text = text[i+1:]
		}
	}
}

// closingBrace finds the brace that closes a variable whose inside starts at text; variables nest in defaults.
func closingBrace(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "${"):
			depth++
			i++
		case text[i] == '}' && depth == 0:
			return i
		case text[i] == '}':
			depth--
		}
	}
	return -1
}

func (x *expander) variable(inside string) (string, error) {
	if value, ok := x.special[inside]; ok {
		return value, nil
	}
	name, fallback, hasFallback := strings.Cut(inside, ":-")
	kind, rest, hasKind := strings.Cut(name, ":")
	variable := name
	switch {
	case !hasKind:
	case kind == "env":
		variable = rest
	case kind == "input":
		variable = "CODEMODE_INPUT_" + strings.Map(inputCharacter, rest)
	default:
		return "", fmt.Errorf("uses ${%s}, which is no kind of variable that is known here; write $${ for a literal ${", name)
	}
	if !variableName.MatchString(variable) {
		return "", fmt.Errorf("uses ${%s}, which is not the name of a variable; write $${ for a literal ${", name)
	}
	value, ok := x.lookup(variable)
	if ok && (value != "" || !hasFallback) {
		if isSecretName(variable) {
			x.secrets = append(x.secrets, value)
		}
		return value, nil
	}
	if hasFallback {
		return x.expand(fallback)
	}
	if kind == "input" && hasKind {
		return "", fmt.Errorf("asks for the input %q, and nobody can be asked here; set the environment variable %s", rest, variable)
	}
	return "", fmt.Errorf("uses ${%s}, but the environment variable %s is not set; set it or write ${%s:-default}", name, variable, name)
}

// inputCharacter spells an input's id as a part of the name of an environment variable.
func inputCharacter(r rune) rune {
	if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
		return r
	}
	return '_'
}

var secretName = regexp.MustCompile(`(?i)(token|secret|passw|credential|auth|cookie|session|(^|[^a-z])(key|pat|pass|pwd)([^a-z]|$)|api_?key|connection_?string|dsn)`)

// isSecretName guesses from the name of a variable or header whether its value may be shown.
func isSecretName(name string) bool { return secretName.MatchString(name) }
