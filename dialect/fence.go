package dialect

import (
	"strings"

	"github.com/codemode-go/codemode/dialect/internal/jsparse"
)

const fence = "```"

// stripFence returns what stands between a Markdown code fence that wraps the whole of s, which must be trimmed. The
// fence may be tagged js, javascript, typescript, ts, tsx, jsx or not at all, with white space up to the end of that
// line; the closing fence may share a line with code. Anything else is returned as it is. (Upstream normalize.ts.)
func stripFence(s span) span {
	rest, ok := strings.CutPrefix(s.text, fence)
	if !ok {
		return s
	}
	tag := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))]
	switch tag {
	case "", "js", "javascript", "typescript", "ts", "tsx", "jsx":
	default:
		return s
	}
	rest = rest[len(tag):]
	gap := rest[:len(rest)-len(strings.TrimLeftFunc(rest, jsparse.IsSpace))]
	newline := strings.LastIndexByte(gap, '\n')
	start := len(fence) + len(tag) + newline + 1
	end := len(s.text) - len(fence)
	if newline < 0 || end < start || s.text[end:] != fence {
		return s
	}
	return s.slice(start, end)
}
