package link

import (
	"encoding/json"
	"strings"
)

// segment says which lines of a script hold a unit; lines are zero-based and both ends belong to it.
type segment struct {
	first, last int
	file        string
	maps        []lineMap
}

// Position leads a one-based line and column of Script, as V8 prints them, back to the text that was
// sent: file is "" for the program and otherwise the module's name. ok is false for a line of the
// linker's own.
func (l *Linked) Position(line, column int) (file string, sourceLine, sourceColumn int, ok bool) {
	for _, s := range l.segments {
		if line-1 < s.first || line-1 > s.last {
			continue
		}
		at := point{line - 1 - s.first, column - 1}
		for _, m := range s.maps {
			if at, ok = m.back(at); !ok {
				return "", 0, 0, false
			}
		}
		return s.file, at.line + 1, at.column + 1, true
	}
	return "", 0, 0, false
}

// point is a zero-based position, its column in UTF-16 units.
type point struct{ line, column int }

// back applies one step.
func (m lineMap) back(at point) (point, bool) {
	at.line -= m.shift
	if at.line < 0 {
		return at, false
	}
	if m.sourceMap == nil {
		return at, true
	}
	return lookup(mappingsOf(m.sourceMap), at)
}

// mappingsOf takes the mappings out of a source map as esbuild writes it.
func mappingsOf(sourceMap []byte) string {
	var m struct{ Mappings string }
	if err := json.Unmarshal(sourceMap, &m); err != nil {
		return ""
	}
	return m.Mappings
}

// lookup finds the source position of the last mapping at or before at on its line. When the line
// opens later, its first mapping is the nearest truth.
func lookup(mappings string, at point) (point, bool) {
	var source point
	for line := 0; ; line++ {
		text, rest, more := strings.Cut(mappings, ";")
		if line == at.line {
			return lookupLine(text, at.column, source)
		}
		source = lastSource(text, source)
		if !more {
			return point{}, false
		}
		mappings = rest
	}
}

// lookupLine searches one line, whose source deltas start from source.
func lookupLine(text string, column int, source point) (point, bool) {
	best, found, generated := point{}, false, 0
	for part := range strings.SplitSeq(text, ",") {
		fields := decodeVLQ(part)
		if len(fields) < 4 {
			continue
		}
		generated += fields[0]
		source.line += fields[2]
		source.column += fields[3]
		if generated > column && found {
			break
		}
		best, found = source, true
	}
	return best, found
}

// lastSource sums the source deltas of one line.
func lastSource(text string, source point) point {
	for part := range strings.SplitSeq(text, ",") {
		if fields := decodeVLQ(part); len(fields) >= 4 {
			source.line += fields[2]
			source.column += fields[3]
		}
	}
	return source
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// decodeVLQ decodes the base64 VLQ numbers of one mapping.
func decodeVLQ(text string) []int {
	var out []int
	value, shift := 0, 0
	for i := range len(text) {
		digit := strings.IndexByte(base64Digits, text[i])
		value |= (digit & 31) << shift
		shift += 5
		if digit&32 != 0 {
			continue
		}
		if value&1 != 0 {
			out = append(out, -(value >> 1))
		} else {
			out = append(out, value>>1)
		}
		value, shift = 0, 0
	}
	return out
}
