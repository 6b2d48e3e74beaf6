package casefile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// Spec says what a tool does.
type Spec struct {
	// Kind is one of Kinds.
	Kind string
	// value is what "value" and "delay" return, and what "throw" throws when raw is set.
	value any
	raw   bool
	// message, name and code belong to "throw". Only the message reaches a program.
	message, name, code string
	// wait is how long "delay" and "throw" take.
	wait time.Duration
}

// Kinds lists the kinds of a Spec:
//
//	value      returns value
//	echo       returns its first argument
//	echoAll    returns the list of its arguments
//	argc       returns {argc, types, args}, the arguments described
//	describe   returns the described arguments as one JSON text
//	delay      waits ms, then returns value; it finishes even when the run is over by then
//	delayEcho  waits as many milliseconds as its first argument's ms says, then returns that argument
//	never      returns when the run is over
//	throw      waits ms, then fails: an error with message (and name and code), or the value raw
//	counter    returns how often it has been called
//	args0keys  returns the keys of its first argument, null when that is no object
func Kinds() []string {
	return []string{"value", "echo", "echoAll", "argc", "describe", "delay", "delayEcho", "never", "throw", "counter", "args0keys"}
}

// fieldsOf lists the fields that each kind takes beside kind.
func fieldsOf(kind string) []string {
	switch kind {
	case "value":
		return []string{"value"}
	case "delay":
		return []string{"ms", "value"}
	case "throw":
		return []string{"message", "name", "code", "ms", "raw"}
	}
	return nil
}

func parseSpec(v any, path string) (Spec, error) {
	s := Spec{value: protocol.Undefined{}}
	o, ok := v.(protocol.Object)
	if !ok {
		return s, wrongType(path, "an object with kind", v)
	}
	kind, ok := o.Get("kind")
	if !ok {
		return s, fieldError{path + ".kind", "missing"}
	}
	if err := readString(kind, path+".kind", &s.Kind); err != nil {
		return s, err
	}
	if !slices.Contains(Kinds(), s.Kind) {
		return s, fieldError{path + ".kind", fmt.Sprintf("unknown kind %q; the kinds are %s", s.Kind, strings.Join(Kinds(), ", "))}
	}
	hasMessage := false
	err := eachMember(o, path, func(key string, value any) (err error) {
		at := path + "." + key
		if key == "kind" {
			return nil
		}
		if !slices.Contains(fieldsOf(s.Kind), key) {
			return fieldError{at, "unknown field of kind " + s.Kind}
		}
		switch key {
		case "value":
			s.value, err = parseValue(value, at)
		case "raw":
			s.raw = true
			s.value, err = parseValue(value, at)
		case "message":
			hasMessage = true
			err = readString(value, at, &s.message)
		case "name":
			err = readString(value, at, &s.name)
		case "code":
			err = readString(value, at, &s.code)
		case "ms":
			err = readMilliseconds(value, at, &s.wait)
		}
		return err
	})
	if err == nil && s.Kind == "throw" && hasMessage == s.raw {
		err = fieldError{path, "kind throw wants either message or raw"}
	}
	return s, err
}

func readMilliseconds(v any, path string, into *time.Duration) error {
	var ms int64
	if err := readWhole(v, path, &ms); err != nil {
		return err
	}
	*into = time.Duration(ms) * time.Millisecond
	return nil
}

// call is one call of a tool under way.
type call struct {
	// raw are the arguments as they came, args the same decoded.
	raw  []json.RawMessage
	args []any
	done func()
}

// behaviour returns what the tool does. A counter counts from the moment behaviour is called.
func (s *Spec) behaviour() func(ctx context.Context, c call) (any, error) {
	switch s.Kind {
	case "value":
		return func(context.Context, call) (any, error) { return resolve(s.value) }
	case "echo":
		return func(_ context.Context, c call) (any, error) { return c.echo(), nil }
	case "echoAll":
		return func(_ context.Context, c call) (any, error) { return c.echoAll(), nil }
	case "argc":
		return func(_ context.Context, c call) (any, error) { return c.count(), nil }
	case "describe":
		return func(_ context.Context, c call) (any, error) { return Describe(c.args) }
	case "delay":
		return s.delay
	case "delayEcho":
		return delayEcho
	case "never":
		return func(ctx context.Context, _ call) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	case "throw":
		return s.throw
	case "counter":
		var n atomic.Int64
		return func(context.Context, call) (any, error) { return n.Add(1), nil }
	case "args0keys":
		return func(_ context.Context, c call) (any, error) { return c.keys(), nil }
	}
	return func(context.Context, call) (any, error) { return nil, fmt.Errorf("no tool kind %q", s.Kind) }
}

// delay finishes whatever becomes of the run, as a function of a JavaScript host does that nobody told.
func (s *Spec) delay(_ context.Context, c call) (any, error) {
	time.Sleep(s.wait)
	c.done()
	return resolve(s.value)
}

func (s *Spec) throw(ctx context.Context, _ call) (any, error) {
	if err := sleep(ctx, s.wait); err != nil {
		return nil, err
	}
	if s.raw {
		return nil, errors.New(stringOf(s.value))
	}
	return nil, errors.New(s.message)
}

// Forgiven returns what a JavaScript host sees that takes a failure without a message for none: the tool returns
// undefined. It reports false for a spec that has no such failure.
func (s Spec) Forgiven() (Spec, bool) {
	if s.Kind != "throw" || s.message != "" || s.raw && stringOf(s.value) != "" {
		return s, false
	}
	return Spec{Kind: "delay", value: protocol.Undefined{}, wait: s.wait}, true
}

func delayEcho(ctx context.Context, c call) (any, error) {
	if o, ok := c.first().(protocol.Object); ok {
		ms, _ := o.Get("ms")
		if err := sleep(ctx, timerDelay(ms)); err != nil {
			return nil, err
		}
	}
	return c.echo(), nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// timerDelay reads a delay as setTimeout does: through Number, and what is no positive number is no delay.
func timerDelay(v any) time.Duration {
	var f float64
	switch v := v.(type) {
	case json.Number:
		f, _ = v.Float64()
	case string:
		f, _ = strconv.ParseFloat(strings.TrimSpace(v), 64)
	case bool:
		if v {
			f = 1
		}
	}
	if !(f > 0) || math.IsInf(f, 1) {
		return 0
	}
	return time.Duration(min(f, maxTimer) * float64(time.Millisecond))
}

// maxTimer is the largest delay of a timer in milliseconds, 2³¹−1.
const maxTimer = 1<<31 - 1

func (c call) first() any {
	if len(c.args) == 0 {
		return protocol.Undefined{}
	}
	return c.args[0]
}

// echo is the first argument to be sent back.
func (c call) echo() any {
	if len(c.args) == 0 {
		return protocol.Undefined{}
	}
	return c.sendBack(0)
}

func (c call) echoAll() any {
	list := make([]any, len(c.args))
	for i := range list {
		list[i] = c.sendBack(i)
	}
	return list
}

// sendBack is an argument as it came where that is plain JSON, since a Go string cannot hold a lone surrogate. One that
// may carry bytes is encoded anew.
func (c call) sendBack(i int) any {
	if bytes.Contains(c.raw[i], []byte("__codemode_")) {
		return c.args[i]
	}
	return c.raw[i]
}

// count is the answer of kind argc.
func (c call) count() any {
	types := make([]any, len(c.args))
	for i, arg := range c.args {
		types[i] = typeOf(arg)
	}
	return protocol.Object{
		{Key: "argc", Value: len(c.args)},
		{Key: "types", Value: types},
		{Key: "args", Value: described(c.args, 0)},
	}
}

// typeOf is JavaScript's typeof, with null apart.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	}
	return "object"
}

// keys is Object.keys of the first argument, or nil when that is no object.
func (c call) keys() any {
	indexes := func(n int) any {
		keys := make([]any, n)
		for i := range keys {
			keys[i] = strconv.Itoa(i)
		}
		return keys
	}
	switch v := c.first().(type) {
	case protocol.Object:
		keys := make([]any, len(v))
		for i, m := range v {
			keys[i] = m.Key
		}
		return keys
	case []any:
		return indexes(len(v))
	case []byte:
		return indexes(len(v))
	case protocol.ArrayBuffer:
		return []any{}
	}
	return nil
}

// RenameKey returns the spec with a key of its declared value renamed, and whether there was one.
func (s Spec) RenameKey(from, to string) (Spec, bool) {
	value, renamed := renameKey(s.value, from, to)
	s.value = value
	return s, renamed
}

func renameKey(v any, from, to string) (any, bool) {
	renamed := false
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			item, found := renameKey(v[i], from, to)
			list[i], renamed = item, renamed || found
		}
		return list, renamed
	case protocol.Object:
		object := make(protocol.Object, len(v))
		for i, m := range v {
			item, found := renameKey(m.Value, from, to)
			if m.Key == from {
				m.Key, found = to, true
			}
			object[i], renamed = protocol.Member{Key: m.Key, Value: item}, renamed || found
		}
		return object, renamed
	}
	return v, false
}
