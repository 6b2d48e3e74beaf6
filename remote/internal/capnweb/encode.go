package capnweb

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// table is what an encoder needs of a session: places for what is passed by reference.
type table interface {
	// export gives an object of ours a new id.
	export(object any) (int64, error)
	// own gives the id of a stub of the peer's object, or reports that the stub belongs elsewhere or is spent.
	own(stub *Stub) (int64, error)
}

// encoder writes expressions.
type encoder struct {
	b     []byte
	table table
}

// maxSafe is the largest integer a JavaScript number has to itself.
const maxSafe = 1<<53 - 1

func typeError(format string, args ...any) error { return newError("TypeError", "", format, args...) }

var errDepth = typeError("Serialization exceeded maximum allowed depth. (Does the message contain cycles?)")

func (e *encoder) value(v any, depth int) error {
	if depth >= MaxDepth {
		return errDepth
	}
	switch v := v.(type) {
	case nil:
		e.b = append(e.b, "null"...)
	case bool:
		e.b = strconv.AppendBool(e.b, v)
	case string:
		e.text(v)
	case Undefined:
		e.b = append(e.b, `["undefined"]`...)
	case json.RawMessage:
		return e.raw(v, depth)
	case json.Number:
		return e.raw([]byte(v), depth)
	case []any:
		return e.list(v, depth)
	case Object:
		return e.object(v, depth)
	case map[string]any:
		object := make(Object, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			object = append(object, Member{Key: key, Value: v[key]})
		}
		return e.object(object, depth)
	case int:
		return e.integer(int64(v))
	case int64:
		return e.integer(v)
	case float64:
		e.float(v)
	default:
		return e.special(v, depth)
	}
	return nil
}

// special writes what JSON has no word for, and leaves the rest to encoding/json.
func (e *encoder) special(v any, depth int) error {
	switch v := v.(type) {
	case []byte:
		e.b = append(e.b, `["bytes","`...)
		e.b = append(base64.RawStdEncoding.AppendEncode(e.b, v), `"]`...)
	case TypedBytes:
		if _, ok := typedBytes[v.Type]; !ok {
			return typeError("Unknown bytes type marker: %s", v.Type)
		}
		e.b = append(e.b, `["bytes","`...)
		e.b = append(base64.RawStdEncoding.AppendEncode(e.b, v.Data), `","`+v.Type+`"]`...)
	case *big.Int:
		e.b = append(v.Append(append(e.b, `["bigint","`...), 10), `"]`...)
	case Date:
		e.date(float64(v))
	case time.Time:
		e.date(float64(v.UnixNano()) / 1e6)
	case Func, Target, Disposable:
		return e.export(v)
	case *Stub:
		return e.stub(v)
	case *Error:
		return e.error(v, depth)
	case Thrown:
		return e.value(v.Value, depth)
	case error:
		return e.error(&Error{Name: "Error", Message: v.Error()}, depth)
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return typeError("Cannot serialize value: %v", err)
		}
		return e.raw(text, depth)
	}
	return nil
}

func (e *encoder) integer(n int64) error {
	if n > maxSafe || n < -maxSafe {
		return typeError("Cannot serialize value: %d is beyond the integers of a JavaScript number", n)
	}
	e.b = strconv.AppendInt(e.b, n, 10)
	return nil
}

func (e *encoder) float(f float64) {
	switch {
	case math.IsNaN(f):
		e.b = append(e.b, `["nan"]`...)
	case math.IsInf(f, 1):
		e.b = append(e.b, `["inf"]`...)
	case math.IsInf(f, -1):
		e.b = append(e.b, `["-inf"]`...)
	default:
		text, _ := json.Marshal(f) // a finite number has a rendering
		e.b = append(e.b, text...)
	}
}

func (e *encoder) date(ms float64) {
	if math.IsNaN(ms) || math.IsInf(ms, 0) {
		e.b = append(e.b, `["date",null]`...)
		return
	}
	e.b = append(e.b, `["date",`...)
	e.float(ms)
	e.b = append(e.b, ']')
}

// text writes a string; a text frame has to be UTF-8, so what is none becomes U+FFFD.
func (e *encoder) text(s string) {
	const hex = "0123456789abcdef"
	e.b = append(e.b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				e.b = append(append(e.b, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			e.b = append(e.b, s[from:i]...)
			switch c {
			case '"', '\\':
				e.b = append(e.b, '\\', c)
			case '\n':
				e.b = append(e.b, '\\', 'n')
			case '\r':
				e.b = append(e.b, '\\', 'r')
			case '\t':
				e.b = append(e.b, '\\', 't')
			default:
				e.b = append(e.b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			from = i + 1
		}
		i++
	}
	e.b = append(append(e.b, s[from:]...), '"')
}

func (e *encoder) list(items []any, depth int) error {
	e.b = append(e.b, '[')
	err := e.plainList(items, depth)
	e.b = append(e.b, ']')
	return err
}

// plainList writes a list without the escape of an array, as arguments stand.
func (e *encoder) plainList(items []any, depth int) error {
	e.b = append(e.b, '[')
	for i, item := range items {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		if err := e.value(item, depth+1); err != nil {
			return err
		}
	}
	e.b = append(e.b, ']')
	return nil
}

func (e *encoder) object(o Object, depth int) error {
	e.b = append(e.b, '{')
	for i, m := range o {
		if lostKey(m.Key) {
			return lost(m.Key)
		}
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.text(m.Key)
		e.b = append(e.b, ':')
		if err := e.value(m.Value, depth+1); err != nil {
			return err
		}
	}
	e.b = append(e.b, '}')
	return nil
}

func lost(key string) error {
	return typeError("Cannot serialize value: a JavaScript peer would drop the property %q", key)
}

func (e *encoder) export(v any) error {
	if e.table == nil {
		return typeError("Cannot serialize value: no function can cross here")
	}
	id, err := e.table.export(v)
	if err != nil {
		return err
	}
	e.b = append(strconv.AppendInt(append(e.b, `["export",`...), id, 10), ']')
	return nil
}

func (e *encoder) stub(s *Stub) error {
	if e.table == nil {
		return typeError("Cannot serialize value: no stub can cross here")
	}
	if s.local != nil {
		return e.export(s.local)
	}
	id, err := e.table.own(s)
	if err != nil {
		return err
	}
	e.b = append(strconv.AppendInt(append(e.b, `["import",`...), id, 10), ']')
	return nil
}

// error writes an Error. Properties that cannot be written are left out, as npm capnweb does.
func (e *encoder) error(v *Error, depth int) error {
	e.b = append(e.b, `["error",`...)
	name := v.Name
	if name == "" {
		name = "Error"
	}
	e.text(name)
	e.b = append(e.b, ',')
	e.text(v.Message)
	if v.Stack != "" || len(v.Props) > 0 {
		e.b = append(e.b, ',')
		if v.Stack == "" {
			e.b = append(e.b, "null"...)
		} else {
			e.text(v.Stack)
		}
	}
	if len(v.Props) > 0 {
		e.b = append(e.b, ',', '{')
		first := true
		for _, m := range v.Props {
			if lostKey(m.Key) || m.Key == "name" || m.Key == "message" || m.Key == "stack" {
				continue
			}
			undo := len(e.b)
			if !first {
				e.b = append(e.b, ',')
			}
			e.text(m.Key)
			e.b = append(e.b, ':')
			if e.value(m.Value, depth+1) != nil {
				e.b = e.b[:undo]
				continue
			}
			first = false
		}
		e.b = append(e.b, '}')
	}
	e.b = append(e.b, ']')
	return nil
}

// raw writes JSON text: arrays get their escape, the rest keeps its bytes.
func (e *encoder) raw(text json.RawMessage, depth int) error {
	if len(text) == 0 {
		return typeError("Cannot serialize value: empty JSON")
	}
	w := rawWriter{parser: parser{in: text}, encoder: e}
	if err := w.value(depth); err != nil {
		return err
	}
	if w.next() != 0 || w.pos < len(w.in) {
		return fmt.Errorf("cannot serialize value: no JSON: %.60q", text)
	}
	return nil
}

// rawWriter reads JSON text and writes it as an expression.
type rawWriter struct {
	parser
	*encoder
}

func (w *rawWriter) value(depth int) error {
	if depth >= MaxDepth {
		return errDepth
	}
	switch w.next() {
	case '[':
		return w.list(depth)
	case '{':
		return w.object(depth)
	}
	return w.copyScalar()
}

func (w *rawWriter) copyScalar() error {
	w.next()
	start := w.pos
	if err := w.skipScalar(); err != nil {
		return err
	}
	scalar := w.in[start:w.pos]
	if scalar[0] == '"' && !utf8.Valid(scalar) {
		w.encoder.text(unquote(scalar))
		return nil
	}
	w.b = append(w.b, scalar...)
	return nil
}

func (w *rawWriter) list(depth int) error {
	w.pos++
	w.b = append(w.b, '[', '[')
	if w.next() == ']' {
		w.pos++
	} else {
		for {
			if err := w.value(depth + 1); err != nil {
				return err
			}
			more, err := w.more()
			if err != nil {
				return err
			}
			if !more {
				break
			}
			w.b = append(w.b, ',')
		}
	}
	w.b = append(w.b, ']', ']')
	return nil
}

func (w *rawWriter) object(depth int) error {
	w.pos++
	w.b = append(w.b, '{')
	for first := true; w.next() != '}'; first = false {
		if !first {
			if err := w.take(','); err != nil {
				return err
			}
			w.b = append(w.b, ',')
		}
		w.next()
		start := w.pos
		if w.next() != '"' {
			return w.syntax("Expected property name")
		}
		if err := w.copyScalar(); err != nil {
			return err
		}
		if key := unquote(w.in[start:w.pos]); lostKey(key) {
			return lost(key)
		}
		if err := w.take(':'); err != nil {
			return err
		}
		w.b = append(w.b, ':')
		if err := w.value(depth + 1); err != nil {
			return err
		}
	}
	w.pos++
	w.b = append(w.b, '}')
	return nil
}
