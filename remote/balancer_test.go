package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/gorilla/websocket"
)

// gate holds executions back until it is opened.
type gate struct{ entered, open chan struct{} }

func newGate() gate { return gate{make(chan struct{}, 100), make(chan struct{})} }

func (g gate) execute(ctx context.Context, _ *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	g.entered <- struct{}{}
	select {
	case <-g.open:
		return value("1"), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestRunsGoWhereTheFewestAre(t *testing.T) {
	leftover(t)
	g := newGate()
	wide := &HandlerOptions{Concurrency: 50}
	machines := []*machine{newMachine(t, "", g.execute, wide), newMachine(t, "", g.execute, wide), newMachine(t, "", g.execute, wide)}
	b := balance(t, quick(), machines...)
	var runs sync.WaitGroup
	for range 12 {
		runs.Go(func() {
			if _, err := b.Execute(t.Context(), &protocol.ExecuteRequest{}); err != nil {
				t.Error(err)
			}
		})
	}
	for range 12 {
		<-g.entered
	}
	for i, m := range machines {
		if m.began.Load() != 4 {
			t.Errorf("daemon %d has %d of 12 runs", i, m.began.Load())
		}
	}
	for _, s := range b.Status() {
		if s.Running != 4 {
			t.Errorf("%+v", s)
		}
	}
	close(g.open)
	runs.Wait()
}

// TestADaemonIsKilledAndStartedAgain: what ran on it fails once and is not sent again, the others do not notice, and it
// gets runs again once it is back.
func TestADaemonIsKilledAndStartedAgain(t *testing.T) {
	leftover(t)
	g := newGate()
	machines := []*machine{newMachine(t, "", g.execute, nil), newMachine(t, "", g.execute, nil)}
	b := balance(t, quick(), machines...)
	failures := make(chan error, 4)
	for range 4 {
		go func() {
			_, err := b.Execute(t.Context(), &protocol.ExecuteRequest{})
			failures <- err
		}()
	}
	for range 4 {
		<-g.entered
	}
	machines[0].kill()
	for range 2 {
		err := <-failures
		if !errors.Is(err, protocol.CodeConnectionBroken) || err.Error() != "Executor connection broke during execution" {
			t.Errorf("a run on the daemon that was killed: %v", err)
		}
	}
	close(g.open)
	for range 2 {
		if err := <-failures; err != nil {
			t.Errorf("a run on the other daemon: %v", err)
		}
	}
	awaitIn(t, b, 1)
	for range 5 {
		if _, err := b.Execute(t.Context(), &protocol.ExecuteRequest{}); err != nil {
			t.Error(err)
		}
	}
	if first, second := machines[0].began.Load(), machines[1].began.Load(); first != 2 || second != 7 {
		t.Errorf("the killed daemon began %d runs, the other %d", first, second)
	}
	machines[0].start()
	awaitIn(t, b, 2)
	for range 4 {
		if _, err := b.Execute(t.Context(), &protocol.ExecuteRequest{}); err != nil {
			t.Error(err)
		}
	}
	if again := machines[0].began.Load(); again != 4 {
		t.Errorf("the daemon that is back began %d of 4 runs", again-2)
	}
}

// TestARunWaitsForARestart: a run that has not begun may wait, for as long as Patience says.
func TestARunWaitsForARestart(t *testing.T) {
	leftover(t)
	m := newMachine(t, "", nil, nil)
	options := quick()
	options.Patience = time.Minute
	b := balance(t, options, m)
	m.kill()
	awaitIn(t, b, 0)
	ran := make(chan error)
	go func() {
		_, err := b.Execute(t.Context(), &protocol.ExecuteRequest{})
		ran <- err
	}()
	m.start()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := b.Execute(ended, &protocol.ExecuteRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}

	impatient := quick()
	impatient.Patience = -1
	other := balance(t, impatient, m)
	m.kill()
	awaitIn(t, other, 0)
	if _, err := other.Execute(t.Context(), &protocol.ExecuteRequest{}); refusalCode(err) != protocol.CodeConnectionRejected {
		t.Errorf("without patience: %v", err)
	}
}

// refusalCode is the outermost code.
func refusalCode(err error) protocol.Code {
	var ours *protocol.Error
	if !errors.As(err, &ours) {
		return ""
	}
	return ours.Code
}

// TestWhatADaemonRefusesAnotherMayRun: the refusals say that nothing has begun.
func TestWhatADaemonRefusesAnotherMayRun(t *testing.T) {
	leftover(t)
	full := func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		err := protocol.Errorf(protocol.CodeQueueFull, "full")
		err.Retryable = true
		return nil, err
	}
	fails := func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		return nil, protocol.Errorf(protocol.CodeWorkerStartFailed, "no engine")
	}
	busy, free := newMachine(t, "", full, nil), newMachine(t, "", nil, nil)
	b := balance(t, quick(), busy, free)
	for range 6 {
		if result, err := b.Execute(t.Context(), &protocol.ExecuteRequest{}); err != nil || string(result.Value) != `"`+free.address+`"` {
			t.Errorf("beside a full daemon: %v", err)
		}
	}
	awaitIn(t, b, 2) // a full queue is no reason to eject
	allFull := balance(t, quick(), busy, newMachine(t, "", full, nil))
	if _, err := allFull.Execute(t.Context(), &protocol.ExecuteRequest{}); !errors.Is(err, protocol.CodeQueueFull) || err.Error() != "full" {
		t.Errorf("all of them full: %v", err)
	}
	broken := newMachine(t, "", fails, nil)
	withBroken := balance(t, quick(), broken)
	if _, err := withBroken.Execute(t.Context(), &protocol.ExecuteRequest{}); !errors.Is(err, protocol.CodeWorkerStartFailed) || broken.began.Load() != 1 {
		t.Errorf("a failure of another kind: %v after %d attempts", err, broken.began.Load())
	}
}

// TestADaemonThatCannotRunDrawsNoRuns: failing at once, it always has the least load.
func TestADaemonThatCannotRunDrawsNoRuns(t *testing.T) {
	leftover(t)
	broken := newMachine(t, "", func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		return nil, protocol.Errorf(protocol.CodeWorkerStartFailed, "no engine")
	}, nil)
	lossy := newMachine(t, "", func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		err := protocol.Errorf(protocol.CodeWorkerLost, "lost")
		err.Retryable = true
		return nil, err
	}, nil)
	fine := newMachine(t, "", nil, nil)
	b := balance(t, &BalancerOptions{Ejection: time.Hour, MaxEjection: time.Hour}, broken, lossy, fine)
	failed := 0
	for range 12 {
		if _, err := b.Execute(t.Context(), &protocol.ExecuteRequest{}); errors.Is(err, protocol.CodeWorkerStartFailed) {
			failed++
		} else if err != nil {
			t.Error(err)
		}
	}
	if failed != 1 || broken.began.Load() != 1 || fine.began.Load() != 11 {
		t.Errorf("%d runs failed; the daemon that cannot run began %d, the other %d", failed, broken.began.Load(), fine.began.Load())
	}
	awaitIn(t, b, 2) // one lost worker is no reason to eject
}

// TestADaemonThatShutsDownIsLeftAlone: it refuses with POOL_CLOSED while it drains, and its runs come to their end.
func TestADaemonThatShutsDownIsLeftAlone(t *testing.T) {
	leftover(t)
	g := newGate()
	leaving, staying := newMachine(t, "", g.execute, nil), newMachine(t, "", nil, nil)
	b := balance(t, quick(), leaving, staying)
	ran := make(chan error, 2)
	for range 2 { // one on each
		go func() {
			_, err := b.Execute(t.Context(), &protocol.ExecuteRequest{})
			ran <- err
		}()
	}
	<-g.entered
	drained := make(chan struct{})
	go func() { leaving.handler.Drain(context.Background()); close(drained) }()
	for !leaving.handler.isDraining() {
		time.Sleep(time.Millisecond)
	}
	for range 6 {
		if _, err := b.Execute(t.Context(), &protocol.ExecuteRequest{}); err != nil {
			t.Errorf("beside a daemon that drains: %v", err)
		}
	}
	close(g.open)
	for range 2 {
		if err := <-ran; err != nil {
			t.Errorf("a run of before: %v", err)
		}
	}
	<-drained
	if leaving.began.Load() != 1 {
		t.Errorf("it began %d runs", leaving.began.Load())
	}
}

// keeping is an executor that retains each run under its machine's name.
func keeping(name string) *fake {
	return &fake{
		execute: func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
			return &protocol.ExecuteResult{ExecutionID: "id-of-" + name}, nil
		},
		invoke: func(_ context.Context, r *protocol.InvokeRequest) (*protocol.ExecuteResult, error) {
			if r.ExecutionID != "id-of-"+name {
				return nil, protocol.Errorf(protocol.CodeExecutionUnknown, "%s does not know %s", name, r.ExecutionID)
			}
			result := value(`"` + name + `"`)
			result.ExecutionID = r.ExecutionID
			return result, nil
		},
		closed: func(string) error { return nil },
	}
}

func TestARetainedExecutionStaysWhereItIs(t *testing.T) {
	leftover(t)
	machines := []*machine{newMachine(t, "", nil, nil), newMachine(t, "", nil, nil), newMachine(t, "", nil, nil)}
	for i, m := range machines {
		m.kill()
		m.executor = keeping(fmt.Sprint(i))
		m.start()
	}
	b := balance(t, quick(), machines...)
	ids := map[string]string{}
	for range 6 {
		result, err := b.Execute(t.Context(), &protocol.ExecuteRequest{RetainHandles: true})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			kept, err := b.InvokeHandle(t.Context(), &protocol.InvokeRequest{ExecutionID: result.ExecutionID, HandleID: 1})
			if err != nil || kept.ExecutionID != result.ExecutionID {
				t.Fatalf("%+v, %v", kept, err)
			}
			ids[string(kept.Value)] = result.ExecutionID
		}
	}
	if len(ids) != 3 {
		t.Fatalf("retained on %v", ids)
	}
	if err := b.CloseHandles(t.Context(), ids[`"0"`]); err != nil {
		t.Error(err)
	}
	machines[1].kill() // and no other daemon has what it kept
	awaitIn(t, b, 2)
	if _, err := b.InvokeHandle(t.Context(), &protocol.InvokeRequest{ExecutionID: ids[`"1"`], HandleID: 1}); !errors.Is(err, protocol.CodeConnectionRejected) {
		t.Errorf("a handle of a daemon that is down: %v", err)
	}
	for _, foreign := range []string{"x", "x~000000000000", ""} {
		if _, err := b.InvokeHandle(t.Context(), &protocol.InvokeRequest{ExecutionID: foreign}); !errors.Is(err, protocol.CodeExecutionUnknown) {
			t.Errorf("%q: %v", foreign, err)
		}
		if err := b.CloseHandles(t.Context(), foreign); err != nil {
			t.Errorf("closing %q: %v", foreign, err)
		}
	}
}

func TestAnEjectionGetsLonger(t *testing.T) {
	long := newBalancer(&BalancerOptions{Ejection: time.Hour, MaxEjection: 100 * time.Hour})
	defer long.Close()
	standard := newBalancer(nil)
	defer standard.Close()
	mismatch := protocol.Errorf(protocol.CodeProtocolMismatch, "v2")
	for _, c := range []struct {
		b        *Balancer
		failures int
		err      error
		want     time.Duration // less up to a quarter
	}{
		{standard, 1, nil, 200 * time.Millisecond}, {standard, 2, nil, 400 * time.Millisecond}, {standard, 5, nil, 3200 * time.Millisecond},
		{standard, 9, nil, 30 * time.Second}, {standard, 1_000_000, nil, 30 * time.Second}, {standard, 1, mismatch, 30 * time.Second},
		{long, 1, nil, time.Hour}, {long, 64, nil, 100 * time.Hour},
	} {
		m := &member{failures: c.failures, err: c.err}
		for range 100 {
			if got := c.b.ejection(m); got > c.want || got < c.want*3/4-1 {
				t.Fatalf("after %d failures (%v) it is out for %s, not about %s", c.failures, c.err, got, c.want)
			}
		}
	}
}

func TestNoDaemonAtAll(t *testing.T) {
	leftover(t)
	other, _ := scripted(t, func(_ int, conn *websocket.Conn, message string) { version(conn, message, 2) })
	another, _ := scripted(t, func(_ int, conn *websocket.Conn, message string) { version(conn, message, 2) })
	const nobody, nobodyElse = "ws://user:secret@127.0.0.1:1", "ws://127.0.0.1:1/x"
	service := &names{}
	service.set(errors.New("no answer"))
	for _, c := range []struct {
		urls []string
		code protocol.Code
		text string
	}{
		{nil, protocol.CodeInvalidRequest, "urls: there is no daemon to dial"},
		{[]string{nobody, nobody}, protocol.CodeInvalidRequest, "urls[1]: ws://user:xxxxx@127.0.0.1:1 stands there twice"},
		{[]string{nobody}, protocol.CodeConnectionRejected, "Failed to open WebSocket to ws://user:xxxxx@127.0.0.1:1"},
		{[]string{nobody, nobodyElse}, protocol.CodeConnectionRejected, "none of the daemons can be reached: "},
		{[]string{other, another}, protocol.CodeProtocolMismatch, "Executor protocol mismatch: client speaks v1, server speaks v2"},
		{[]string{nobody, other}, protocol.CodeConnectionRejected, "none of the daemons can be reached: "},
		{[]string{"dns+ws+unix:///x"}, protocol.CodeConnectionRejected, "Failed to open WebSocket to dns+ws+unix:///x: dns+ stands before "},
		{[]string{"dns+ws://daemons.example"}, protocol.CodeConnectionRejected, "none of the daemons can be reached: looking daemons.example up: no answer"},
	} {
		b, err := DialBalancer(t.Context(), c.urls, &BalancerOptions{Resolver: service})
		if err == nil {
			b.Close()
		}
		if !errors.Is(err, c.code) || !strings.HasPrefix(err.Error(), c.text) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", c.urls, err)
		}
	}
	silent, _ := scripted(t, func(int, *websocket.Conn, string) {})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := DialBalancer(ctx, []string{silent}, nil); !errors.Is(err, protocol.CodeConnectionRejected) {
		t.Errorf("a daemon that says nothing: %v", err)
	}
}

// TestClosingABalancer ends what runs, what waits, and every later call.
func TestClosingABalancer(t *testing.T) {
	leftover(t)
	g := newGate()
	m := newMachine(t, "", g.execute, nil)
	b := balance(t, quick(), m)
	failures := make(chan error, 2)
	go func() {
		_, err := b.Execute(t.Context(), &protocol.ExecuteRequest{})
		failures <- err
	}()
	<-g.entered
	b.Close()
	if err := <-failures; !errors.Is(err, protocol.CodeConnectionBroken) {
		t.Errorf("what ran: %v", err)
	}
	if _, err := b.Execute(t.Context(), &protocol.ExecuteRequest{}); err == nil || err.Error() != "RemoteExecutor is closed" {
		t.Errorf("a later call: %v", err)
	}
	b.Close()

	patient := quick()
	patient.Patience = time.Hour
	waiting := balance(t, patient, m)
	m.kill()
	awaitIn(t, waiting, 0)
	go func() {
		_, err := waiting.Execute(t.Context(), &protocol.ExecuteRequest{})
		failures <- err
	}()
	waiting.Close()
	if err := <-failures; err == nil || err.Error() != "RemoteExecutor is closed" {
		t.Errorf("what waited: %v", err)
	}
}
