package capnweb

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// What stands for something of a session until evaluate replaces it.
type (
	// exportRef is an object of the peer.
	exportRef int64
	// promiseRef is a promise of the peer, whose end follows unasked.
	promiseRef int64
	// ownRef names an export of ours: itself, a property of it, or a call.
	ownRef struct {
		id   int64
		path []any // string or int
		args []any
		call bool
		// stub: delivered as a stub ("import"), otherwise as the value it settles to ("pipeline").
		stub bool
	}
	// unsupported is a well-formed value that this peer does not speak, with the peer's objects inside it.
	unsupported struct {
		tag   string
		inner []any
	}
)

// maxBigInt bounds a BigInt's digits as npm capnweb does.
const maxBigInt = 16_384

// special reads the rest of a special value after its tag; bracket is where it began.
func (p *parser) special(tag string, bracket, depth int) (any, error) {
	var v any
	var err error
	switch tag {
	case "undefined":
		if p.next() != ']' {
			return nil, p.unknown(bracket)
		}
		v = Undefined{}
	case "nan":
		v = math.NaN()
	case "inf":
		v = math.Inf(1)
	case "-inf":
		v = math.Inf(-1)
	case "export", "promise", "writable", "readable":
		v, err = p.objectRef(tag)
	case "import", "pipeline":
		return p.own(tag == "import", bracket, depth)
	case "remap":
		v, err = p.remap(depth)
	case "bigint":
		v, err = p.bigInt()
	case "date":
		v, err = p.date()
	case "bytes":
		v, err = p.bytes()
	case "error":
		return p.error(bracket, depth)
	case "blob", "url", "headers", "request", "response":
		v = unsupported{tag: tag}
	}
	if err, ok := err.(*Error); ok && (err.Name == "TypeError" || isLimit(err)) {
		return nil, err // it has said more than that the value is unknown
	}
	if v == nil || err != nil {
		return nil, p.unknown(bracket)
	}
	return v, p.rest()
}

// rest passes over what else stands in a list, and its end.
func (p *parser) rest() error {
	for {
		more, err := p.more()
		if err != nil || !more {
			return err
		}
		if err := p.skip(0); err != nil {
			return err
		}
	}
}

// comma takes the comma in front of a list's next part.
func (p *parser) comma() error { return p.take(',') }

func (p *parser) objectRef(tag string) (any, error) {
	if err := p.comma(); err != nil {
		return nil, err
	}
	id, err := p.integer()
	switch tag {
	case "export":
		return exportRef(id), err
	case "promise":
		return promiseRef(id), err
	case "writable":
		return unsupported{tag: tag, inner: []any{exportRef(id)}}, err
	}
	return unsupported{tag: tag}, err // the readable end of a pipe that holds nothing of the peer's
}

// own reads ["import"|"pipeline", id, path?, args?], exactly.
func (p *parser) own(stub bool, bracket, depth int) (any, error) {
	ref := ownRef{stub: stub}
	fail := func(error) (any, error) { return nil, p.unknown(bracket) }
	if err := p.comma(); err != nil {
		return fail(err)
	}
	var err error
	if ref.id, err = p.integer(); err != nil {
		return fail(err)
	}
	more, err := p.more()
	if err != nil {
		return fail(err)
	}
	if !more {
		return ref, nil
	}
	if ref.path, err = p.path(); err != nil {
		if isLimit(err) {
			return nil, err
		}
		return fail(err)
	}
	if more, err = p.more(); err != nil {
		return fail(err)
	}
	if !more {
		return ref, nil
	}
	if p.next() != '[' {
		return fail(nil)
	}
	ref.call = true
	if ref.args, err = p.items(depth); err != nil {
		return nil, err
	}
	if more, err = p.more(); err != nil || more {
		return fail(err)
	}
	return ref, nil
}

// path reads a plain list of names and indexes.
func (p *parser) path() ([]any, error) {
	if err := p.take('['); err != nil {
		return nil, err
	}
	path := []any{}
	if p.next() == ']' {
		p.pos++
		return path, nil
	}
	for {
		if p.next() == '"' {
			name, err := p.text()
			if err != nil {
				return nil, err
			}
			path = append(path, name)
		} else {
			index, err := p.integer()
			if err != nil {
				return nil, err
			}
			if index < 0 {
				return nil, p.syntax("Negative index")
			}
			path = append(path, int(index))
		}
		if err := p.count(); err != nil {
			return nil, err
		}
		if more, err := p.more(); err != nil || !more {
			return path, err
		}
	}
}

// remap reads ["remap", id, path, captures, instructions] for the sake of the captures.
func (p *parser) remap(depth int) (any, error) {
	if err := p.comma(); err != nil {
		return nil, err
	}
	if _, err := p.integer(); err != nil {
		return nil, err
	}
	if err := p.comma(); err != nil {
		return nil, err
	}
	if _, err := p.path(); err != nil {
		return nil, err
	}
	if err := p.comma(); err != nil {
		return nil, err
	}
	captures, err := p.items(depth)
	if err != nil {
		return nil, err
	}
	u := unsupported{tag: "remap"}
	for _, capture := range captures {
		switch capture := capture.(type) {
		case exportRef:
			u.inner = append(u.inner, capture)
		case ownRef:
		default:
			return nil, p.syntax("A capture is no stub")
		}
	}
	return u, nil
}

func (p *parser) bigInt() (any, error) {
	if err := p.comma(); err != nil {
		return nil, err
	}
	digits, err := p.text()
	if err != nil {
		return nil, err
	}
	if len(digits) > maxBigInt {
		return nil, newError("TypeError", CodeLimit, "Deserialized bigint exceeds maximum length of %d digits.", maxBigInt)
	}
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return nil, p.syntax("Not a BigInt")
	}
	return n, nil
}

func (p *parser) date() (any, error) {
	if err := p.comma(); err != nil {
		return nil, err
	}
	p.next()
	start := p.pos
	if err := p.skipScalar(); err != nil {
		return nil, err
	}
	text := string(p.in[start:p.pos])
	if text == "null" {
		return Date(math.NaN()), nil
	}
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, err
	}
	return Date(ms), nil
}

func (p *parser) bytes() (any, error) {
	if err := p.comma(); err != nil {
		return nil, err
	}
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	if p.next() == ']' {
		return data, nil
	}
	if err := p.comma(); err != nil {
		return nil, err
	}
	kind, err := p.text()
	if err != nil {
		return nil, err
	}
	size, ok := typedBytes[kind]
	if !ok {
		return nil, newError("TypeError", "", "Unknown bytes type marker: %s", cut(kind, 64))
	}
	if len(data)%size != 0 {
		return nil, newError("TypeError", "", "Invalid byte length %d for %s; expected a multiple of %d", len(data), kind, size)
	}
	if kind == "Uint8Array" {
		return data, nil
	}
	return TypedBytes{Type: kind, Data: data}, nil
}

// error reads ["error", name, message, stack|null?, props?].
func (p *parser) error(bracket, depth int) (any, error) {
	e := &Error{}
	for _, field := range []*string{&e.Name, &e.Message} {
		if err := p.comma(); err != nil {
			return nil, p.unknown(bracket)
		}
		var err error
		if *field, err = p.text(); err != nil {
			return nil, p.unknown(bracket)
		}
	}
	more, err := p.more()
	if err != nil || !more {
		return e, err
	}
	if p.next() == '"' {
		if e.Stack, err = p.text(); err != nil {
			return nil, err
		}
	} else if err := p.skip(0); err != nil {
		return nil, err
	}
	if more, err = p.more(); err != nil || !more {
		return e, err
	}
	if p.next() != '{' {
		return nil, p.unknown(bracket)
	}
	props, err := p.object(depth)
	if err != nil {
		return nil, err
	}
	if e.Props, err = members(p.cutOut(props)); err != nil {
		return nil, err
	}
	return e, p.rest()
}

// Members takes an object apart that may be JSON text; ok is false for what is no object. The values of JSON text are parts
// of it.
func Members(v any) (object Object, ok bool) {
	if raw, isText := v.(json.RawMessage); isText && (len(raw) == 0 || raw[0] != '{') {
		return nil, false
	} else if !isText {
		object, ok = v.(Object)
		return object, ok
	}
	object, err := members(v)
	return object, err == nil
}

// members takes an object apart that may be JSON text.
func members(v any) (Object, error) {
	raw, ok := v.(json.RawMessage)
	if !ok {
		return v.(Object), nil
	}
	var object Object
	err := eachMember(raw, func(key string, value json.RawMessage) { object = append(object, Member{Key: key, Value: value}) })
	return object, err
}

// eachMember tells the members of the JSON text of an object, or of a list, which have no key.
func eachMember(text json.RawMessage, tell func(key string, value json.RawMessage)) error {
	q := parser{in: text, pos: 1}
	end := text[0] + 2 // in ASCII, for both
	for first := true; q.next() != end; first = false {
		if !first {
			if err := q.comma(); err != nil {
				return err
			}
		}
		key := ""
		if text[0] == '{' {
			var err error
			if key, err = q.text(); err != nil {
				return err
			}
			if err := q.take(':'); err != nil {
				return err
			}
		}
		q.next()
		start := q.pos
		if err := q.skip(0); err != nil {
			return err
		}
		tell(key, text[start:q.pos:q.pos])
	}
	return nil
}
