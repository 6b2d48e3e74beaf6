package ui

import (
	"regexp"
	"strings"
)

// Span is a part of a program's text with the class of the style sheet that it has; empty is none.
type Span struct{ Class, Text string }

// Line is one line of a program.
type Line struct {
	Number int
	Spans  []Span
	// Failing says that the program failed in it.
	Failing bool
}

// token finds comments, strings, numbers and words of JavaScript and TypeScript. It is a picture and no parser: a regular
// expression literal reads as operators, and a template with its expressions as one text.
var token = regexp.MustCompile("(?s)" +
	`(//[^\n]*|/\*.*?(?:\*/|$))` +
	`|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|` + "`(?:[^`\\\\]|\\\\.)*`?)" +
	`|(\b\d[\w.]*)` +
	`|([A-Za-z_$][\w$]*)`)

var keywords = wordSet(`abstract any as async await bigint boolean break case catch class const continue declare default delete do else enum export
	extends false finally for from function if implements import in instanceof interface keyof let never new null number object of
	private protected public readonly return static string super switch symbol this throw true try type typeof undefined unknown
	var void while with yield`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// highlight cuts a text into lines of spans. All of the text is there, made visible, but for line ends after it.
func highlight(text string, failing int) []Line {
	text = strings.TrimRight(text, "\r\n")
	lines := []Line{{Number: 1, Failing: failing == 1}}
	add := func(class, part string) {
		for i, piece := range strings.Split(visible(strings.ReplaceAll(part, "\r\n", "\n")), "\n") {
			if i > 0 {
				n := len(lines) + 1
				lines = append(lines, Line{Number: n, Failing: failing == n})
			}
			if piece != "" {
				last := &lines[len(lines)-1]
				last.Spans = append(last.Spans, Span{class, piece})
			}
		}
	}
	at := 0
	for _, m := range token.FindAllStringSubmatchIndex(text, -1) {
		class := ""
		switch {
		case m[2] >= 0:
			class = "comment"
		case m[4] >= 0:
			class = "string"
		case m[6] >= 0:
			class = "number"
		case keywords[text[m[8]:m[9]]]:
			class = "keyword"
		case m[9] < len(text) && text[m[9]] == '(':
			class = "call"
		default:
			continue // with the text around it
		}
		add("", text[at:m[0]])
		add(class, text[m[0]:m[1]])
		at = m[1]
	}
	add("", text[at:])
	return lines
}
