package capnweb

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// traceMain is the server that the traces were made with, in so far as they show it.
func traceMain(s *Session) Target {
	var kept *Stub
	return Target{
		"protocolVersion": Async(func(context.Context, []any) (any, error) { return 1, nil }),
		"echo": func(args []any) Run {
			return func(context.Context) (any, error) {
				if len(args) == 0 {
					return Undefined{}, nil
				}
				if st, ok := args[0].(*Stub); ok {
					return st.Dup()
				}
				return args[0], nil
			}
		},
		"never": Async(func(ctx context.Context, _ []any) (any, error) { <-ctx.Done(); return nil, ctx.Err() }),
		"kind":  Async(func(_ context.Context, args []any) (any, error) { return fmt.Sprintf("%T", args[0]), nil }),
		"describe": Async(func(_ context.Context, args []any) (any, error) {
			return fmt.Sprintf("%d args: %#v", len(args), args), nil
		}),
		"bytes": Async(func(context.Context, []any) (any, error) { return []byte{0, 1, 2, 255}, nil }),
		"fail": Async(func(context.Context, []any) (any, error) {
			return nil, &Error{Name: "ToolError", Message: "tool blew up", Props: Object{{Key: "code", Value: "E_TOOL"}, {Key: "details", Value: map[string]any{"retry": false}}}}
		}),
		"catchFrom": Async(catchFrom),
		"twice": Async(func(ctx context.Context, args []any) (any, error) {
			a, err := args[0].(*Stub).Call(ctx, "", 1)
			if err != nil {
				return nil, err
			}
			b, err := args[1].(*Stub).Call(ctx, "", 2)
			return []any{a, b}, err
		}),
		"keep": Async(func(_ context.Context, args []any) (result any, err error) {
			kept, err = args[0].(*Stub).Dup()
			return Undefined{}, err
		}),
		"useKept":  Async(func(ctx context.Context, _ []any) (any, error) { return kept.Call(ctx, "", "kept") }),
		"dropKept": Async(func(context.Context, []any) (any, error) { kept.Dispose(); return Undefined{}, nil }),
		"makeCounter": func([]any) Run {
			n := 0
			counter := Target{"next": func([]any) Run {
				n++ // in the order of the calls
				got := n
				return func(context.Context) (any, error) { return got, nil }
			}}
			return func(context.Context) (any, error) { return counter, nil }
		},
		"callNext": Async(func(ctx context.Context, args []any) (any, error) { return args[0].(*Stub).Call(ctx, "next") }),
		"stats": func([]any) Run {
			return func(context.Context) (any, error) {
				return json.RawMessage(`{"imports":1,"exports":2}`), nil
			}
		},
		"execute": Async(execute),
	}
}

func catchFrom(ctx context.Context, args []any) (any, error) {
	_, err := args[0].(*Stub).Call(ctx, "")
	var e *Error
	if errors.As(err, &e) {
		props := e.Props
		if props == nil {
			props = Object{}
		}
		return Object{{Key: "name", Value: e.Name}, {Key: "message", Value: e.Message}, {Key: "stack", Value: e.Stack}, {Key: "props", Value: props}}, nil
	}
	var thrown Thrown
	errors.As(err, &thrown)
	return Object{{Key: "thrown", Value: thrown.Value}}, nil
}

// execute calls back one after the other, and then so many times at once. The traces show the last one setting off
// first.
func execute(ctx context.Context, args []any) (any, error) {
	st, ok := args[1].(*Stub)
	if !ok {
		return nil, &Error{Name: "TypeError", Message: "dispatchFn is not a function", Props: Object{{Key: "code", Value: "BAD_ARGS"}}}
	}
	var request struct{ Sequential, Concurrent int }
	if err := json.Unmarshal(args[0].(json.RawMessage), &request); err != nil {
		return nil, err
	}
	seq, par := make([]any, request.Sequential), make([]any, request.Concurrent)
	for i := range seq {
		var err error
		if seq[i], err = st.Call(ctx, "", "seq", Object{{Key: "i", Value: i}}); err != nil {
			return nil, err
		}
	}
	var calls sync.WaitGroup
	for n := range par {
		i := (n + len(par) - 1) % len(par)
		pending, err := st.Start("", "par", Object{{Key: "i", Value: i}})
		if err != nil {
			return nil, err
		}
		calls.Go(func() { par[i], _ = pending.Wait(ctx) })
	}
	calls.Wait()
	return Object{{Key: "ok", Value: true}, {Key: "seq", Value: seq}, {Key: "par", Value: par}}, nil
}

// handed is where the traces against npm capnweb were handed over. They are not part of the repository.
const handed = "../../../../shared/reference/capnweb-traces"

type traceLine struct {
	Dir string
	Msg json.RawMessage
}

func readTrace(t *testing.T, name string) []traceLine {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(handed, name))
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("the handed traces are not here: ", err)
	}
	var lines []traceLine
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var line traceLine
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Msg != nil {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestTraces plays the JavaScript side of the handed traces and expects what the Go side said there.
func TestTraces(t *testing.T) {
	for name, differences := range map[string]map[string]string{
		"01-handshake.jsonl": nil, "02-call-with-function.jsonl": nil, "03-concurrent-callbacks.jsonl": nil,
		"04-error-with-code.jsonl": nil,
		// What the traces' server counted stands in the answers of stats; ours are told to say something.
		// And it did not give back a stub that it had returned.
		"05-disposal-release.jsonl":      {`"stats"`: "", `["release",-1,1]`: "extra"},
		"06-broken-js-client-dies.jsonl": {`"slow"`: ""},
		"08-undefined-null-absent.jsonl": {
			// ours keeps plain JSON as text
			"3 args: []interface {}{1, capnweb.Undefined{}, interface {}(nil)}": "3 args: []interface {}{json.RawMessage{0x31}, protocol.Undefined{}, json.RawMessage{0x6e, 0x75, 0x6c, 0x6c}}",
			// ours tells instead of losing them at the peer
			`["resolve",6,{"ok":5,"toString":1,"constructor":2,"toJSON":3,"hasOwnProperty":4}]`: `["reject",6,["error","TypeError","Cannot serialize value: a JavaScript peer would drop the property \"toString\""]]`,
		},
		"09-bytes-and-friends.jsonl": {
			"2 args: []interface {}{[]uint8{0x1, 0x0, 0x2, 0x0}, []uint8{0x0, 0x0}}": `2 args: []interface {}{capnweb.TypedBytes{Type:\"Uint16Array\", Data:[]uint8{0x1, 0x0, 0x2, 0x0}}, capnweb.TypedBytes{Type:\"ArrayBuffer\", Data:[]uint8{0x0, 0x0}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			leftover(t)
			lines := readTrace(t, name)
			url, _ := serve(t, Limits{}, func(s *Session) Target {
				main := traceMain(s)
				main["slow"] = Async(func(ctx context.Context, args []any) (any, error) { return args[0].(*Stub).Call(ctx, "") })
				return main
			})
			peer := dialRaw(t, url)
			replay(t, peer, lines, differences)
		})
	}
}

func replay(t *testing.T, peer *rawPeer, lines []traceLine, differences map[string]string) {
	t.Helper()
	for i, line := range lines {
		text := string(line.Msg)
		if line.Dir == "js>go" {
			peer.send(text)
			continue
		}
		if strings.HasPrefix(text, `["abort"`) {
			return // sent to a connection that was closed, which ours does not do
		}
		got := peer.next()
		if differences[got] == "extra" && got != text {
			got = peer.next()
		}
		for was, is := range differences {
			if is != "" && is != "extra" {
				text = strings.ReplaceAll(text, was, is)
			}
		}
		if _, stats := differences[`"stats"`]; stats && strings.Contains(text, `"imports"`) {
			continue
		}
		if !sameJSON(t, got, text) {
			t.Fatalf("line %d:\ngot  %s\nwant %s", i, got, text)
		}
	}
}

// sameJSON compares without the order of members, which the traces' server did not keep.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%q: %v", a, err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}

// conversation is the JavaScript side of a trace; empty when it is not here.
func conversation(name string) []byte {
	text, _ := os.ReadFile(filepath.Join(handed, name))
	var said [][]byte
	for line := range bytes.Lines(text) {
		var l traceLine
		if json.Unmarshal(line, &l) == nil && l.Dir == "js>go" {
			said = append(said, l.Msg)
		}
	}
	return bytes.Join(said, []byte("\n"))
}
