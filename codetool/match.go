package codetool

import (
	"path"
	"slices"
	"strings"
)

// Matches reports whether one of the patterns of path.Match matches one of the names of a thing: what its server calls it,
// and what programs do. Case does not count, and a slash in a name is a character like any other. An empty name is none.
// It is what every list of globs over servers or tools is held against, so that all of them mean the same.
func Matches(patterns []string, names ...string) bool {
	plain := func(text string) string { return strings.ToLower(strings.ReplaceAll(text, "/", "\x00")) }
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			ok, err := path.Match(plain(pattern), plain(name))
			return err == nil && ok && name != ""
		})
	})
}

// ToolIdentifiers are the identifiers under which programs see tools of these names that are listed together, in their order.
func ToolIdentifiers(names []string) []string { return assignIdentifiers(names, toolIdentifier) }
