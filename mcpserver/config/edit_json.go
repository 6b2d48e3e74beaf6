package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// cutJSON removes members of the object under key, with the commas that belong to them, and lines that become empty.
func cutJSON(data []byte, key string, names []string) (rest []byte, pieces []string, err error) {
	top, err := parseOrEmptyJSON(data)
	if err != nil {
		return nil, nil, err
	}
	servers := top.get(key)
	if servers == nil {
		return data, nil, nil
	}
	if servers.kind != isObject {
		return nil, nil, fmt.Errorf("%q must be an object of servers, is %s", key, servers.kind)
	}
	gone := make([]bool, len(data))
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			gone[i] = true
		}
	}
	commas := commasAfter(data, servers)
	lastKept := -1
	for i, m := range servers.members {
		if !slices.Contains(names, m.key) {
			lastKept = i
			continue
		}
		pieces = append(pieces, string(data[m.start:m.value.end]))
		mark(m.start, m.value.end)
		if commas[i] >= 0 {
			mark(commas[i], commas[i]+1)
		}
	}
	last := len(servers.members) - 1
	if lastKept >= 0 && lastKept < last && commas[last] < 0 { // what is now the last one must not have a comma
		mark(commas[lastKept], commas[lastKept]+1)
	}
	return withoutMarked(data, gone, servers), pieces, nil
}

func parseOrEmptyJSON(data []byte) (*node, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark))) == 0 {
		return &node{kind: isObject}, nil
	}
	return parseJSON(data)
}

// commasAfter finds the comma behind each member, or -1. Between a member and its comma only space and comments are.
func commasAfter(data []byte, object *node) []int {
	places := make([]int, len(object.members))
	for i, m := range object.members {
		at := m.value.end
		for at < object.end {
			if c := data[at]; c == ' ' || c == '\t' || c == '\r' || c == '\n' {
				at++
			} else if c == '/' {
				at = commentEnd(data, at)
			} else {
				break
			}
		}
		places[i] = -1
		if at < object.end && data[at] == ',' {
			places[i] = at
		}
	}
	return places
}

// withoutMarked drops the marked bytes, and lines inside the object on which nothing else is.
func withoutMarked(data []byte, gone []bool, object *node) []byte {
	for start := object.start; start < object.end; {
		end := start + 1 + bytes.IndexByte(data[start:object.end], '\n')
		if end == start {
			end = object.end
		}
		whole, any := data[end-1] == '\n' && start > object.start, false
		for i := start; i < end; i++ {
			any = any || gone[i]
			whole = whole && (gone[i] || strings.IndexByte(" \t\r\n", data[i]) >= 0)
		}
		if whole && any {
			for i := start; i < end; i++ {
				gone[i] = true
			}
		}
		start = end
	}
	out := make([]byte, 0, len(data))
	for i, c := range data {
		if !gone[i] {
			out = append(out, c)
		}
	}
	return out
}

// insertJSON puts members in front of those of the object under key.
func insertJSON(data []byte, key string, pieces []string) ([]byte, error) {
	top, err := parseOrEmptyJSON(data)
	if err != nil {
		return nil, err
	}
	if top.end == 0 { // nothing is there yet
		return insertJSON([]byte("{\n}\n"), key, pieces)
	}
	servers := top.get(key)
	if servers == nil {
		data = prepend(data, top, []string{fmt.Sprintf("%q: {\n  }", key)}, "  ")
		if top, err = parseJSON(data); err != nil {
			return nil, err
		}
		servers = top.get(key)
	}
	return prepend(data, servers, pieces, lineIndent(data, servers.start)+"  "), nil
}

// prepend puts members behind the opening brace of an object: on lines of their own, unless the object is on one line.
func prepend(data []byte, object *node, pieces []string, indent string) []byte {
	inner := data[object.start+1 : object.end-1]
	if first := len(object.members); first > 0 && bytes.IndexByte(inner, '\n') >= 0 {
		indent = lineIndent(data, object.members[0].start)
	}
	newline := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		newline = "\r\n"
	}
	var b bytes.Buffer
	b.Write(data[:object.start+1])
	single := len(object.members) > 0 && bytes.IndexByte(inner, '\n') < 0
	for i, piece := range pieces {
		if !single {
			b.WriteString(newline + indent)
		} else if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(piece)
		if i+1 < len(pieces) || len(object.members) > 0 {
			b.WriteString(",")
		}
	}
	if single {
		b.WriteString(" ")
	} else if len(object.members) == 0 && bytes.IndexByte(inner, '\n') < 0 {
		b.WriteString(newline + lineIndent(data, object.start))
	}
	b.Write(data[object.start+1:])
	return b.Bytes()
}

// lineIndent is the space that the line of an offset starts with.
func lineIndent(data []byte, offset int) string {
	line := data[bytes.LastIndexByte(data[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
