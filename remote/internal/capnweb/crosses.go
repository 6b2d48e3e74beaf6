package capnweb

import "encoding/json"

// Crosses reports whether JSON text can cross to any peer as it is, when it stands so many levels deep in its message:
// it has no member that JavaScript drops, and is not nested too deeply.
func Crosses(text json.RawMessage, depth int) bool {
	p := parser{in: text}
	return len(text) > 0 && p.crosses(depth) && p.next() == 0 && p.pos == len(p.in)
}

// crosses passes over a value that does.
func (p *parser) crosses(depth int) bool {
	open := p.next()
	if depth >= MaxDepth {
		return false
	}
	if open != '[' && open != '{' {
		return p.skipScalar() == nil
	}
	p.pos++
	end := open + 2 // in ASCII, for both
	for first := true; ; first = false {
		if p.next() == end && first {
			break
		}
		if !first {
			if p.next() == end {
				break
			}
			if p.take(',') != nil {
				return false
			}
		}
		if open == '{' && !p.keyCrosses() {
			return false
		}
		if !p.crosses(depth + 1) {
			return false
		}
	}
	p.pos++
	return true
}

// keyCrosses passes over a member's name and its colon.
func (p *parser) keyCrosses() bool {
	if p.next() != '"' {
		return false
	}
	start := p.pos
	return p.skipString() == nil && !lostKey(unquote(p.in[start:p.pos])) && p.take(':') == nil
}
