package codetool

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/codemode-go/codemode/protocol"
)

// maxFrame bounds how much of a line a frame shows, in UTF-16 code units; the column stays in sight.
const maxFrame = 100

// lineEnds are what ends a line to ECMAScript.
var lineEnds = regexp.MustCompile(`\r\n|[\n\r\x{2028}\x{2029}]`)

// frameOf is the line of code at a position, with a caret below the column; empty when there is no such place.
//
//	3 | const b = a.c.d
//	  |             ^
func frameOf(code string, position *protocol.Position) string {
	if position == nil || position.File != "" || position.Line < 1 {
		return ""
	}
	lines := lineEnds.Split(code, -1)
	if position.Line > len(lines) {
		return ""
	}
	line := utf16.Encode([]rune(lines[position.Line-1]))
	column := position.Column - 1
	if column < 0 || column > len(line) || strings.TrimSpace(string(utf16.Decode(line))) == "" {
		return ""
	}
	start := 0
	if column > maxFrame*3/4 {
		start = column - maxFrame/2
	}
	shown := line[start:min(len(line), start+maxFrame)]
	under := make([]rune, 0, column-start+1)
	for _, unit := range line[start:column] {
		if unit == '\t' { // a tab is as wide below as above
			under = append(under, '\t')
		} else {
			under = append(under, ' ')
		}
	}
	number := fmt.Sprint(position.Line)
	return fmt.Sprintf("  %s | %s\n  %s | %s^", number, string(utf16.Decode(shown)), strings.Repeat(" ", len(number)), string(under))
}

// outcomeIs picks the calls that came to an outcome.
func outcomeIs(outcome protocol.CallOutcome) func(*protocol.Call) bool {
	return func(c *protocol.Call) bool { return c.Outcome == outcome }
}

// namesOf are the calls of a ledger that are wanted, each once and in their order, with how many there were.
func namesOf(calls []protocol.Call, wanted func(*protocol.Call) bool) []string {
	counts := map[string]int{}
	var names []string
	for _, call := range calls {
		if !wanted(&call) {
			continue
		}
		name := call.Provider + "." + call.Tool
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if counts[name] > 1 {
			names[i] = fmt.Sprintf("%s ×%d", name, counts[name])
		}
	}
	return names
}
