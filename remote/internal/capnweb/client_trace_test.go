package capnweb

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestClientTrace plays the JavaScript server of the handed trace of a Go client, and expects what that said.
func TestClientTrace(t *testing.T) {
	leftover(t)
	lines := readTrace(t, "12-go-client-js-server.jsonl")
	s, peer := acceptRaw(t, Limits{})
	turns := &turns{order: []int{1, 2, 3, 4, 0}, sequential: 3, mayAnswer: map[int]chan struct{}{}}
	for _, turn := range turns.order {
		turns.mayAnswer[turn] = make(chan struct{})
	}
	failed := make(chan error, 1)
	go func() { failed <- playClient(t.Context(), s, turns) }()
	for i, line := range lines {
		switch text := string(line.Msg); {
		case text[:8] == `["abort"`: // sent to a connection that was closed
		case line.Dir == "js>go":
			peer.send(text)
		default:
			if got := peer.next(); !sameJSON(t, got, text) {
				t.Fatalf("line %d:\ngot  %s\nwant %s", i, got, text)
			}
			if strings.Contains(text, `"from":"go"`) {
				turns.answered()
			}
		}
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

// turns is the order in which the trace's answers to concurrent calls went back, after some calls one at a time: each has
// its turn once the one before has arrived.
type turns struct {
	order      []int
	sequential int
	arrived    int
	mayAnswer  map[int]chan struct{}
}

// answered takes note of an answer that has arrived.
func (o *turns) answered() {
	o.arrived++
	if next := o.arrived - o.sequential; next >= 0 && next < len(o.order) {
		close(o.mayAnswer[o.order[next]])
	}
}

// playClient is the client of that trace.
func playClient(ctx context.Context, s *Session, turns *turns) error {
	main := s.Main()
	var err error
	call := func(method string, args ...any) any {
		answer, callErr := main.Call(ctx, method, args...)
		err = errors.Join(err, callErr)
		return answer
	}
	call("protocolVersion")
	began := 0
	dispatch := Func(func(args []any) Run {
		turn := began - turns.sequential
		began++
		return func(context.Context) (any, error) {
			var request struct{ I int }
			if err := json.Unmarshal(args[1].(json.RawMessage), &request); err != nil {
				return nil, err
			}
			if turn >= 0 {
				<-turns.mayAnswer[turn]
			}
			return Object{{Key: "i", Value: request.I}, {Key: "from", Value: "go"}}, nil
		}
	})
	call("execute", Object{{Key: "u", Value: Undefined{}}, {Key: "nul"}, {Key: "sequential", Value: 3}, {Key: "concurrent", Value: 5}, {Key: "absentIsAbsent", Value: true}}, dispatch)
	var failure *Error
	if _, callErr := main.Call(ctx, "fail"); !errors.As(callErr, &failure) || failure.Code() != "E_JS" {
		return errors.Join(err, errors.New("fail did not fail with E_JS"), callErr)
	}
	if counter, ok := call("makeCounter").(*Stub); ok {
		for range 2 {
			_, callErr := counter.Call(ctx, "next")
			err = errors.Join(err, callErr)
		}
		counter.Dispose()
	}
	call("values")
	call("catchFrom", Async(func(context.Context, []any) (any, error) {
		return nil, &Error{Name: "TypeError", Message: "from go", Props: Object{{Key: "code", Value: "E_GO"}}}
	}))
	never, startErr := main.Start("never")
	if startErr != nil {
		return startErr
	}
	given, giveUp := context.WithCancel(ctx)
	giveUp()
	if _, waitErr := never.Wait(given); !errors.Is(waitErr, context.Canceled) {
		return waitErr
	}
	call("stats")
	return err
}

// TestServerProbes has a raw server do what npm capnweb was asked to bear.
func TestServerProbes(t *testing.T) {
	leftover(t)
	s, peer := acceptRaw(t, Limits{})
	f := Async(func(context.Context, []any) (any, error) { return nil, nil })
	start := func(args ...any) *Pending {
		t.Helper()
		pending, err := s.Main().Start("x", args...)
		if err != nil {
			t.Fatal(err)
		}
		return pending
	}
	// one function, three times: three ids
	pending := start(f, f, Object{{Key: "f", Value: f}})
	peer.expect(`["push",["pipeline",0,["x"],[["export",-1],["export",-2],{"f":["export",-3]}]]]`, `["pull",1]`)
	peer.send(`["resolve",1,1]`, `["resolve",1,2]`) // the second is an answer to nothing
	peer.expect(`["release",1,1]`)
	if answer, err := pending.Wait(t.Context()); err != nil || text(t, answer) != "1" {
		t.Error(answer, err)
	}
	// a promise inside an answer, whose end follows
	pending = start()
	peer.expect(`["push",["pipeline",0,["x"],[]]]`, `["pull",2]`)
	peer.send(`["resolve",2,{"later":["promise",-1]}]`)
	peer.expect(`["release",2,1]`)
	peer.send(`["resolve",-1,"now"]`)
	peer.expect(`["release",-1,1]`)
	if answer, err := pending.Wait(t.Context()); err != nil || text(t, answer) != `{"later":"now"}` {
		t.Error(answer, err)
	}
	// a call of a main object that there is not
	peer.send(`["push",["pipeline",0,["hello"],[]]]`, `["pull",1]`)
	peer.expect(`["reject",1,["error","Error","This connection has no main object."]]`)
	// an argument that cannot cross: nothing is sent, and no id is taken
	if _, err := s.Main().Start("x", f, make(chan int)); err == nil {
		t.Error("a channel crosses")
	}
	// an abort with a code, while a call waits
	pending = start()
	peer.expect(`["push",["pipeline",0,["x"],[]]]`, `["pull",3]`)
	peer.send(`["abort",["error","Error","daemon is shutting down",null,{"code":"E_SHUTDOWN"}]]`)
	var e *Error
	if _, err := pending.Wait(t.Context()); !errors.As(err, &e) || e.Code() != "E_SHUTDOWN" {
		t.Errorf("the call ends with %v", err)
	}
	if stats := s.Stats(); stats.Exports != 0 || stats.Imports != 0 {
		t.Errorf("left: %+v", stats)
	}
}
