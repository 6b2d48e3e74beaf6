package openapi

import (
	"path/filepath"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// tooLargeType stands for a type that is past the limit.
const tooLargeType = `{"description":"Left out: the types of this function are too many."}`

// shapes are the named types of a document, each converted once for each direction, and put together into the schemas of
// tools, which carry what they reach and nothing else.
type shapes struct {
	log   *complaints
	limit int // of one schema, in bytes
	names map[*yaml.Node]string
	taken map[string]int // see numbered
	parts [2]map[*yaml.Node]*part
}

// part is a converted type and what it refers to.
type part struct {
	json string
	refs []*place
	// described says that the schema has a description of its own.
	described bool
}

func newShapes(log *complaints, operations int) *shapes {
	limit := min(MaxSchema, MaxSchemas/(2*max(operations, 1))) // one for what is sent, one for what is received
	return &shapes{log: log, limit: limit, names: map[*yaml.Node]string{}, taken: map[string]int{}, parts: [2]map[*yaml.Node]*part{{}, {}}}
}

// nameCharacter keeps what reads well in a reference.
func nameCharacter(c rune) rune {
	if c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)) || c == '_' || c == '.' || c == '-' {
		return c
	}
	return '_'
}

// name is what a type is called in $defs, the same in all tools.
func (s *shapes) name(to *place) string {
	if name, ok := s.names[to.node]; ok {
		return name
	}
	base := to.key
	if to.up == nil { // a whole file
		base = filepath.Base(to.file.location)
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if base = strings.Trim(strings.Map(nameCharacter, base), "_"); base == "" {
		base = "Type"
	}
	name := numbered(s.taken, base)
	s.names[to.node] = name
	return name
}

// part converts a schema, once for each direction.
func (s *shapes) part(p *place, way direction) *part {
	if known := s.parts[way][p.node]; known != nil {
		return known
	}
	c := &converter{shapes: s, way: way, left: maxNodes}
	made := &part{json: c.schema(p, 0), described: p.text("description") != ""}
	made.refs = c.refs
	s.parts[way][p.node] = made
	return made
}

// complete gives an object of a schema the $defs that it reaches, the nearest first. When they are too much together, the
// farther ones are open.
func (s *shapes) complete(root object, size int, refs []*place, way direction) string {
	if len(refs) == 0 {
		return root.String()
	}
	var defs object
	seen := map[*yaml.Node]bool{}
	for queue := refs; len(queue) > 0; queue = queue[1:] {
		to := queue[0]
		if seen[to.node] {
			continue
		}
		seen[to.node] = true
		p := s.part(to, way)
		json := p.json
		if size+len(json) > s.limit {
			json = tooLargeType
		} else {
			queue = append(queue, p.refs...)
		}
		size += len(json)
		defs = append(defs, jsonMember{s.name(to), json})
	}
	return append(root, jsonMember{"$defs", defs.String()}).String()
}

// bounded is a schema for use inside another: open when it alone is too much.
func (s *shapes) bounded(p *place, way direction) *part {
	if p == nil {
		return &part{json: "{}"}
	}
	one := s.part(p, way)
	if len(one.json) > s.limit {
		return &part{json: tooLargeType, described: true}
	}
	return one
}

// standalone is one schema with what it reaches; empty for one that says nothing.
func (s *shapes) standalone(one *part, way direction) string {
	switch {
	case one.json == "{}" || one.json == "true":
		return ""
	case len(one.refs) == 0:
		return one.json
	}
	// The members of the schema itself, so that a program's types have no wrapper around them.
	inside := strings.TrimSuffix(strings.TrimPrefix(one.json, "{"), "}")
	return "{" + inside + "," + strings.TrimPrefix(s.complete(nil, len(inside), one.refs, way), "{")
}
