package codetool

import (
	"slices"
	"strings"

	"github.com/codemode-go/codemode/protocol"
)

// suggestTool names the tool that a call of an unknown name in ns most likely meant: one of a like name in ns, else the
// one that is called exactly so in another namespace. Empty when there is none.
func suggestTool(name string, ns *namespace, all []*namespace) string {
	candidates := make([]string, len(ns.tools))
	for i, tool := range ns.tools {
		candidates[i] = tool.identifier
	}
	if near := nearest(name, candidates); near != "" {
		return near
	}
	for _, other := range all {
		for _, tool := range other.tools {
			if other != ns && (tool.identifier == name || tool.Name == name) {
				return other.identifier + "." + tool.identifier
			}
		}
	}
	return ""
}

// suggestName names what a program most likely meant by a variable that does not exist.
func (t *Tool) suggestName(name string) string {
	var namespaces []string
	for _, ns := range t.namespaces {
		namespaces = append(namespaces, ns.identifier)
	}
	if near := nearest(name, namespaces); near != "" {
		return near
	}
	for _, ns := range t.namespaces {
		for _, tool := range ns.tools {
			if tool.identifier == name {
				return ns.identifier + "." + name
			}
		}
	}
	return ""
}

// nearest returns the candidate closest to name, if one is close: the same but for case and separators, or at most one
// slip in four characters away. Of equally close ones it returns the first by name.
func nearest(name string, candidates []string) string {
	folded := fold(name)
	limit := len(folded) / 4
	best, bestDistance := "", limit+1
	for _, candidate := range candidates {
		distance := editDistance(folded, fold(candidate), limit)
		if distance < bestDistance || distance == bestDistance && distance <= limit && candidate < best {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

func fold(name string) []rune {
	return []rune(strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name)))
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours; past limit it stops counting.
func editDistance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		if slices.Min(row) > limit {
			return limit + 1
		}
		before, last = last, row
	}
	return last[len(b)]
}

// undefinedName finds the variable of code that a ReferenceError says does not exist; empty when it says something else.
// The engine's place is no help: it may be that of the whole statement.
func undefinedName(failure *protocol.Failure, code string) string {
	if failure.Name != "ReferenceError" {
		return ""
	}
	for _, name := range strings.FieldsFunc(code, func(r rune) bool { return !isIdentifierPart(r) }) {
		if failure.Message == name+" is not defined" {
			return name
		}
	}
	return ""
}
