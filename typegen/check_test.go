package typegen_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// checkTypeScript reads printed declarations as a TypeScript scanner would and
// returns what is unsound about them: a comment or string that does not end
// where it should, brackets that do not match, text outside of comments and
// strings that no declaration has, a type that is declared twice or not at all.
func checkTypeScript(text string) error {
	code, err := stripCommentsAndStrings(text)
	if err != nil {
		return err
	}
	var open []byte
	for i, r := range code {
		switch {
		case strings.ContainsRune("{[(", r):
			open = append(open, byte(r))
		case strings.ContainsRune("}])", r):
			if len(open) == 0 || !strings.Contains("{} [] ()", string(open[len(open)-1])+string(r)) {
				return fmt.Errorf("%q closes nothing in …%s", r, code[max(0, i-80):i])
			}
			open = open[:len(open)-1]
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r):
		case strings.ContainsRune(" \n\t_$?:;,.=<>|&+-\"", r):
		default:
			return fmt.Errorf("%q outside of comments and strings in …%s", r, code[max(0, i-80):i])
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%d brackets stay open", len(open))
	}
	declared := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^type (\S+) = `).FindAllStringSubmatch(code, -1) {
		if declared[match[1]] {
			return fmt.Errorf("type %s is declared twice", match[1])
		}
		declared[match[1]] = true
	}
	for _, match := range regexp.MustCompile(`\(input: ([^)]*)\) => Promise<([^>]*)>`).FindAllStringSubmatch(code, -1) {
		for _, name := range match[1:] {
			if !declared[name] {
				return fmt.Errorf("type %s is used and not declared", name)
			}
		}
	}
	return nil
}

// stripCommentsAndStrings empties the comments and strings of text.
func stripCommentsAndStrings(text string) (string, error) {
	var code strings.Builder
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return "", fmt.Errorf("a comment stays open: %.80s", rest)
			}
			body := rest[2 : 2+end]
			if i := strings.IndexFunc(body, isHidden); i >= 0 {
				return "", fmt.Errorf("%q in a comment: %.80s", body[i:i+1], body)
			}
			rest = rest[end+4:]
		case rest[0] == '"':
			end := 1
			for end < len(rest) && rest[end] != '"' && rest[end] != '\n' {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(rest) || rest[end] != '"' {
				return "", fmt.Errorf("a string stays open: %.80s", rest)
			}
			if strings.IndexFunc(rest[:end], isHidden) >= 0 {
				return "", fmt.Errorf("a control character in a string: %.80s", rest)
			}
			code.WriteString(`""`)
			rest = rest[end+1:]
		default:
			code.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	return code.String(), nil
}

func isHidden(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == 0x7F || r == '\u2028' || r == '\u2029'
}

func TestCheckTypeScriptFindsFaults(t *testing.T) {
	sound := "type AInput = {\n    /** a *\\/ b */\n    \"x\\\"\"?: (\"a\" | \"b\")[];\n}\ntype AOutput = unknown\n\n" +
		"declare const codemode: {\n\t/**\n\t * a\n\t */\n\ta: (input: AInput) => Promise<AOutput>;\n}"
	if err := checkTypeScript(sound); err != nil {
		t.Errorf("sound text: %v", err)
	}
	for name, broken := range map[string]string{
		"closed comment":  strings.Replace(sound, `a *\/ b`, `a */ ! /*`, 1),
		"open comment":    strings.Replace(sound, "\t */", "", 1),
		"line end":        strings.Replace(sound, `a *\/ b`, "a\u2028b", 1),
		"open string":     strings.Replace(sound, `\"`, `\`, 1),
		"open bracket":    strings.Replace(sound, ")[]", "[]", 1),
		"duplicate type":  sound + "\ntype AInput = string",
		"undeclared type": strings.Replace(sound, "<AOutput>", "<BOutput>", 1),
		"stray text":      sound + "`",
	} {
		if err := checkTypeScript(broken); err == nil {
			t.Errorf("%s: no fault found in\n%s", name, broken)
		}
	}
}
