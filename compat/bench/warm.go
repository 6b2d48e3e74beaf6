package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// warmRuns is how many runs make one measurement of a warm sandbox.
const warmRuns = 20

// Warm is the mean time of one run of the task without pauses between the runs, as the reference's worker sees it: without
// what it costs to ask that worker for none.
func (t theirs) Warm(ctx context.Context, task task) (time.Duration, error) {
	start := time.Now()
	if err := t.Repeat(ctx, task.request(), 0, 1); err != nil {
		return 0, err
	}
	asked := time.Now()
	err := t.Repeat(ctx, task.request(), warmRuns, 1)
	return (time.Since(asked) - asked.Sub(start)) / warmRuns, err
}

// Warm is the mean time of one run of the task from the call in Go to the result, through the executor alone: without the
// dialect, and without the waiting for the next isolate, which is made between the runs.
func (o *ours) Warm(ctx context.Context, task task) (time.Duration, error) {
	request := &protocol.ExecuteRequest{
		Code:      task.code,
		Providers: []protocol.ProviderDescriptor{{Name: "codemode", Tools: []string{"echo", "value"}}},
		Dispatch:  func(context.Context, string, string, string) (string, error) { return `{"result":1}`, nil },
	}
	var sum time.Duration
	for range warmRuns {
		if err := o.ready(ctx); err != nil {
			return 0, err
		}
		start := time.Now()
		result, err := o.pool.Execute(ctx, request)
		if err != nil {
			return 0, err
		}
		if result.Failure != nil {
			return 0, fmt.Errorf("the program failed: %s", result.Failure.Message)
		}
		sum += time.Since(start)
	}
	return sum / warmRuns, nil
}

// ready waits until every worker has an isolate for the next program.
func (o *ours) ready(ctx context.Context) error {
	for {
		if s := o.pool.Status(); s.Starting == 0 && s.Running == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

func (b *bench) warm(ctx context.Context) error {
	return b.with(ctx, 0, func(reference, ours Side) error {
		for _, task := range tasks()[:4] {
			err := b.figure(task.name+" (warm)", "ms", reference, ours, func(side Side) (float64, error) {
				took, err := side.Warm(ctx, task)
				return milliseconds(took), err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
