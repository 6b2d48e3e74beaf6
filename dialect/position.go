package dialect

import (
	"strings"
	"unicode/utf8"

	"github.com/codemode-go/codemode/protocol"
)

// PositionIn carries a place in NormalizeCode(code) over to code; nil when code has no such place.
func PositionIn(code string, position *protocol.Position) *protocol.Position {
	return callerPosition(position, code)
}

// callerPosition carries a position in NormalizeCode(code) over to code. A position in a module passes. One in the glue
// that NormalizeCode puts between pieces of code is lost, but for a return's, which stands for what it returns.
func callerPosition(position *protocol.Position, code string) *protocol.Position {
	if position == nil || position.File != "" {
		return position
	}
	spans := normalize(code)
	offset, ok := offsetOf(position, join(spans))
	if !ok {
		return nil
	}
	for i, s := range spans {
		switch {
		case s.at >= 0 && offset <= len(s.text): // the end, too: there an unfinished program breaks off
			return positionOf(s.at+offset, code)
		case s.at < 0 && offset < len(s.text):
			if s.text == returnGlue && i+1 < len(spans) {
				return positionOf(spans[i+1].at, code)
			}
			return nil
		}
		offset -= len(s.text)
	}
	return nil
}

// lineTerminators end a line to ECMAScript.
const lineTerminators = "\n\r\u2028\u2029"

// offsetOf finds the byte of a position; its columns count UTF-16 code units.
func offsetOf(position *protocol.Position, text string) (int, bool) {
	offset := 0
	for line := 1; line < position.Line; line++ {
		end := strings.IndexAny(text[offset:], lineTerminators)
		if end < 0 {
			return 0, false
		}
		offset += end + terminatorLength(text[offset+end:])
	}
	for column := 1; column < position.Column && offset < len(text); {
		r, size := utf8.DecodeRuneInString(text[offset:])
		if strings.ContainsRune(lineTerminators, r) {
			break
		}
		column += utf16Length(r)
		offset += size
	}
	return offset, true
}

// positionOf is the inverse of offsetOf.
func positionOf(offset int, text string) *protocol.Position {
	p := &protocol.Position{Line: 1, Column: 1}
	for rest := text[:offset]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if strings.ContainsRune(lineTerminators, r) {
			size = terminatorLength(rest)
			p.Line, p.Column = p.Line+1, 1
		} else {
			p.Column += utf16Length(r)
		}
		rest = rest[size:]
	}
	return p
}

// terminatorLength is how many bytes the line terminator takes that text starts with.
func terminatorLength(text string) int {
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	_, size := utf8.DecodeRuneInString(text)
	return size
}

func utf16Length(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}
