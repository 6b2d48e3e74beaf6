package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/compat/reference"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/executor"
)

// theirs is the reference: its executor in one workerd process.
type theirs struct{ *reference.Server }

func newReference(ctx context.Context) (Side, error) {
	server, err := reference.Start(ctx, reference.Releases()[0], nil)
	if err != nil {
		return nil, err
	}
	return theirs{server}, nil
}

func (t theirs) Version() string { return "@cloudflare/codemode " + t.Release() + " on workerd" }

func (t theirs) Start(ctx context.Context, c []byte) func() {
	return background(ctx, func(ctx context.Context) {
		_, _ = t.Run(ctx, c) // it is stopped, which is an error to it
	})
}

func (t theirs) Memory() (int64, error) { return proportionalMemory(t.PID()) }

// ours is our dialect over our executor.
type ours struct {
	pool     *executor.Pool
	executor *dialect.Executor
}

func newOurs(workers int) (Side, error) {
	pool, err := executor.New(&executor.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	return &ours{pool, dialect.New(pool, nil)}, nil
}

func (o *ours) Version() string { return "codemode" }

func (o *ours) Close() error { return o.pool.Close() }

func (o *ours) Repeat(ctx context.Context, text []byte, times, concurrency int) error {
	c, err := casefile.Parse(text)
	if err != nil {
		return err
	}
	work := make(chan struct{}, times)
	for range times {
		work <- struct{}{}
	}
	close(work)
	errs := make(chan error, concurrency)
	for range concurrency {
		go func() { errs <- o.drain(ctx, c, work) }()
	}
	for range concurrency {
		err = firstError(err, <-errs)
	}
	return err
}

func (o *ours) drain(ctx context.Context, c *casefile.Case, work <-chan struct{}) error {
	for range work {
		result, err := c.Run(ctx, o.executor, nil)
		if err != nil {
			return err
		}
		if result.Error != "" {
			return fmt.Errorf("the program failed: %s", result.Error)
		}
	}
	return nil
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (o *ours) Start(ctx context.Context, text []byte) func() {
	return background(ctx, func(ctx context.Context) {
		if c, err := casefile.Parse(text); err == nil {
			_, _ = c.Run(ctx, o.executor, nil) // it is stopped, which is an error to it
		}
	})
}

// Memory is that of the workers: our process, too, but what it holds is the benchmark's.
func (o *ours) Memory() (int64, error) {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				return 0, err
			}
			if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err != nil || !strings.HasPrefix(string(name), "codemode-worker") {
				continue
			}
			n, err := proportionalMemory(pid)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	if sum == 0 {
		return 0, fmt.Errorf("no worker process is running")
	}
	return sum, nil
}

// proportionalMemory reads what a process holds in bytes; a page that several share counts in parts.
func proportionalMemory(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("process %d: no Pss", pid)
}

// background runs do until the returned function is called, which waits for it.
func background(ctx context.Context, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { do(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
