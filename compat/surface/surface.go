// Package surface keeps the table of what a program can see: each global, member, instance and built-in module in the
// reference's sandbox and in ours. A capability that appears on either side, goes away or changes is a difference from the
// table until someone has recorded it with its reason.
//
// Three nouns. A [Surface] is what one side shows, read by surface.js. An [Entry] is one member on both sides. A [Table]
// is all entries; it is kept in surface.json, and docs/runtime-deviations.md is its prose.
//
//	theirs, err := surface.Parse(logsOfTheProgram)
//	table := surface.NewTable(theirs, ours)
//	changes := recorded.Changes(table)
package surface

import (
	"bytes"
	_ "embed" // surface.js, reasons.json
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// Program reads the surface. It logs one line a member.
//
//go:embed surface.js
var Program string

// Surface maps a member's path to its description:
//
//	"Headers.prototype.append": "function(0) wec"     w, e, c: writable, enumerable, configurable
//	"crypto.subtle":            "accessor get ec"
//	"new Headers()":            "ok"                  or what it throws
//	"node:path join":           "function"
type Surface map[string]string

// Parse reads the lines that the program logged.
func Parse(lines []string) (Surface, error) {
	s := Surface{}
	for _, line := range lines {
		var member [2]string
		if err := json.Unmarshal([]byte(line), &member); err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		if _, twice := s[member[0]]; twice {
			return nil, fmt.Errorf("member %q is there twice", member[0])
		}
		s[member[0]] = member[1]
	}
	return s, nil
}

// Entry is one member on both sides; an empty side has no such member.
type Entry struct {
	Reference string `json:"reference,omitempty"`
	Ours      string `json:"ours,omitempty"`
	// Reason is why the sides differ.
	Reason string `json:"reason,omitempty"`
}

// Same reports whether the sides agree.
func (e Entry) Same() bool { return e.Reference == e.Ours }

// Table maps a member's path to its entry.
type Table map[string]Entry

// NewTable puts two surfaces side by side. Entries that differ have their reason, if there is one.
func NewTable(reference, ours Surface) Table {
	table := Table{}
	for path := range reference {
		table[path] = Entry{Reference: reference[path], Ours: ours[path]}
	}
	for path := range ours {
		table[path] = Entry{Reference: reference[path], Ours: ours[path]}
	}
	known := reasons()
	for path, e := range table {
		if !e.Same() {
			e.Reason = reasonFor(known, path, e)
			table[path] = e
		}
	}
	return table
}

// Paths are the table's members in order.
func (t Table) Paths() []string { return slices.Sorted(maps.Keys(t)) }

// Changes describes each entry in which another table differs.
func (t Table) Changes(now Table) []string {
	var changes []string
	all := maps.Clone(t)
	maps.Copy(all, now)
	for _, path := range all.Paths() {
		if before, after := t[path], now[path]; before != after {
			changes = append(changes, fmt.Sprintf("%s: recorded %s, now %s", path, before, after))
		}
	}
	return changes
}

// Unexplained lists the members that differ for no known reason.
func (t Table) Unexplained() []string {
	return slices.DeleteFunc(t.Paths(), func(path string) bool { return t[path].Same() || t[path].Reason != "" })
}

func (e Entry) String() string {
	return fmt.Sprintf("{reference %q, ours %q}", e.Reference, e.Ours)
}

// Read reads a table: an object whose members are the description where both sides agree, and an entry where not.
func Read(text []byte) (Table, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	table := Table{}
	for path, value := range raw {
		var e Entry
		if value[0] == '"' {
			var same string
			if err := json.Unmarshal(value, &same); err != nil {
				return nil, err
			}
			e = Entry{Reference: same, Ours: same}
		} else if err := json.Unmarshal(value, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		table[path] = e
	}
	return table, nil
}

// Text is the table as Read takes it, one member a line.
func (t Table) Text() []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, path := range t.Paths() {
		var value any = t[path]
		if t[path].Same() {
			value = t[path].Reference
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		b.Write(compact(path))
		b.WriteString(": ")
		b.Write(compact(value))
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

func compact(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // strings always have a rendering
	return bytes.TrimRight(b.Bytes(), "\n")
}

//go:embed reasons.json
var reasonsText []byte

// reason says why members differ whose path it matches. Side is "missing", "added" or "other"; empty is any.
type reason struct {
	Path, Side, Reason string
	pattern            *regexp.Regexp
}

// reasons are the rows of reasons.json; the first that matches an entry gives its reason.
func reasons() []reason {
	var list []reason
	if err := json.Unmarshal(reasonsText, &list); err != nil {
		panic("surface: reasons.json: " + err.Error()) // it is part of the program
	}
	for i := range list {
		list[i].pattern = regexp.MustCompile(list[i].Path)
	}
	return list
}

func reasonFor(known []reason, path string, e Entry) string {
	for _, r := range known {
		if (r.Side == "" || r.Side == e.side()) && r.pattern.MatchString(path) {
			return r.Reason
		}
	}
	return ""
}

// side says how an entry differs: the reference alone has it, we alone have it, or both have it otherwise.
func (e Entry) side() string {
	switch {
	case e.Ours == "":
		return "missing"
	case e.Reference == "":
		return "added"
	}
	return "other"
}
