// Package schema checks values against JSON Schemas of drafts 4 to 2020-12, and tells what is wrong as data.
//
// A [Schema] is one document, made by [Compile]. [Schema.Check] returns a [Problem] for each thing that is wrong with a
// value; whoever shows them words them.
//
// Servers write more than the drafts allow, so Compile takes what it can: a malformed keyword or a reference that leads
// nowhere is left out, and named in [Schema.Warnings]. A keyword means what the draft of $schema says; without one the
// drafts hold together, since each was written by servers that do not say which. format, contentEncoding and their kin
// are annotations. OpenAPI's nullable allows null. Nothing is ever loaded from anywhere.
//
// # Limits
//
// One check looks at half a million schemas at most. A schema that leads straight back to itself constrains nothing by that.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Schema is a compiled document. It is immutable and safe for concurrent use.
type Schema struct {
	root     *node
	tracks   bool // some keyword asks what others have looked at
	recursed bool // $recursiveRef or $dynamicRef occurs
	warnings []string
}

// Warnings says which keywords are left out, each as a path and a sentence.
func (s *Schema) Warnings() []string { return s.warnings }

// draft is a version of JSON Schema; those between have no difference that matters here.
type draft int

const (
	anyDraft  draft = iota // unsaid: what each draft has, together
	draft4                 // "id"; an object with $ref has nothing else
	draft7                 // 6 too; "$id"
	draft2019              // $ref is a keyword like others; unevaluated…
	draft2020              // prefixItems; contains counts as evaluated
)

// drafts are told by what $schema contains.
var drafts = []struct {
	mark  string
	draft draft
}{
	{"draft-04", draft4}, {"draft-06", draft7}, {"draft-07", draft7}, {"2019-09", draft2019}, {"2020-12", draft2020},
}

// Compile reads a document. The error says that it is no schema at all; what is wrong inside it is a warning.
func Compile(document []byte) (*Schema, error) {
	value, err := Decode(document)
	if err != nil {
		return nil, err
	}
	c := newCompiler(value)
	s := &Schema{root: c.compile(value, place{base: c.base})}
	if s.root == nil {
		return nil, fmt.Errorf("a schema is an object or a boolean, this one is %.40s", document)
	}
	c.finish()
	s.tracks, s.recursed, s.warnings = c.tracks, c.recursed, c.warnings
	return s, nil
}

// Decode reads one JSON value as Check takes it: numbers are json.Number and keep their digits.
func Decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the value")
	}
	return value, nil
}

// node is one schema of the document.
type node struct {
	pointer string         // where it stands in the document
	raw     map[string]any // nil for a boolean
	never   bool           // the schema false
	alone   bool           // $ref stands for all of it (drafts 4 to 7)
	scope   *resource

	ref, dynamicRef                                  *node
	dynamicName                                      string // the anchor that a $dynamicRef looks for; "" when it is a plain $ref
	recursive                                        bool   // dynamicRef is a $recursiveRef
	types                                            []string
	enum                                             []string // canonical
	properties                                       map[string]*node
	patterns                                         []patternNode
	additional, propertyNames, unevaluatedProperties *node
	dependentSchemas                                 map[string]*node
	dependentRequired                                map[string][]string
	required                                         []string
	prefix                                           []*node
	items, contains, unevaluatedItems                *node
	containsEvaluates                                bool
	allOf, anyOf, oneOf                              []*node
	not, condition, then, otherwise                  *node
	bounds                                           []bound
	pattern                                          matcher
	minimumContains, maximumContains, uniqueEnforced int // -1 when absent; uniqueEnforced is 1 or 0
	nullable                                         bool
}

type patternNode struct {
	source string
	match  matcher
	schema *node
}

// bound is a keyword with a number.
type bound struct {
	keyword string
	limit   json.Number
}

// place is where a schema stands: its JSON pointer and the URI that references in it are relative to.
type place struct {
	pointer, base string
	scope         *resource
}

func (p place) down(steps ...string) place {
	var b strings.Builder
	b.WriteString(p.pointer)
	for _, step := range steps {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1"))
	}
	p.pointer = b.String()
	return p
}
