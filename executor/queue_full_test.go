package executor_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// held is a run that occupies a worker until it is released.
type held struct {
	release context.CancelFunc
	done    chan struct{}
}

func hold(t *testing.T, pool *executor.Pool) held {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	h := held{release: cancel, done: make(chan struct{})}
	before := pool.Status().Running
	go func() {
		defer close(h.done)
		pool.Execute(ctx, &protocol.ExecuteRequest{Code: "obey"})
	}()
	eventually(t, "the run has a worker", func() bool { return pool.Status().Running == before+1 })
	return h
}

func TestRequestsOverTheQueueBoundAreRefusedAndMayRetry(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1, MaxQueue: 2})
	h := hold(t, pool)
	var waiting sync.WaitGroup
	for range 2 {
		waiting.Go(func() {
			if _, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"}); err != nil {
				t.Errorf("a queued request failed: %v", err)
			}
		})
	}
	eventually(t, "two requests wait", func() bool { return pool.Status().Queued == 2 })
	_, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"})
	var full *protocol.Error
	if !errors.As(err, &full) || full.Code != protocol.CodeQueueFull || !full.Retryable {
		t.Errorf("error %+v", err)
	}
	h.release()
	waiting.Wait()
	<-h.done
}

func TestAQueueOfNoneStillRunsOnFreeWorkers(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1, MaxQueue: -1})
	for range 5 {
		if _, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"}); err != nil {
			t.Fatal(err)
		}
	}
	h := hold(t, pool)
	if _, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"}); !errors.Is(err, protocol.CodeQueueFull) {
		t.Errorf("error %v", err)
	}
	h.release()
	<-h.done
}

func TestARequestThatWaitsTooLongIsToldSo(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1, QueueTimeout: 50 * time.Millisecond})
	h := hold(t, pool)
	_, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"})
	var late *protocol.Error
	if !errors.As(err, &late) || late.Code != protocol.CodeQueueTimeout || !late.Retryable {
		t.Errorf("error %+v", err)
	}
	h.release()
	<-h.done
}

func TestACallerThatLeavesTheQueueFreesItsPlace(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	h := hold(t, pool)
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan error)
	go func() {
		_, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: "value:1"})
		left <- err
	}()
	eventually(t, "the request waits", func() bool { return pool.Status().Queued == 1 })
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if s := pool.Status(); s.Queued != 0 {
		t.Errorf("status %+v", s)
	}
	h.release()
	<-h.done
}

func TestAContextThatEndedBeforehandStartsNothing(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	result, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: "value:1"})
	if !errors.Is(err, context.DeadlineExceeded) || result != nil {
		t.Errorf("result %v, error %v", result, err)
	}
}

func TestRequestsAreServedInTheOrderTheyCame(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	h := hold(t, pool)
	var order []int // one program runs at a time
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			mustValue(t, pool, &protocol.ExecuteRequest{Code: "calls:1", Dispatch: func(context.Context, string, string, string) (string, error) {
				order = append(order, i)
				return "{}", nil
			}})
		})
		eventually(t, "the request waits", func() bool { return pool.Status().Queued == i+1 })
	}
	h.release()
	all.Wait()
	<-h.done
	if !slices.IsSorted(order) || len(order) != 8 {
		t.Errorf("order %v", order)
	}
}
