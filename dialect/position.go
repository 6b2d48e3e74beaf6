package dialect

import (
	"strings"
	"unicode/utf8"

	"github.com/codemode-go/codemode/protocol"
)

// The seams that NormalizeCode sews between pieces of the caller's text.
const (
	wrapSeam   = "async () => {\n"
	returnSeam = "return ("
)

// callerPosition carries a position in the normalised text over to the text it was made from. A position in a module
// passes; one in a seam, but for a return's, or in a text that cannot be traced back, is lost.
func callerPosition(position *protocol.Position, normalized, code string) *protocol.Position {
	if position == nil || position.File != "" {
		return position
	}
	offset, ok := offsetOf(position, normalized)
	if !ok {
		return nil
	}
	at, ok := callerOffset(offset, normalized, code)
	if !ok {
		return nil
	}
	return positionOf(at, code)
}

// callerOffset finds the byte of code that stands at normalized[offset]. The normalised text is code itself, or pieces
// of it in order: the imports, the statements, and a last expression behind a return.
func callerOffset(offset int, normalized, code string) (int, bool) {
	if start := strings.Index(code, normalized); start >= 0 {
		return start + offset, true
	}
	imports, body, ok := strings.Cut(normalized, wrapSeam)
	if !ok {
		return 0, false
	}
	imported := strings.TrimRight(imports, "\n")
	start := strings.Index(code, imported)
	switch {
	case start < 0:
		return 0, false
	case offset < len(imports):
		return start + offset, true
	}
	return bodyOffset(offset-len(imports)-len(wrapSeam), body, code, start+len(imported))
}

// bodyOffset traces the inside of the wrapping arrow: statements, a return seam, an expression, and the closing seam.
func bodyOffset(offset int, body, code string, from int) (int, bool) {
	if offset < 0 {
		return 0, false
	}
	whole := strings.TrimSuffix(body, "\n}")
	declaration := body[:max(strings.LastIndex(body, "\nreturn "), 0)] // of a function, called in the last line
	for _, piece := range []string{whole, declaration} {
		if at := strings.Index(code[from:], piece); piece != "" && at >= 0 && offset <= len(piece) {
			return from + at + offset, true
		}
	}
	for seam := strings.LastIndex(body, returnSeam); seam >= 0; seam = strings.LastIndex(body[:seam], returnSeam) {
		head, tail := body[:seam], body[seam+len(returnSeam):]
		for _, shut := range []string{")();\n}", ");\n}", ")\n}"} {
			tail = strings.TrimSuffix(tail, shut)
		}
		at := strings.Index(code[from:], head)
		if at < 0 || tail == "" {
			continue
		}
		// Parentheses around the expression stay behind in code.
		gap := strings.Index(code[from+at+len(head):], tail)
		if gap < 0 {
			continue
		}
		within := offset - len(head) - len(returnSeam)
		switch {
		case offset < len(head):
			return from + at + offset, true
		case within <= len(tail): // the seam itself stands for what it returns
			return from + at + len(head) + gap + max(within, 0), true
		}
		return 0, false
	}
	return 0, false
}

// offsetOf finds the byte of a position; its columns count UTF-16 code units.
func offsetOf(position *protocol.Position, text string) (int, bool) {
	offset := 0
	for line := 1; line < position.Line; line++ {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			return 0, false
		}
		offset += next + 1
	}
	for column := 1; column < position.Column && offset < len(text) && text[offset] != '\n'; {
		r, size := utf8.DecodeRuneInString(text[offset:])
		column += utf16Length(r)
		offset += size
	}
	return offset, true
}

// positionOf is the inverse of offsetOf.
func positionOf(offset int, text string) *protocol.Position {
	before := text[:min(offset, len(text))]
	column := 1
	for _, r := range before[strings.LastIndexByte(before, '\n')+1:] {
		column += utf16Length(r)
	}
	return &protocol.Position{Line: strings.Count(before, "\n") + 1, Column: column}
}

func utf16Length(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}
