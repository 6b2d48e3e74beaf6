package protocol

import "github.com/codemode-go/codemode/protocol/jsonscan"

// mostNesting is how deep a JSON text may nest: what encoding/json and jsontext take.
const mostNesting = 10_000

// ValidJSON reports whether text is one JSON text, as [encoding/json.Valid] does, in a fraction of its time: results and
// arguments of megabytes are looked at before they go on. Like JSON.parse it takes repeated members, and invalid UTF-8.
func ValidJSON(text []byte) bool {
	v := validator{text: text}
	return v.run()
}

// validator walks over a text; open has a bit for each bracket that is open, set for an object's.
type validator struct {
	text  []byte
	at    int
	depth int
	open  []uint64
}

func (v *validator) run() bool {
	for {
		// A value is expected here.
		if !v.blank() {
			return false
		}
		opened, ok := v.value()
		if !ok {
			return false
		}
		if opened {
			continue
		}
		// A value is over: so may be what it is in.
		for {
			if v.depth == 0 {
				return !v.blank()
			}
			if !v.blank() {
				return false
			}
			c := v.text[v.at]
			v.at++
			if c == ',' {
				if v.inObject() && !v.key() {
					return false
				}
				break
			}
			if v.inObject() && c != '}' || !v.inObject() && c != ']' {
				return false
			}
			v.depth--
		}
	}
}

// blank passes over white space, and reports whether anything follows.
func (v *validator) blank() bool {
	for v.at < len(v.text) {
		switch v.text[v.at] {
		case ' ', '\n', '\r', '\t':
			v.at++
		default:
			return true
		}
	}
	return false
}

// value passes over a value, or over what opens one whose first item follows.
func (v *validator) value() (opened, ok bool) {
	switch c := v.text[v.at]; c {
	case '{':
		v.at++
		if !v.blank() {
			return false, false
		}
		if v.text[v.at] == '}' {
			v.at++
			return false, v.depth < mostNesting
		}
		return true, v.push(true) && v.key()
	case '[':
		v.at++
		if !v.blank() {
			return false, false
		}
		if v.text[v.at] == ']' {
			v.at++
			return false, v.depth < mostNesting
		}
		return true, v.push(false)
	case '"':
		return false, v.str()
	case 't':
		return false, v.word("true")
	case 'f':
		return false, v.word("false")
	case 'n':
		return false, v.word("null")
	}
	return false, v.number()
}

func (v *validator) push(object bool) bool {
	if v.depth == mostNesting {
		return false
	}
	word, bit := v.depth/64, uint64(1)<<(v.depth%64)
	if word == len(v.open) {
		v.open = append(v.open, 0)
	}
	v.open[word] &^= bit
	if object {
		v.open[word] |= bit
	}
	v.depth++
	return true
}

func (v *validator) inObject() bool {
	top := v.depth - 1
	return v.open[top/64]&(1<<(top%64)) != 0
}

// key passes over a member's name and its colon.
func (v *validator) key() bool {
	if !v.blank() || v.text[v.at] != '"' || !v.str() || !v.blank() || v.text[v.at] != ':' {
		return false
	}
	v.at++
	return true
}

func (v *validator) word(word string) bool {
	end := v.at + len(word)
	if end > len(v.text) || string(v.text[v.at:end]) != word {
		return false
	}
	v.at = end
	return true
}

func (v *validator) str() bool {
	text, at := v.text, v.at+1
	for {
		if at += jsonscan.Plain(text[at:]); at >= len(text) {
			return false
		}
		switch text[at] {
		case '"':
			v.at = at + 1
			return true
		case '\\':
			length := escapeLength(text[at:])
			if length == 0 {
				return false
			}
			at += length
		default: // a control character
			return false
		}
	}
}

// escapeLength is the length of the escape that a text begins with; 0 when it is none.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		return 0
	}
	if len(text) < 6 {
		return 0
	}
	for _, c := range text[2:6] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return 0
		}
	}
	return 6
}

func (v *validator) number() bool {
	if v.text[v.at] == '-' {
		v.at++
	}
	switch {
	case v.peek() == '0':
		v.at++
	case !v.digits():
		return false
	}
	if v.peek() == '.' {
		v.at++
		if !v.digits() {
			return false
		}
	}
	if c := v.peek(); c == 'e' || c == 'E' {
		v.at++
		if c := v.peek(); c == '+' || c == '-' {
			v.at++
		}
		return v.digits()
	}
	return true
}

// peek is the next byte, 0 at the end.
func (v *validator) peek() byte {
	if v.at < len(v.text) {
		return v.text[v.at]
	}
	return 0
}

// digits passes over digits and reports whether there was one.
func (v *validator) digits() bool {
	start := v.at
	for v.at < len(v.text) && v.text[v.at] >= '0' && v.text[v.at] <= '9' {
		v.at++
	}
	return v.at > start
}
