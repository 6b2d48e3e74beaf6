package link

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A reference to an imported name becomes a read of the imports object. esbuild does that, with all its care for shadowing
// and calls, when it prints CommonJS. A transform costs esbuild far more than a small module does, so many units share one.

// draft is the unit of a module whose references are to be rewritten: a generator function without a name, of which head is
// what comes before the name and rest what comes behind.
type draft struct {
	unit       *unitInfo
	head, rest string
}

// mostTogether bounds the texts that share a transform, and with it what finding out costs whether they can.
const mostTogether = 64 << 10

// together is drafts that share a transform, and all the names that they import.
type together struct {
	drafts []*draft
	names  map[string]bool
	bytes  int
}

// takes adds a draft, unless one of the names that it or the others import occurs in a text that does not import it, where it
// is something else.
func (g *together) takes(d *draft) bool {
	if len(g.drafts) > 0 && g.bytes+len(d.rest) > mostTogether {
		return false
	}
	own := map[string]bool{}
	for _, b := range d.unit.imports {
		own[b.local] = true
	}
	for name := range g.names {
		if !own[name] && strings.Contains(d.rest, name) {
			return false
		}
	}
	for name := range own {
		if g.names[name] {
			continue
		}
		for _, other := range g.drafts {
			if !other.unit.hasImport(name) && strings.Contains(other.rest, name) {
				return false
			}
		}
	}
	for name := range own {
		g.names[name] = true
	}
	g.drafts = append(g.drafts, d)
	g.bytes += len(d.rest)
	return true
}

func (u *unitInfo) hasImport(name string) bool {
	for _, b := range u.imports {
		if b.local == name {
			return true
		}
	}
	return false
}

// gather puts drafts together.
func gather(drafts []*draft) []*together {
	var groups []*together
	for _, d := range drafts {
		if last := len(groups) - 1; last >= 0 && groups[last].takes(d) {
			continue
		}
		g := &together{names: map[string]bool{}}
		g.takes(d)
		groups = append(groups, g)
	}
	return groups
}

// rewrite finishes the units of its drafts.
func (g *together) rewrite() {
	name := g.freeName()
	input := importClause(g.names)
	starts := make([]int, len(g.drafts)) // the lines on which the drafts begin
	line := strings.Count(input, "\n")
	var text strings.Builder
	text.WriteString(input)
	for i, d := range g.drafts {
		starts[i] = line
		fmt.Fprintf(&text, "%s%s%d%s", d.head, name, i, d.rest)
		line += strings.Count(d.rest, "\n")
	}
	code, sourceMap, header, ok := rewritten(text.String())
	end := len(code)
	for i := len(g.drafts) - 1; i >= 0; i-- {
		d := g.drafts[i]
		if !ok {
			d.unit.code = d.head + d.rest
			continue
		}
		opening := fmt.Sprintf("%s%s%d", d.head, name, i)
		at := strings.LastIndex(code[:end], opening)
		d.unit.code = d.head + strings.TrimRight(code[at+len(opening):end], "\n") + "\n"
		d.unit.importsName = header.object
		steps := []lineMap{{shift: -strings.Count(code[:at], "\n") - header.lines, sourceMap: sourceMap}, {shift: starts[i]}}
		d.unit.maps = append(steps, d.unit.maps...)
		d.unit.mapBytes += len(sourceMap) / len(g.drafts)
		end = at
	}
}

// freeName is a word that occurs in none of the texts.
func (g *together) freeName() string {
	name := "$body"
	for n := 0; ; n++ {
		free := true
		for _, d := range g.drafts {
			free = free && !strings.Contains(d.rest, name)
		}
		if free {
			return name
		}
		name = fmt.Sprintf("$body%d_", n)
	}
}

// rewrite turns the references in a program's expression.
func (u *unitInfo) rewrite(expression string) {
	names := map[string]bool{}
	for _, b := range u.imports {
		names[b.local] = true
	}
	code, sourceMap, header, ok := rewritten(importClause(names) + expression)
	if ok {
		u.importsName = header.object
		u.maps = append([]lineMap{{shift: -header.lines, sourceMap: sourceMap}, {shift: 1}}, u.maps...)
		u.mapBytes += len(sourceMap)
	} else {
		code = expression
	}
	u.code = strings.TrimSuffix(strings.TrimRight(code, "\n"), ";")
}

// importClause is the import of names from one synthetic module.
func importClause(names map[string]bool) string {
	return "import {" + strings.Join(slices.Sorted(maps.Keys(names)), ", ") + "} from \"i\";\n"
}

// importHeader is the line esbuild prints for that import.
var importHeader = regexp.MustCompile(`(?m)^var (import_i\d*) = require\("i"\);\n`)

// header is what was printed before the code: so many lines, and the name of the imports object.
type header struct {
	lines  int
	object string
}

// rewritten is a text without its import, and with every reference to what it imported rewritten; ok is false when there is
// no such reference.
func rewritten(text string) (code string, sourceMap []byte, h header, ok bool) {
	result := api.Transform(text, api.TransformOptions{
		Format: api.FormatCommonJS, Loader: api.LoaderJS, Target: api.ESNext, LogLevel: api.LogLevelSilent,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, Charset: api.CharsetUTF8,
	})
	at := importHeader.FindSubmatchIndex(result.Code)
	if at == nil {
		return "", nil, header{}, false
	}
	h = header{bytes.Count(result.Code[:at[1]], []byte("\n")), string(result.Code[at[2]:at[3]])}
	return string(result.Code[at[1]:]), result.Map, h, true
}
