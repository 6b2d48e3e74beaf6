package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"go.yaml.in/yaml/v4"
)

// region is the lines of one entry.
type region struct {
	name       string
	start, end int
}

// cutTOML removes the tables [key.name] and those below them.
func cutTOML(data []byte, key string, names []string) (rest []byte, pieces []string, at int, err error) {
	var regions []region
	var parser unstable.Parser
	parser.Reset(data)
	inside := false // the table under key itself, or the top
	for top := true; parser.NextExpression(); {
		e := parser.Expression()
		path, first := keyPath(e)
		if e.Kind == unstable.KeyValue {
			if top && path[0] == key || inside {
				return nil, nil, 0, fmt.Errorf("the servers are not tables of their own ([%s.NAME]), line %d; write them so first", key, newLines(data).position(first).Line)
			}
			continue
		}
		top = false
		start := lineStart(data, first)
		if n := len(regions); n > 0 && regions[n-1].end < 0 {
			regions[n-1].end = beforeRemarks(data, regions[n-1].start, start)
		}
		inside = len(path) == 1 && path[0] == key
		if len(path) > 1 && path[0] == key && slices.Contains(names, path[1]) {
			regions = append(regions, region{path[1], start, -1})
		}
	}
	if err := parser.Error(); err != nil {
		return nil, nil, 0, err
	}
	if n := len(regions); n > 0 && regions[n-1].end < 0 {
		regions[n-1].end = len(data)
	}
	rest, pieces, at = cutRegions(data, regions)
	return rest, pieces, at, nil
}

// keyPath is the dotted key of an expression, and the offset of its first part.
func keyPath(e *unstable.Node) (path []string, first int) {
	for it := e.Key(); it.Next(); {
		if path == nil {
			first = int(it.Node().Raw.Offset)
		}
		path = append(path, string(it.Node().Data))
	}
	return path, first
}

func lineStart(data []byte, offset int) int { return bytes.LastIndexByte(data[:offset], '\n') + 1 }

// beforeRemarks is the end of a region that starts at start, without the blank lines and comments right before end: those
// belong to what follows.
func beforeRemarks(data []byte, start, end int) int {
	for end > start {
		line := lineStart(data, end-1)
		if text := bytes.TrimSpace(data[line:end]); len(text) > 0 && text[0] != '#' {
			return end
		}
		end = line
	}
	return end
}

func cutRegions(data []byte, regions []region) (rest []byte, pieces []string, at int) {
	at = -1
	from := 0
	last := ""
	for _, r := range regions {
		rest = append(rest, data[from:r.start]...)
		if at < 0 {
			at = len(rest)
		}
		text := string(data[r.start:r.end])
		if r.name == last { // a table below the one before
			pieces[len(pieces)-1] += text
		} else {
			pieces = append(pieces, text)
		}
		last, from = r.name, r.end
	}
	return append(rest, data[from:]...), pieces, at
}

// insertTOML puts tables at an offset, or behind everything when that is -1.
func insertTOML(data []byte, at int, pieces []string) []byte {
	text := strings.Join(pieces, "")
	if at < 0 {
		at = len(data)
		if len(bytes.TrimSpace(data)) > 0 {
			text = "\n" + text
		}
	}
	if at > 0 && data[at-1] != '\n' {
		text = "\n" + text
	}
	if at < len(data) && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return slices.Concat(data[:at], []byte(text), data[at:])
}

// oneDocument refuses a text of several documents, or with marks where one ends: what stands behind is none of ours.
func oneDocument(data []byte) error {
	begun := false
	for number, line := range bytes.Split(data, []byte("\n")) {
		line = bytes.TrimRight(line, "\r")
		mark := bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("..."))
		if mark = mark && (len(line) == 3 || line[3] == ' ' || line[3] == '\t'); mark && begun {
			return fmt.Errorf("there is more than one document, line %d; leave one", number+1)
		}
		text := bytes.TrimSpace(line)
		begun = begun || mark && line[0] == '-' || !mark && len(text) > 0 && text[0] != '#' && text[0] != '%'
	}
	return nil
}

// cutYAML removes entries of the block mapping under key.
func cutYAML(data []byte, key string, names []string) (rest []byte, pieces []string, at int, err error) {
	if err := oneDocument(data); err != nil {
		return nil, nil, 0, err
	}
	top, servers, end, err := blockOf(data, key)
	if err != nil || servers == nil || len(servers.Content) == 0 {
		return data, nil, -1, err
	}
	if servers.Style&yaml.FlowStyle != 0 || top.Style&yaml.FlowStyle != 0 {
		return nil, nil, 0, fmt.Errorf("%q is written in braces, line %d; write one server a line first", key, servers.Line)
	}
	starts := newLines(data).starts
	var regions []region
	for i := 0; i < len(servers.Content); i += 2 {
		name := servers.Content[i]
		start, stop := starts[name.Line-1], end
		if i+2 < len(servers.Content) {
			stop = starts[servers.Content[i+2].Line-1]
		}
		if slices.Contains(names, name.Value) {
			regions = append(regions, region{name.Value, start, beforeRemarks(data, start, stop)})
		}
	}
	rest, pieces, at = cutRegions(data, regions)
	for i, piece := range pieces { // written flush left, as they are inserted
		pieces[i] = shift(piece, servers.Content[0].Column-1, 0)
	}
	return rest, pieces, at, nil
}

// blockOf finds the mapping under key and the offset where its lines end.
func blockOf(data []byte, key string) (top, servers *yaml.Node, end int, err error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, nil, 0, err
	}
	end = len(data)
	if len(document.Content) == 0 {
		return nil, nil, end, nil
	}
	top = document.Content[0]
	for i := 0; i+1 < len(top.Content); i += 2 {
		if servers != nil {
			end = newLines(data).starts[top.Content[i].Line-1]
			break
		}
		if top.Content[i].Value == key {
			servers = top.Content[i+1]
		}
	}
	return top, servers, end, nil
}

// shift moves lines from one indentation to another.
func shift(text string, from, to int) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			lines[i] = strings.Repeat(" ", to) + strings.TrimPrefix(line, strings.Repeat(" ", from))
		}
	}
	return strings.Join(lines, "")
}

// insertYAML puts entries at an offset inside the mapping under key, or, when that is -1, behind its first line, which is
// added when there is none.
func insertYAML(data []byte, key string, at int, pieces []string) []byte {
	column := 2
	if _, servers, _, err := blockOf(data, key); err == nil && servers != nil && len(servers.Content) > 0 && servers.Style&yaml.FlowStyle == 0 {
		column = servers.Content[0].Column - 1
		if at < 0 {
			at = newLines(data).starts[servers.Content[0].Line-1]
		}
	}
	text := ""
	if at < 0 {
		at = len(data)
		text = key + ":\n"
		if at > 0 && data[at-1] != '\n' {
			text = "\n" + text
		}
	}
	for _, piece := range pieces {
		text += strings.TrimRight(shift(piece, 0, column), "\n") + "\n"
	}
	return slices.Concat(data[:at], []byte(text), data[at:])
}
