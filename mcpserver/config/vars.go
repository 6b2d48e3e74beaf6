package config

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	bareName     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
)

// expander replaces variables in the strings of one server's entry.
type expander struct {
	// lookup finds an environment variable.
	lookup func(string) (string, bool)
	// special are the names of editors: userHome, workspaceFolder, pathSeparator, "/".
	special map[string]string
	// inputs are what VS Code would ask its user for, by "id"; nil is none.
	inputs   *node
	spelling spelling
	commands *commands
	// absolute resolves a path of the file.
	absolute func(string) string
	// asWritten has variables stand for themselves, except those that are special.
	asWritten bool
	// secrets collects the values that came out of variables whose name says that they are secret, and of secret stores.
	secrets []string
}

// expand replaces ${VAR}, ${VAR:-default}, ${env:VAR}, ${env:VAR:-default}, ${input:id}, ${keychain:service/account},
// ${command:shell command} and the editors' own names, and what only some hosts write (see spelling). "$$" is a dollar
// sign; a dollar sign before anything else, and a "${" that is never closed, stand for themselves. As in a shell, the
// default takes the place of a variable that is unset or empty. The error names the variable, never a value.
func (x *expander) expand(text string) (string, error) {
	var b strings.Builder
	for text != "" {
		literal, inside, rest := x.next(text)
		b.WriteString(literal)
		if inside != "" {
			value, err := x.variable(inside)
			if err != nil {
				return "", err
			}
			b.WriteString(value)
		}
		text = rest
	}
	return b.String(), nil
}

// next takes the text apart up to the first variable: what stands before it, its inside (empty when there is none), and
// the rest.
func (x *expander) next(text string) (literal, inside, rest string) {
	marks := "$"
	if x.spelling.braces {
		marks = "${"
	}
	i := strings.IndexAny(text, marks)
	if i < 0 || i+1 == len(text) {
		return text, "", ""
	}
	literal, after := text[:i], text[i+1:]
	switch {
	case text[i] == '{':
		if end := closingBrace(after); end > 0 && (strings.HasPrefix(after, "env:") || strings.HasPrefix(after, "file:")) {
			return literal, after[:end], after[end+1:]
		}
		return text[:i+1], "", after
	case after[0] == '$':
		return literal + "$", "", after[1:]
	case after[0] == '{':
		if end := closingBrace(after[1:]); end > 0 {
			return literal, after[1 : 1+end], after[1+end+1:]
		} else if end < 0 {
			return text, "", ""
		}
	case x.spelling.bareDollar:
		if name := bareName.FindString(after); name != "" {
			return literal, name, after[len(name):]
		}
	}
	return text[:i+1], "", after
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
	if x.asWritten {
		return "${" + inside + "}", nil
	}
	kind, rest, hasKind := strings.Cut(inside, ":")
	if hasKind && kind == "command" {
		return x.secret(x.commands.run(rest))
	}
	name, fallback, hasFallback := strings.Cut(inside, ":-")
	if kind, rest, hasKind = strings.Cut(name, ":"); !hasKind {
		return x.environment(name, name, fallback, hasFallback)
	}
	switch kind {
	case "env":
		return x.environment(name, rest, fallback, hasFallback)
	case "input":
		return x.input(rest, fallback, hasFallback)
	case "keychain":
		return x.secret(x.commands.keychain(rest))
	case "file":
		if x.spelling.braces {
			return x.file(rest)
		}
	}
	return "", fmt.Errorf("uses ${%s}, which is no kind of variable that is known here; write $${ for a literal ${", name)
}

// environment is the value of ${name}, which means the environment variable.
func (x *expander) environment(name, variable, fallback string, hasFallback bool) (string, error) {
	if !variableName.MatchString(variable) {
		return "", fmt.Errorf("uses ${%s}, which is not the name of a variable; write $${ for a literal ${", name)
	}
	value, ok := x.lookup(variable)
	switch {
	case ok && (value != "" || !hasFallback):
		if isSecretName(variable) {
			x.secrets = append(x.secrets, value)
		}
		return value, nil
	case hasFallback:
		return x.expand(fallback)
	}
	return "", fmt.Errorf("uses ${%s}, but the environment variable %s is not set; set it or write ${%s:-default}", name, variable, name)
}

// input is what VS Code would ask its user for. Nobody can be asked here, so an environment variable holds it, or else
// the input's own default.
func (x *expander) input(id, fallback string, hasFallback bool) (string, error) {
	variable := "CODEMODE_INPUT_" + strings.Map(inputCharacter, id)
	var definition *node
	if x.inputs != nil {
		for _, item := range x.inputs.items {
			if d := item.get("id"); d != nil && d.text == id {
				definition = item
			}
		}
	}
	if value, ok := x.lookup(variable); ok {
		if definition.get("password").is("true") || isSecretName(id) {
			x.secrets = append(x.secrets, value)
		}
		return value, nil
	}
	if d := definition.get("default"); kindOf(d) == isString {
		return d.text, nil
	}
	if hasFallback {
		return x.expand(fallback)
	}
	what := ""
	if d := definition.get("description"); kindOf(d) == isString {
		what = fmt.Sprintf(" (%s)", d.text)
	}
	return "", fmt.Errorf("asks for the input %q%s, and nobody can be asked here; set the environment variable %s", id, what, variable)
}

// file is the text of a file, as opencode's {file:path} has it.
func (x *expander) file(name string) (string, error) {
	data, err := os.ReadFile(x.absolute(name))
	if err != nil {
		return "", fmt.Errorf("uses {file:%s}, which cannot be read", name)
	}
	return x.secret(strings.TrimSpace(string(data)), nil)
}

// secret remembers a value that is one.
func (x *expander) secret(value string, err error) (string, error) {
	if err == nil {
		x.secrets = append(x.secrets, value)
	}
	return value, err
}

// redact removes the secrets found so far from a message.
func (x *expander) redact(text string) string {
	var s Server
	s.addSecrets(x.secrets...)
	return s.Redact(text)
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
