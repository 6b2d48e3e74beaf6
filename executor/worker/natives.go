//go:build cgo && (linux || darwin)

package worker

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/executor/internal/v8"
	"github.com/codemode-go/codemode/executor/internal/web"
	"github.com/codemode-go/codemode/executor/internal/wire"
)

// natives are the functions of Go's that scripts call, in the order of 10_host.js. They trust their arguments: no program gets
// hold of them.
func (s *sandbox) natives() []v8.Callback {
	return []v8.Callback{
		s.shareExchange,
		func([]v8.Value) v8.Value { return s.isolate.Number(s.now()) },
		func([]v8.Value) v8.Value { copy(s.exchange, s.left); s.left = nil; return v8.Value{} },
		s.nativeLoad,
		s.op,
		func(args []v8.Value) v8.Value {
			return s.isolate.Boolean(s.run.log(args[0].String(), args[1].Text()))
		},
		s.nativeName,
		s.nativeCall,
		s.nativeFetch,
		s.toBase64,
		s.fromBase64,
		s.nativeSettle,
		s.nativeText,
		s.look,
		s.reveal,
		s.textBytes,
		s.makeText,
		func(args []v8.Value) v8.Value { return s.isolate.Boolean(s.isolate.ExposeExtras(args[0].String())) },
	}
}

// native is the one function that scripts have: the first call shares state, which says from then on which of the natives is
// meant.
func (s *sandbox) native() v8.Value {
	natives := s.natives()
	return s.isolate.Function(func(args []v8.Value) v8.Value {
		if s.state == nil {
			s.state = s.shared(args[0])
			return v8.Value{}
		}
		return natives[int(s.get(stateFunction))](args)
	})
}

// look(value) says in state what the engine alone can tell of a value, and returns what a promise was settled with.
func (s *sandbox) look(args []v8.Value) v8.Value {
	s.set(stateKind, lookedOther)
	if args[0].IsProxy() {
		s.set(stateKind, lookedProxy)
		return v8.Value{}
	}
	state, result, ok := args[0].Promise()
	if !ok {
		return v8.Value{}
	}
	s.set(stateKind, float64(lookedPromise+int(state)))
	return result
}

// reveal(name, what) replaces a member of the global object by what package v8 reveals of it, and returns whether there is
// such a thing; state says whether its entries are pairs.
func (s *sandbox) reveal(args []v8.Value) v8.Value {
	found, pairs := s.isolate.Reveal(args[0].String(), v8.Revealed(args[1].Number()))
	s.set(stateKind, 0)
	if pairs {
		s.set(stateKind, 1)
	}
	return s.isolate.Boolean(found)
}

// longResult is from how many bytes on a string goes by the engine's own hands: v8go copies it several times.
const longResult = 1 << 10

// textBytes(latin1) leaves the bytes of the extras' text; false says that it has none.
func (s *sandbox) textBytes(args []v8.Value) v8.Value {
	text, ok := s.isolate.ReadText(s.exchange[:0], args[0].Boolean())
	s.leave(text)
	return s.isolate.Boolean(ok)
}

// makeText(length, latin1) makes the extras' text of so many bytes that lie in exchange or, where length is negative, of
// what an operation returned.
func (s *sandbox) makeText(args []v8.Value) v8.Value {
	text := s.left
	if length := int(args[0].Number()); length >= 0 {
		text = s.exchange[:length]
	}
	s.left = nil
	return s.isolate.Boolean(s.isolate.WriteText(text, args[1].Boolean()))
}

// exchange(buffer) gives Go the memory for bytes on their way.
func (s *sandbox) shareExchange(args []v8.Value) v8.Value {
	s.exchange = s.shared(args[0])
	return v8.Value{}
}

// shared is the memory of a SharedArrayBuffer, for as long as there is the isolate.
func (s *sandbox) shared(buffer v8.Value) []byte {
	data, release, err := buffer.SharedBytes()
	if err != nil {
		return nil
	}
	s.releases = append(s.releases, release)
	return data
}

// leave puts bytes where takeBytes of 10_host.js finds them.
func (s *sandbox) leave(data []byte) {
	s.set(stateLength, float64(len(data)))
	if len(data) > len(s.exchange) {
		s.left = data
		return
	}
	s.left = nil
	copy(s.exchange, data)
}

// load(name) is the function that a script evaluates to.
func (s *sandbox) nativeLoad(args []v8.Value) v8.Value {
	fn, err := s.load(args[0].String())
	if err != nil {
		return v8.Value{} // calling it fails in the script
	}
	return fn
}

// op(index, types, ...args) performs an operation of the web platform. types has a letter an argument: string, number,
// truth value, undefined, or bytes or a long string, whose argument is the number of bytes, which lie in exchange one after
// the other; x is a long string that is the extras' text.
func (s *sandbox) op(args []v8.Value) v8.Value {
	types := args[1].String()
	list := make([]any, len(types))
	offset := 0
	for i := range list {
		switch arg := args[i+2]; types[i] {
		case 's':
			list[i] = arg.String()
		case 'n':
			list[i] = arg.Number()
		case 't':
			list[i] = arg.Boolean()
		case 'x':
			text, _ := s.isolate.ReadText(s.worker.long, false)
			s.worker.long = text
			list[i] = textOf(text)
		case 'b', 'l':
			end := offset + int(arg.Number())
			if list[i] = s.exchange[offset:end:end]; types[i] == 'l' {
				list[i] = textOf(s.exchange[offset:end])
			}
			offset = end
		}
	}
	result, err := s.worker.ops[int(args[0].Number())](s.kept, list)
	if err != nil {
		s.set(stateKind, resultError)
		var named *web.OpError
		if errors.As(err, &named) {
			return s.isolate.String(named.Name + "\n" + named.Message)
		}
		return s.isolate.String("Error\n" + err.Error())
	}
	switch result := result.(type) {
	case string:
		if len(result) < longResult {
			return s.isolate.String(result)
		}
		s.set(stateKind, resultText)
		s.left = bytesOf(result)
	case web.Text:
		s.set(stateKind, resultLatin1)
		s.left = result
	case float64:
		return s.isolate.Number(result)
	case bool:
		return s.isolate.Boolean(result)
	case []byte:
		s.set(stateKind, resultBytes)
		s.leave(result)
	}
	return v8.Value{}
}

// text is what toGo of 10_host.js made of a text. It is good until the next.
func (s *sandbox) text(value v8.Value) []byte {
	if value.IsString() {
		return bytesOf(value.Text())
	}
	text, _ := s.isolate.ReadText(s.worker.long, false) // a string, by toGo
	s.worker.long = text
	return text
}

// text() leaves the text that fromGo of 10_host.js takes.
func (s *sandbox) nativeText([]v8.Value) v8.Value {
	s.isolate.WriteText(s.incoming, false)
	s.incoming = nil
	return v8.Value{}
}

// name(provider, tool) gives a tool the next number.
func (s *sandbox) nativeName(args []v8.Value) v8.Value {
	s.tools = append(s.tools, tool{provider: bytesOf(args[0].String()), name: bytesOf(args[1].String())})
	return v8.Value{}
}

// call(args) sends the tool call whose id and tool are in state; false says that args are over the limit.
func (s *sandbox) nativeCall(args []v8.Value) v8.Value {
	list := s.text(args[0])
	if int64(len(list)) > s.run.header.ArgumentBytes {
		return s.isolate.Boolean(false)
	}
	called := s.tools[int(s.get(stateName))]
	id := s.get(stateID)
	s.run.calls.sent(int64(id))
	s.run.write(wire.Call, s.run.id(id), called.provider, called.name, list)
	return v8.Value{}
}

// fetch(id, head, length) sends a step of an outbound request, whose bytes lie in exchange.
func (s *sandbox) nativeFetch(args []v8.Value) v8.Value {
	body := append([]byte{}, s.exchange[:int(args[2].Number())]...)
	s.run.write(wire.Fetch, s.run.id(args[0].Number()), bytesOf(args[1].String()), body)
	return v8.Value{}
}

// toBase64(length) is the text of bytes that lie in exchange.
func (s *sandbox) toBase64(args []v8.Value) v8.Value {
	return s.isolate.String(base64.StdEncoding.EncodeToString(s.exchange[:int(args[0].Number())]))
}

// fromBase64(text) leaves the bytes of a text, with padding or not; false says that it has none.
func (s *sandbox) fromBase64(args []v8.Value) v8.Value {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(args[0].String(), "="))
	if err != nil {
		return s.isolate.Boolean(false)
	}
	s.leave(data)
	return v8.Value{}
}

// settle(kind, text, refused, granted, unhandled) ends the run. What the program still has queued does not run any more,
// unless it is kept.
func (s *sandbox) nativeSettle(args []v8.Value) v8.Value {
	s.run.settle(args[0].String(), s.text(args[1]), args[2].String(), int64(args[3].Number()), args[4].Text(), args[5].String())
	if s.run.done.Handles == 0 {
		s.isolate.Terminate()
	}
	return v8.Value{}
}

// id is a call's id on the wire.
func (r *run) id(n float64) []byte {
	r.box.worker.lastID = max(r.box.worker.lastID, int64(n))
	return strconv.AppendInt(nil, int64(n), 10)
}

func (r *run) write(kind wire.Kind, fields ...[]byte) {
	if err := r.box.worker.writer.Write(kind, fields...); err != nil && r.err == nil {
		r.err = fmt.Errorf("writing to the pool: %w", err)
	}
}
