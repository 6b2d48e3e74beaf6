package codetool

import (
	"regexp"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// fencedBlock is a Markdown code block: a fence at a line's start with or without a language, and one of its own line
// that closes it.
var fencedBlock = regexp.MustCompile("(?ms)^[ \t]*```[ \t]*([A-Za-z]*)[ \t]*\r?\n(.*?)^[ \t]*```[ \t]*\r?$")

// unfenced finds the program in prose around a code block. Only a text that is no program itself is looked at: nothing
// of it has run then, and fences in its strings are nobody's business.
func (t *Tool) unfenced(result *dialect.Result, code string) (string, bool) {
	if result.Native == nil || result.Native.Failure == nil || result.Native.Failure.Kind != protocol.FailureSyntax {
		return "", false
	}
	blocks := fencedBlock.FindAllStringSubmatch(code, -1)
	if len(blocks) != 1 {
		return "", false
	}
	return blocks[0][2], true
}
