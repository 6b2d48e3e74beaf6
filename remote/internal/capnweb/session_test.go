package capnweb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// leftover fails the test when goroutines of this package outlive it.
func leftover(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		var stacks string
		for range 6000 {
			buffer := make([]byte, 1<<20)
			stacks = string(buffer[:runtime.Stack(buffer, true)])
			if !strings.Contains(stacks, "capnweb.(*Session)") && !strings.Contains(stacks, "capnweb.(*invocation)") {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("goroutines are left:\n%s", stacks)
	})
}

// serve accepts sessions; each is closed at the end of the test.
func serve(t testing.TB, limits Limits, main func(*Session) Target) (url string, sessions chan *Session) {
	t.Helper()
	sessions = make(chan *Session, 100)
	var open sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		open.Add(1)
		defer open.Done()
		holder := new(Session)
		var target Target
		if main != nil {
			target = main(holder)
		}
		s, err := Accept(w, r, target, limits)
		if err != nil {
			return
		}
		sessions <- s
		<-s.Broken()
		s.Wait()
	}))
	t.Cleanup(func() {
		open.Wait()
		server.Close()
	})
	return "ws" + strings.TrimPrefix(server.URL, "http"), sessions
}

func dial(t testing.TB, url string, main Target) *Session {
	t.Helper()
	s, err := Dial(t.Context(), url, &DialOptions{Main: main})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// text shows an answer as JSON.
func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := JSON(v)
	if err != nil {
		t.Fatalf("%#v: %v", v, err)
	}
	if raw == nil {
		return "undefined"
	}
	return string(raw)
}

func TestCallbacksRunWhileTheCallWaits(t *testing.T) {
	leftover(t)
	url, sessions := serve(t, Limits{}, func(*Session) Target {
		return Target{"each": Async(func(ctx context.Context, args []any) (any, error) {
			f := args[0].(*Stub)
			var total int
			for i := range 10 {
				answer, err := f.Call(ctx, "", i)
				if err != nil {
					return nil, err
				}
				var n int
				if err := json.Unmarshal(answer.(json.RawMessage), &n); err != nil {
					return nil, err
				}
				total += n
			}
			return total, nil
		})}
	})
	s := dial(t, url, nil)
	square := Async(func(_ context.Context, args []any) (any, error) {
		var n int
		err := json.Unmarshal(args[0].(json.RawMessage), &n)
		return n * n, err
	})
	answer, err := s.Main().Call(t.Context(), "each", square)
	if err != nil || text(t, answer) != "285" {
		t.Fatalf("answer %v, %v", answer, err)
	}
	peer := <-sessions
	settle(t, func() bool {
		return s.Stats() == (Stats{Imports: 1, Exports: 1}) && peer.Stats() == (Stats{Imports: 1, Exports: 1})
	},
		func() string { return fmt.Sprintf("%+v and %+v", s.Stats(), peer.Stats()) })
}

// settle waits until something has become true.
func settle(t *testing.T, done func() bool, state func() string) {
	t.Helper()
	for range 6000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", state())
}

func TestAStubOfAParameterEndsWithItsCall(t *testing.T) {
	leftover(t)
	var kept, lost *Stub
	url, _ := serve(t, Limits{}, func(*Session) Target {
		return Target{
			"keep": Async(func(_ context.Context, args []any) (any, error) {
				lost = args[0].(*Stub)
				var err error
				kept, err = lost.Dup()
				return Undefined{}, err
			}),
			"use": Async(func(ctx context.Context, _ []any) (any, error) {
				if _, err := lost.Call(ctx, ""); !errors.Is(err, errSpent) {
					return nil, fmt.Errorf("the parameter answers %v", err)
				}
				defer kept.Dispose()
				return kept.Call(ctx, "")
			}),
		}
	})
	s := dial(t, url, nil)
	f := Async(func(context.Context, []any) (any, error) { return "kept", nil })
	if answer, err := s.Main().Call(t.Context(), "keep", f); err != nil || text(t, answer) != "undefined" {
		t.Fatal(answer, err)
	}
	if answer, err := s.Main().Call(t.Context(), "use"); err != nil || text(t, answer) != `"kept"` {
		t.Fatal(answer, err)
	}
	settle(t, func() bool { return s.Stats().Exports == 1 }, func() string { return fmt.Sprintf("%+v", s.Stats()) })
}

func TestAStubOfAResultBelongsToTheCaller(t *testing.T) {
	leftover(t)
	url, sessions := serve(t, Limits{}, func(*Session) Target {
		return Target{"make": Async(func(context.Context, []any) (any, error) {
			n := 0
			return Object{{Key: "f", Value: Async(func(context.Context, []any) (any, error) { n++; return n, nil })}, {Key: "plain", Value: 1}}, nil
		})}
	})
	s := dial(t, url, nil)
	answer, err := s.Main().Call(t.Context(), "make")
	if err != nil {
		t.Fatal(err)
	}
	f, _ := answer.(Object).Get("f")
	for want := 1; want <= 2; want++ {
		if got, err := f.(*Stub).Call(t.Context(), ""); err != nil || text(t, got) != fmt.Sprint(want) {
			t.Fatal(got, err)
		}
	}
	peer := <-sessions
	settle(t, func() bool { return peer.Stats().Exports == 2 }, func() string { return fmt.Sprintf("%+v while the stub is held", peer.Stats()) })
	Dispose(answer)
	settle(t, func() bool { return peer.Stats().Exports == 1 }, func() string { return fmt.Sprintf("%+v", peer.Stats()) })
	if _, err := f.(*Stub).Call(t.Context(), ""); !errors.Is(err, errSpent) {
		t.Errorf("a call through a stub that was disposed of: %v", err)
	}
	if s.Err() != nil {
		t.Errorf("the session broke: %v", s.Err())
	}
}

func TestGivingUpACallEndsItsContext(t *testing.T) {
	leftover(t)
	began, ended := make(chan struct{}), make(chan struct{})
	url, sessions := serve(t, Limits{}, func(*Session) Target {
		return Target{"slow": Async(func(ctx context.Context, _ []any) (any, error) {
			close(began)
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		})}
	})
	s := dial(t, url, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := s.Main().Call(ctx, "slow"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	<-ended
	peer := <-sessions
	settle(t, func() bool { return peer.Stats() == (Stats{Imports: 1, Exports: 1}) }, func() string { return fmt.Sprintf("%+v", peer.Stats()) })
}

func TestErrorsCross(t *testing.T) {
	leftover(t)
	url, _ := serve(t, Limits{}, func(*Session) Target {
		return Target{
			"coded": Async(func(context.Context, []any) (any, error) {
				return nil, &Error{Name: "ToolError", Message: "tool blew up", Props: Object{{Key: "code", Value: "E_TOOL"}, {Key: "skipped", Value: make(chan int)}}}
			}),
			"plain":  Async(func(context.Context, []any) (any, error) { return nil, errors.New("plain") }),
			"thrown": Async(func(context.Context, []any) (any, error) { return nil, Thrown{Object{{Key: "code", Value: 7}}} }),
			"panics": Async(func(context.Context, []any) (any, error) { panic("secret") }),
			"begins": func([]any) Run { panic("secret") },
			"exits":  Async(func(context.Context, []any) (any, error) { runtime.Goexit(); return nil, nil }),
			"lost":   Async(func(context.Context, []any) (any, error) { return Object{{Key: "toString", Value: 1}}, nil }),
			"deep": Async(func(context.Context, []any) (any, error) {
				return json.RawMessage(strings.Repeat("[", 300) + strings.Repeat("]", 300)), nil
			}),
		}
	})
	s := dial(t, url, nil)
	for method, want := range map[string]string{
		"coded": "ToolError: tool blew up (E_TOOL)", "plain": "Error: plain ()", "panics": "Error: the method failed inside ()",
		"begins": "Error: the method failed inside ()", "exits": "Error: the method failed inside ()", "nope": "TypeError: 'nope' is not a function. ()",
		"lost": `TypeError: Cannot serialize value: a JavaScript peer would drop the property "toString" ()`,
		"deep": "TypeError: Serialization exceeded maximum allowed depth. (Does the message contain cycles?) ()",
	} {
		_, err := s.Main().Call(t.Context(), method)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", method, err)
			continue
		}
		if got := fmt.Sprintf("%s: %s (%s)", e.Name, e.Message, e.Code()); got != want {
			t.Errorf("%s: %s, want %s", method, got, want)
		}
	}
	var thrown Thrown
	if _, err := s.Main().Call(t.Context(), "thrown"); !errors.As(err, &thrown) || text(t, thrown.Value) != `{"code":7}` {
		t.Errorf("thrown: %#v", err)
	}
}

func TestCloseEndsWhatWaits(t *testing.T) {
	leftover(t)
	url, sessions := serve(t, Limits{}, func(*Session) Target {
		return Target{"slow": Async(func(ctx context.Context, _ []any) (any, error) { <-ctx.Done(); return nil, ctx.Err() })}
	})
	s := dial(t, url, nil)
	pending, err := s.Main().Start("slow")
	if err != nil {
		t.Fatal(err)
	}
	peer := <-sessions
	s.Close()
	if _, err := pending.Wait(t.Context()); !errors.Is(err, errDisposed) {
		t.Errorf("the call ends with %v", err)
	}
	<-peer.Broken()
	var closed *ErrClosed
	if !errors.As(peer.Err(), &closed) || !closed.Orderly() {
		t.Errorf("the peer sees %v", peer.Err())
	}
	if _, err := s.Main().Call(t.Context(), "slow"); !errors.Is(err, errDisposed) {
		t.Errorf("a call after the end: %v", err)
	}
}

func TestAbortGivesThePeersCallsItsError(t *testing.T) {
	leftover(t)
	url, sessions := serve(t, Limits{}, func(*Session) Target {
		return Target{"slow": Async(func(ctx context.Context, _ []any) (any, error) { <-ctx.Done(); return nil, ctx.Err() })}
	})
	s := dial(t, url, nil)
	pending, err := s.Main().Start("slow")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("é", 100)
	go (<-sessions).Abort(&Error{Name: "Error", Message: long, Props: Object{{Key: "code", Value: "E_SHUTDOWN"}}})
	var e *Error
	if _, err := pending.Wait(t.Context()); !errors.As(err, &e) || e.Code() != "E_SHUTDOWN" || e.Message != long {
		t.Errorf("the call ends with %v", err)
	}
}

func TestCloseReasonsAreCutBetweenRunes(t *testing.T) {
	if got := closeReason(strings.Repeat("é", 100)); got != strings.Repeat("é", 61) {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// TestBothWriteAndNoneReads fills both directions at once, with far more than the sockets hold.
func TestBothWriteAndNoneReads(t *testing.T) {
	leftover(t)
	big := strings.Repeat("x", 512<<10)
	url, sessions := serve(t, Limits{}, func(*Session) Target {
		return Target{"flood": Async(func(ctx context.Context, args []any) (any, error) {
			var failed atomic.Int64
			var calls sync.WaitGroup
			for range 40 {
				calls.Go(func() {
					answer, err := args[0].(*Stub).Call(ctx, "", big)
					if err != nil || len(answer.(json.RawMessage)) != len(big)+2 {
						failed.Add(1)
					}
				})
			}
			calls.Wait()
			return failed.Load(), nil
		})}
	})
	s := dial(t, url, nil)
	echo := Async(func(_ context.Context, args []any) (any, error) { return args[0], nil })
	if answer, err := s.Main().Call(t.Context(), "flood", echo); err != nil || text(t, answer) != "0" {
		t.Fatal(answer, err, s.Err(), (<-sessions).Err())
	}
}

func BenchmarkCallback(b *testing.B) {
	url, _ := serve(b, Limits{}, func(*Session) Target {
		return Target{"times": Async(func(ctx context.Context, args []any) (any, error) {
			var n, parallel int
			_ = json.Unmarshal(args[1].(json.RawMessage), &n)
			_ = json.Unmarshal(args[2].(json.RawMessage), &parallel)
			var calls sync.WaitGroup
			var left atomic.Int64
			left.Store(int64(n))
			for range parallel {
				calls.Go(func() {
					for left.Add(-1) >= 0 {
						if _, err := args[0].(*Stub).Call(ctx, "", "seq", Object{{Key: "i", Value: 1}}); err != nil {
							return
						}
					}
				})
			}
			calls.Wait()
			return nil, nil
		})}
	})
	s := dial(b, url, nil)
	answer := Async(func(_ context.Context, args []any) (any, error) { return args[1], nil })
	for _, parallel := range []int{1, 100} {
		b.Run(fmt.Sprint(parallel), func(b *testing.B) {
			if _, err := s.Main().Call(b.Context(), "times", answer, b.N, parallel); err != nil {
				b.Fatal(err)
			}
		})
	}
}
