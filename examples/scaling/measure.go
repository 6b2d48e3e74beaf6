//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

// measure runs programs over a daemon of this process and counts processor time, which says the same on a machine that is
// busy with something else; calls a second, which do not, are the best of three.
func measure() (Measured, error) {
	m := Measured{Date: time.Now().UTC().Format(time.DateOnly), Machine: fmt.Sprintf("%d processors, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)}
	const runs, calls = 300, 3000
	trivial, err := cost(runs, `async () => 1`)
	if err != nil {
		return m, err
	}
	calling, err := cost(3, fmt.Sprintf(`async () => { for (let i = 0; i < %d; i++) await api.f(i) }`, calls))
	if err != nil {
		return m, err
	}
	m.RunCPU, m.HostCPU = round(trivial.workers+trivial.process/2), round(trivial.process/2)
	m.CallCPU, m.HostCallCPU = round((calling.workers+calling.process/2)/calls), round(calling.process/2/calls)
	for range 3 {
		sequential, concurrent, err := callRates()
		if err != nil {
			return m, err
		}
		m.CallsSequential, m.CallsConcurrent = max(m.CallsSequential, sequential), max(m.CallsConcurrent, concurrent)
	}
	m.IdleMemory, m.RunMemory, err = memories()
	return m, err
}

func round(v float64) float64 { return float64(int(v*1000+0.5)) / 1000 }

// service is a daemon of this process and a client of it.
type service struct {
	pool    *executor.Pool
	handler *remote.Handler
	web     *httptest.Server
	client  *remote.Client
}

func serve(workers int) (*service, error) {
	pool, err := executor.New(&executor.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	handler, err := remote.NewHandler(pool, &remote.HandlerOptions{Concurrency: workers})
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	s := &service{pool: pool, handler: handler, web: httptest.NewServer(handler)}
	s.client, err = remote.Dial(context.Background(), "ws"+strings.TrimPrefix(s.web.URL, "http"), nil)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *service) Close() error {
	if s.client != nil {
		s.client.Close()
	}
	s.handler.Close()
	s.web.Close()
	return s.pool.Close()
}

// run runs a program whose tools answer at once.
func (s *service) run(ctx context.Context, code string) error {
	result, err := s.client.Execute(ctx, &protocol.ExecuteRequest{
		Code: code, Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"f", "wait"}}},
		Dispatch: func(ctx context.Context, _, tool, _ string) (string, error) {
			if tool == "wait" {
				<-ctx.Done()
			}
			return "{}", nil
		},
	})
	if err == nil && result.Failure != nil && result.Failure.Kind != protocol.FailureCanceled {
		err = errors.New(result.Failure.Message)
	}
	return err
}

// costs is processor time a run, in milliseconds.
type costs struct{ workers, process float64 }

// cost runs a program so often and counts, less what a pool costs that runs it once: workers that start, a program that
// is compiled.
func cost(times int, code string) (costs, error) {
	once, err := used(1, code)
	if err != nil {
		return costs{}, err
	}
	all, err := used(times+1, code)
	n := float64(times)
	return costs{(all.workers - once.workers) / n, (all.process - once.process) / n}, err
}

func used(times int, code string) (costs, error) {
	process, children := cpu(syscall.RUSAGE_SELF), cpu(syscall.RUSAGE_CHILDREN)
	s, err := serve(1)
	if err != nil {
		return costs{}, err
	}
	for range times {
		if err := s.run(context.Background(), code); err != nil {
			return costs{}, errors.Join(err, s.Close())
		}
	}
	err = s.Close() // children count once they have been waited for
	return costs{cpu(syscall.RUSAGE_CHILDREN) - children, cpu(syscall.RUSAGE_SELF) - process}, err
}

// cpu is processor time in milliseconds.
func cpu(who int) float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(who, &usage) != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

// callRates is tool calls a second on one connection, one at a time and 100 at a time.
func callRates() (sequential, concurrent float64, err error) {
	s, err := serve(1)
	if err != nil {
		return 0, 0, err
	}
	rate := func(code string, calls int) float64 {
		began := time.Now()
		err = errors.Join(err, s.run(context.Background(), code))
		return float64(int(float64(calls) / time.Since(began).Seconds()))
	}
	sequential = rate(`async () => { for (let i = 0; i < 3000; i++) await api.f(i) }`, 3000)
	concurrent = rate(`async () => { await Promise.all(Array.from({ length: 100 }, async () => { for (let i = 0; i < 90; i++) await api.f(i) })) }`, 9000)
	return sequential, concurrent, errors.Join(err, s.Close())
}

// memories is that of a daemon without programs, and what a program adds that waits for a tool, in MB. Pages that workers
// share are counted in parts.
func memories() (idle, run float64, err error) {
	const waiting = 16
	s, err := serve(waiting)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.run(context.Background(), `async () => 1`); err != nil {
		return 0, 0, err
	}
	idle = memory()
	ctx, cancel := context.WithCancel(context.Background())
	var runs sync.WaitGroup
	defer runs.Wait()
	defer cancel()
	for range waiting {
		runs.Go(func() { _ = s.run(ctx, `async () => { await api.wait() }`) }) // cancelled, below
	}
	time.Sleep(3 * time.Second)
	return idle, round((memory() - idle) / waiting), nil
}

// memory sums the proportional memory of this process and of those it started.
func memory() float64 {
	var total float64
	paths, _ := filepath.Glob("/proc/[0-9]*/smaps_rollup")
	exe, _ := os.Readlink("/proc/self/exe")
	for _, path := range paths {
		if target, err := os.Readlink(filepath.Join(filepath.Dir(path), "exe")); err != nil || target != exe {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				var kb float64
				fmt.Sscan(rest, &kb)
				total += kb / 1000
			}
		}
	}
	return round(total)
}
