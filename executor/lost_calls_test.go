package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

func TestEveryCallIsAnsweredOnceAndBooked(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	result := mustExecute(t, pool, &protocol.ExecuteRequest{Code: "calls:4", Dispatch: func(_ context.Context, _, tool, _ string) (string, error) {
		switch tool {
		case "t0":
			return `{"result":0}`, nil
		case "t1":
			return "", errors.New("no such id")
		case "t2":
			panic("boom")
		}
		return "an answer in prose", nil
	}})
	var answers []protocol.Envelope
	if err := json.Unmarshal(result.Value, &answers); err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	for _, answer := range answers {
		text := string(answer.Result)
		if answer.Error != nil {
			text, _, _ = strings.Cut(*answer.Error, ": invalid character")
		}
		texts[text] = true
	}
	want := map[string]bool{"0": true, "no such id": true, `tool "t2" panicked: boom`: true, "the dispatch answered no envelope": true}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
	var outcomes []string
	for _, call := range result.Calls {
		outcomes = append(outcomes, call.Provider+"."+call.Tool+" "+string(call.Outcome))
	}
	wantOutcomes := []string{"api.t0 completed", "api.t1 failed", "api.t2 failed", "api.t3 failed", "api.over refused"}
	if diff := cmp.Diff(wantOutcomes, outcomes); diff != "" {
		t.Error(diff)
	}
	if result.Usage.ToolCalls != 4 {
		t.Errorf("usage %+v", result.Usage)
	}
}

func TestARequestWithoutDispatchRefusesEveryTool(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: "calls:1"}); got != `[{"error":"Tool \"t0\" not found"}]` {
		t.Errorf("value %s", got)
	}
}

func TestAToolResultOverItsBoundIsAnErrorOfThatCall(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	got := mustValue(t, pool, &protocol.ExecuteRequest{
		Code: "calls:1", Limits: protocol.Limits{ToolResultBytes: 1000},
		Dispatch: func(context.Context, string, string, string) (string, error) {
			return `{"result":"` + strings.Repeat("x", 2000) + `"}`, nil
		},
	})
	if !strings.Contains(got, "limit toolResultBytes: 1000") {
		t.Errorf("value %s", got)
	}
}

func TestCallsReachTheirFunctionsBeforeAResultThatDidNotAwaitThem(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	reached := 0
	release := make(chan struct{})
	after := make(chan error, 20)
	guard := new(protocol.CompletionGuard)
	dispatch := protocol.NewEnvelopeDispatch(map[string]protocol.Handler{
		"api": func(ctx context.Context, _, _ string) (json.RawMessage, error) {
			mu.Lock()
			reached++
			mu.Unlock()
			<-release
			after <- ctx.Err()
			return nil, nil
		},
	}, guard)
	result, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: "leave:20", Dispatch: dispatch})
	if err != nil || string(result.Value) != `"left"` {
		t.Fatalf("result %+v, error %v", result, err)
	}
	cancel()
	guard.Complete()
	eventually(t, "all calls have reached their function", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return reached == 20
	})
	for _, call := range result.Calls {
		if call.Outcome != protocol.CallAbandoned || !call.Unheard {
			t.Errorf("ledger %+v", call)
		}
	}
	close(release)
	for range 20 { // the caller's end is no business of calls that a program left behind
		if err := <-after; err != nil {
			t.Errorf("a call's context ended with %v", err)
		}
	}
}

func TestADispatchThatNeverAdmitsHoldsTheResultBackOnlyForAMoment(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	release := make(chan struct{})
	defer close(release)
	mustValue(t, pool, &protocol.ExecuteRequest{Code: "leave:1", Dispatch: func(context.Context, string, string, string) (string, error) {
		<-release
		return "{}", nil
	}})
}

func TestCallsSetOffInTheOrderTheyWereMade(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	for range 20 {
		var mu sync.Mutex
		var order []int
		mustValue(t, pool, &protocol.ExecuteRequest{Code: "calls:20", Dispatch: func(_ context.Context, _, tool, _ string) (string, error) {
			mu.Lock()
			n, _ := strconv.Atoi(tool[1:])
			order = append(order, n)
			mu.Unlock()
			time.Sleep(time.Millisecond)
			return "{}", nil
		}})
		// Calls run concurrently, so one may overtake another in the last step; an order at random has ten descents.
		descents := 0
		for i := 1; i < len(order); i++ {
			if order[i] < order[i-1] {
				descents++
			}
		}
		if descents > 5 {
			t.Errorf("order %v", order)
		}
	}
}

func TestTheClockStandsWhileACallIsInFlight(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	slow := func(context.Context, string, string, string) (string, error) {
		time.Sleep(later + 300*time.Millisecond)
		return "{}", nil
	}
	request := protocol.ExecuteRequest{Code: "calls:2", Dispatch: slow, Timeout: protocol.TimeoutOf(later)}
	result := mustExecute(t, pool, &request)
	if result.Failure != nil || result.Usage.Wall < later || result.Usage.Run >= later {
		t.Errorf("result %+v", result)
	}
	request.CountHostWaits = true
	mustFail(t, pool, &request, protocol.FailureTimeout)
}

// TestACallHoldsTheClock covers a call that asks a person: the wait counts for nothing, what comes after it does.
func TestACallHoldsTheClock(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	asking := func(ctx context.Context, _, _, _ string) (string, error) {
		release := protocol.HoldClock(ctx)
		defer release()
		time.Sleep(later + 300*time.Millisecond)
		release()
		return "{}", nil
	}
	request := protocol.ExecuteRequest{Code: "calls:2", Dispatch: asking, Timeout: protocol.TimeoutOf(later), CountHostWaits: true}
	if result := mustExecute(t, pool, &request); result.Failure != nil || result.Usage.Wall < later {
		t.Errorf("result %+v", result)
	}
	protocol.HoldClock(t.Context())() // without a run there is nothing to hold
}

// Where a run's caller is a call of another run, that waits for the person, too.
func TestACallHoldsTheClockOfTheRunAroundItsRun(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 2})
	asking := func(ctx context.Context, _, _, _ string) (string, error) {
		defer protocol.HoldClock(ctx)()
		time.Sleep(later + 300*time.Millisecond)
		return "{}", nil
	}
	running := func(ctx context.Context, _, _, _ string) (string, error) {
		result, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: "calls:1", Dispatch: asking, Timeout: protocol.TimeoutOf(later), CountHostWaits: true})
		if err != nil || result.Failure != nil {
			t.Errorf("the run within: %+v, %v", result, err)
		}
		return "{}", nil
	}
	request := protocol.ExecuteRequest{Code: "calls:1", Dispatch: running, Timeout: protocol.TimeoutOf(later), CountHostWaits: true}
	if result := mustExecute(t, pool, &request); result.Failure != nil || result.Usage.Wall < later {
		t.Errorf("result %+v", result)
	}
}
