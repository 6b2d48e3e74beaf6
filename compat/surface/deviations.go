package surface

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const preface = `# Where the sandbox differs from the reference's

For whoever moves programs from the sandbox of @cloudflare/codemode %s on workerd to this one, or back. Both were asked:
every global, its members, the members that instances have, the built-in modules, and how members answer arguments that
they do not expect. Whether the results of whole programs agree is another matter: see compat/.

%d members are the same in kind, flags and length; %d differ, most of them because the engine is of another version.

# How members behave

%s
# Which members differ

| | members |
|---|---|
| the same | %d |
| only there | %d |
| only here | %d |
| different | %d |

function(2) is a function of that length; w, e and c say that a property is writable, enumerable and configurable.
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
	differ := counts["missing"] + counts["added"] + counts["other"]
	fmt.Fprintf(&b, preface, release, counts["same"], differ, behaviour(), counts["same"], counts["missing"], counts["added"], counts["other"])
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		fmt.Fprintf(&b, "\n## %s\n\n| member | reference | here |\n|---|---|---|\n", reason)
		for _, path := range byReason[reason] {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", code(path), code(t[path].Reference), code(t[path].Ours))
		}
	}
	return b.String()
}

// behaviour lists what the probes found on the two sides, a line each.
func behaviour() string {
	lines := map[string]bool{}
	for _, k := range readProbeWords().Known {
		lines["- "+k.Reason+"\n"] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(lines)), "")
}

// code is a text in a cell of a table.
func code(text string) string {
	if text == "" {
		return "–"
	}
	return "`" + strings.NewReplacer("|", `\|`, "\n", " ", "`", "'").Replace(text) + "`"
}
