package message

import "bytes"

// Scanner finds the id of a message that is too long, too deep or too broken for a decoder. It is given the text in
// parts of any size and keeps nothing of it but where it is. The zero Scanner is ready.
type Scanner struct {
	depth    int
	inString bool
	escaped  bool
	key      []byte // of the member at depth 1, or the text of the id
	state    scanState
	id       []byte
}

type scanState int

const (
	beforeKey scanState = iota // at depth 1, where a key may begin
	inKey                      // in a string at depth 1 that may be a key
	afterKey                   // it has ended, a colon makes it one
	inID                       // behind "id":
	inValue                    // behind any other key
	found
)

// maxID bounds an id: ours are numbers, and nobody's is longer.
const maxID = 256

// Feed takes the next part and reports whether the id is known by now.
func (s *Scanner) Feed(part []byte) bool {
	for i := 0; i < len(part) && s.state != found; i++ {
		if s.state == inValue && (s.inString || s.depth > 1) {
			i += s.skip(part[i:])
			if i >= len(part) {
				break
			}
		}
		s.step(part[i])
	}
	return s.state == found
}

// skip returns how many bytes cannot matter: most of a huge message is one string.
func (s *Scanner) skip(rest []byte) int {
	if !s.inString || s.escaped {
		return 0
	}
	n := bytes.IndexAny(rest, `"\`)
	if n < 0 {
		return len(rest)
	}
	return n
}

// ID is the id's JSON; nil while it is not known.
func (s *Scanner) ID() []byte {
	if s.state != found {
		return nil
	}
	return bytes.TrimSpace(s.id)
}

func (s *Scanner) step(c byte) {
	switch {
	case s.inString:
		s.inside(c)
	case c == '"':
		s.inString = true
		if s.state == beforeKey && s.depth == 1 {
			s.state, s.key = inKey, s.key[:0]
		}
		s.note(c)
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		if s.depth--; s.depth == 0 {
			s.end()
		}
	case s.depth != 1:
	case c == ':' && s.state == afterKey:
		if s.state = inValue; string(s.key) == "id" {
			s.state = inID
		}
	case c == ',':
		s.end()
	default:
		s.note(c)
	}
}

// inside takes one byte of a string.
func (s *Scanner) inside(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString = false
		if s.state == inKey {
			s.state = afterKey
			return
		}
	}
	if s.state == inKey && len(s.key) < maxID {
		s.key = append(s.key, c)
		return
	}
	s.note(c)
}

// note keeps what belongs to the id.
func (s *Scanner) note(c byte) {
	if s.state == inID && s.depth == 1 && len(s.id) < maxID {
		s.id = append(s.id, c)
	}
}

// end is where a member at depth 1 ends.
func (s *Scanner) end() {
	if s.state == inID && len(bytes.TrimSpace(s.id)) > 0 {
		s.state = found
		return
	}
	s.state = beforeKey
}
