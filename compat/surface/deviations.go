package surface

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const preface = `# Where the sandbox differs from the reference's

What a program sees here, beside what it sees in the sandbox of @cloudflare/codemode %s on workerd: every global, its
members, the members that instances have, and the built-in modules. %d members are the same. The others stand below
with the reason. The table itself is compat/surface/surface.json; this page is generated from it
(go test ./compat/surface -update).

A description reads like this: function(2) is a function of that length; w, e and c say that a property is writable,
enumerable and configurable.

| | members |
|---|---|
| the same | %d |
| only there | %d |
| only here | %d |
| different | %d |
`

// Deviations is the page about the members that differ, for a release of the reference.
func (t Table) Deviations(release string) string {
	counts := map[string]int{}
	byReason := map[string][]string{}
	for _, path := range t.Paths() {
		e := t[path]
		if e.Same() {
			counts["same"]++
			continue
		}
		counts[e.side()]++
		byReason[e.Reason] = append(byReason[e.Reason], path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, preface, release, counts["same"], counts["same"], counts["missing"], counts["added"], counts["other"])
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		fmt.Fprintf(&b, "\n## %s\n\n| member | reference | here |\n|---|---|---|\n", reason)
		for _, path := range byReason[reason] {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", code(path), code(t[path].Reference), code(t[path].Ours))
		}
	}
	return b.String()
}

// code is a text in a cell of a table.
func code(text string) string {
	if text == "" {
		return "–"
	}
	return "`" + strings.NewReplacer("|", `\|`, "\n", " ", "`", "'").Replace(text) + "`"
}
