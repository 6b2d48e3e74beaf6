package capnweb

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"
)

// vectors are expressions and the values they stand for, both ways.
var vectors = []struct {
	wire  string
	value any
}{
	{`null`, json.RawMessage(`null`)},
	{`true`, json.RawMessage(`true`)},
	{`"é\ud800\n"`, json.RawMessage(`"é\ud800\n"`)}, // a lone surrogate keeps its spelling
	{`12345678901234567890.10`, json.RawMessage(`12345678901234567890.10`)},
	{`{"b":1,"a":2,"b":3}`, json.RawMessage(`{"b":1,"a":2,"b":3}`)},
	{`[[]]`, json.RawMessage(`[]`)},
	{`[[1,[[2,[[]]]],{"x":[[3]]}]]`, json.RawMessage(`[1,[2,[]],{"x":[3]}]`)},
	{`["undefined"]`, Undefined{}},
	{`["inf"]`, math.Inf(1)},
	{`["-inf"]`, math.Inf(-1)},
	{`["bigint","-12345678901234567890"]`, bigOf("-12345678901234567890")},
	{`["date",-1.5]`, Date(-1.5)},
	{`["bytes","AAEC/w"]`, []byte{0, 1, 2, 255}},
	{`["bytes",""]`, []byte{}},
	{`["bytes","AQACAA","Uint16Array"]`, TypedBytes{"Uint16Array", []byte{1, 0, 2, 0}}},
	{`["error","TypeError","m"]`, &Error{Name: "TypeError", Message: "m"}},
	{`["error","E","m","at x"]`, &Error{Name: "E", Message: "m", Stack: "at x"}},
	{`["error","E","m",null,{"code":"C","cause":["error","F","n"]}]`, &Error{Name: "E", Message: "m",
		Props: Object{{Key: "code", Value: json.RawMessage(`"C"`)}, {Key: "cause", Value: &Error{Name: "F", Message: "n"}}}}},
	{`[[1,{"a":[["x",[[2]]]],"b":{}},["undefined"],[[]],"y"]]`, []any{json.RawMessage(`1`), json.RawMessage(`{"a":["x",[2]],"b":{}}`), Undefined{},
		json.RawMessage(`[]`), json.RawMessage(`"y"`)}},
	{`{"a\"":1,"l":[[[[]],[[{"k":[[0]]},["undefined"]]]]],"z":"}"}`, Object{{Key: `a"`, Value: json.RawMessage(`1`)},
		{Key: "l", Value: []any{json.RawMessage(`[]`), []any{json.RawMessage(`{"k":[0]}`), Undefined{}}}}, {Key: "z", Value: json.RawMessage(`"}"`)}}},
	{`{"u":["undefined"],"n":null,"l":[[["undefined"],[[1]]]]}`, Object{{Key: "u", Value: Undefined{}}, {Key: "n", Value: json.RawMessage(`null`)},
		{Key: "l", Value: []any{Undefined{}, json.RawMessage(`[1]`)}}}},
}

func bigOf(digits string) *big.Int {
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		m, err := parseMessage([]byte(`["push",` + v.wire + `]`))
		if err != nil {
			t.Errorf("%s: %v", v.wire, err)
			continue
		}
		if !reflect.DeepEqual(m.expr, v.value) {
			t.Errorf("%s reads as %#v", v.wire, m.expr)
		}
		e := &encoder{}
		if err := e.value(v.value, 0); err != nil || string(e.b) != v.wire {
			t.Errorf("%#v is written as %s, %v; want %s", v.value, e.b, err, v.wire)
		}
	}
}

func TestWhatIsWrittenOnly(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, `null`}, {math.NaN(), `["nan"]`}, {1.5, `1.5`}, {-7, `-7`}, {int64(maxSafe), `9007199254740991`},
		{json.Number("1e400"), `1e400`},
		{Date(math.NaN()), `["date",null]`}, {time.UnixMilli(5), `["date",5]`},
		{"a\"\\\x01\xff\u2028<", `"a\"\\\u0001` + "\ufffd\u2028<\""},
		{json.RawMessage(" [ 1 , { \"a\" : [] } ] "), `[[1,{"a":[[]]}]]`},
		{json.RawMessage("\"\xff\""), "\"\ufffd\""},
		{map[string]any{"b": 1, "a": []any{}}, `{"a":[[]],"b":1}`},
		{struct{ X []int }{[]int{1}}, `{"X":[[1]]}`},
		{errors.New("plain"), `["error","Error","plain"]`},
		{&Error{Message: "m", Props: Object{{Key: "f", Value: make(chan int)}, {Key: "name", Value: "n"}, {Key: "k", Value: 1}}}, `["error","Error","m",null,{"k":1}]`},
		{Thrown{7}, `7`},
	} {
		e := &encoder{}
		if err := e.value(c.value, 0); err != nil || string(e.b) != c.want {
			t.Errorf("%#v is written as %s, %v; want %s", c.value, e.b, err, c.want)
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	cyclic := Object{{Key: "self"}}
	cyclic[0].Value = cyclic
	for name, value := range map[string]any{
		"a large integer": int64(maxSafe + 1), "a channel": make(chan int), "a cycle": cyclic, "a function without a session": Func(nil),
		"a key of Object.prototype": map[string]any{"__proto__": 1}, "such a key, spelled": json.RawMessage(`{"to\u0053tring":1}`),
		"text that is no JSON": json.RawMessage(`[1,]`), "text after the JSON": json.RawMessage(`1 2`), "no text": json.RawMessage{},
		"a kind of bytes": TypedBytes{Type: "Frob"}, "256 levels": json.RawMessage(strings.Repeat("[", 257) + strings.Repeat("]", 257)),
	} {
		e := &encoder{}
		if err := e.value(value, 0); err == nil {
			t.Errorf("%s is written as %.80s", name, e.b)
		}
	}
}

func TestJSON(t *testing.T) {
	value := Object{{Key: "u", Value: Undefined{}}, {Key: "n", Value: math.NaN()}, {Key: "l", Value: []any{Undefined{}, json.RawMessage(`{"b":1,"a":2}`)}}}
	if got, err := JSON(value); err != nil || string(got) != `{"n":null,"l":[null,{"b":1,"a":2}]}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := JSON(Undefined{}); err != nil || got != nil {
		t.Errorf("undefined gives %s, %v", got, err)
	}
	for _, v := range []any{[]byte{1}, []any{&Stub{}}, Object{{Key: "d", Value: Date(1)}}, bigOf("1")} {
		if got, err := JSON(v); err == nil {
			t.Errorf("%#v gives %s", v, got)
		}
	}
}

func seeds(f *testing.F) {
	for _, p := range probes {
		if text := strings.Join(p.sent, "\n"); len(text) < 2000 {
			f.Add([]byte(text))
		}
	}
	for _, v := range vectors {
		f.Add([]byte(`["push",` + v.wire + `]`))
	}
}

// FuzzParse: whatever a peer sends is a message or an error, and plain JSON stays what it was.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseMessage(text)
		if err != nil {
			return
		}
		raw, ok := m.expr.(json.RawMessage)
		if !ok {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q has the value %q, which is no JSON", text, raw)
		}
		if !Crosses(raw, 0) {
			return // it has a key that a JavaScript peer would drop
		}
		e := &encoder{b: []byte(`["push",`)}
		if err := e.value(raw, 0); err != nil {
			t.Fatal(err)
		}
		again, err := parseMessage(append(e.b, ']'))
		if err != nil || string(again.expr.(json.RawMessage)) != string(raw) {
			t.Fatalf("%q came back as %q, %v", raw, again.expr, err)
		}
	})
}

// script is a transport whose peer says a number of things, and listens to nothing.
type script struct {
	lines  [][]byte
	closed chan struct{}
}

func (s *script) read() ([]byte, error) {
	if len(s.lines) == 0 {
		return nil, io.EOF
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line, nil
}
func (s *script) drain()               {}
func (s *script) write([]byte) error   { return nil }
func (s *script) flush() error         { return nil }
func (s *script) ping() error          { return nil }
func (s *script) farewell(int, string) {}
func (s *script) close() {
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
}

// FuzzSession: no conversation breaks more than its session, and nothing of it is left.
func FuzzSession(f *testing.F) {
	seeds(f)
	for _, name := range []string{"02-call-with-function.jsonl", "05-disposal-release.jsonl"} {
		f.Add(conversation(name))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var lines [][]byte
		for line := range strings.SplitSeq(string(text), "\n") {
			lines = append(lines, []byte(line))
		}
		main := traceMain(nil)
		delete(main, "useKept") // they keep a stub over calls, which only an honest peer gives them
		delete(main, "dropKept")
		delete(main, "keep")
		delete(main, "twice")
		delete(main, "catchFrom")
		delete(main, "callNext")
		delete(main, "execute") // it calls back as often as it is told
		s := start(&script{lines: lines, closed: make(chan struct{})}, main, Limits{Table: 1000})
		<-s.Broken()
		s.Wait()
		if stats := s.Stats(); stats.Calls != 0 || stats.Imports != 0 || stats.Exports != 0 {
			t.Fatalf("left: %+v after %v", stats, s.Err())
		}
	})
}
