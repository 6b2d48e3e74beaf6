package codetool

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

const (
	// maxUnheard bounds how many promises that rejected unheard are told, maxUnheardText the characters of one's error.
	maxUnheard     = 3
	maxUnheardText = 300

	failedUnheard = "Failed, and nobody heard of it, since it was not awaited: %s. Write await before the call."
)

// unheardCalls are the calls whose answer came when the program had ended: those that are known to have failed, and the others.
// The losers of a race are as they were meant.
func unheardCalls(calls []protocol.Call, code string) (failed, lost []string) {
	if races.MatchString(code) {
		return nil, nil
	}
	failed = namesOf(calls, func(c *protocol.Call) bool { return c.Unheard && c.Outcome == protocol.CallFailed })
	lost = namesOf(calls, func(c *protocol.Call) bool { return c.Unheard && c.Outcome != protocol.CallFailed })
	return failed, lost
}

// races finds what goes on with the first of several answers.
var races = regexp.MustCompile(`\bPromise\s*\.\s*(race|any)\b`)

// unheardOf words what rejected in a run while nobody listened, a sentence for each promise: a tool's failure, or any other
// error with its place in the caller's text, of which ran is the reading that was run.
//
//	Failed, and nobody heard of it, since it was not awaited: github.list_issues (Error: no such repository). Write await before the call.
//	Thrown, and nobody heard of it: TypeError: x.map is not a function (line 3:9). Await every promise, or catch what it throws.
func unheardOf(rejections []protocol.Rejection, ran retry) []string {
	var calls, others []string
	for _, one := range rejections {
		text := clippedTo(wordsOf(one), maxUnheardText)
		if one.Call != "" {
			calls = append(calls, fmt.Sprintf("%s (%s)", one.Call, text))
			continue
		}
		if at := ran.inCallersText(dialect.PositionIn(ran.code, one.Position)); at != nil {
			text += (&Failure{Position: at}).place()
		}
		others = append(others, text)
	}
	var sentences []string
	if len(calls) > 0 {
		sentences = append(sentences, fmt.Sprintf(failedUnheard, firstOf(calls)))
	}
	if len(others) > 0 {
		sentences = append(sentences, "Thrown, and nobody heard of it: "+firstOf(others)+". Await every promise, or catch what it throws.")
	}
	return sentences
}

// wordsOf is a rejection as "Name: message".
func wordsOf(one protocol.Rejection) string {
	switch {
	case one.Name == "" || one.Name == one.Message:
		return one.Message
	case one.Message == "":
		return one.Name
	}
	return one.Name + ": " + one.Message
}

// firstOf joins the first few of several texts and counts the others.
func firstOf(texts []string) string {
	shown := strings.Join(texts[:min(len(texts), maxUnheard)], "; ")
	if more := len(texts) - maxUnheard; more > 0 {
		shown += fmt.Sprintf("; and %d more", more)
	}
	return shown
}
