//go:build cgo && linux

package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

// hammeredPrograms are what honest clients run, by what they must come to: a value, or a failure's kind. Each is given an
// id that no other run has, as ID, and may say it to a tool once.
var hammeredPrograms = []struct{ want, code string }{
	{"value", `async () => ID`},
	{"value", `async () => { await api.once(ID); return ID }`},
	{"value", `async () => { await Promise.all(Array.from({ length: 20 }, (_, i) => api.echo(i))); await api.once(ID); return ID }`},
	{"value", `async () => { const text = await api.echo("x".repeat(1e5)); return text.length === 1e5 ? ID : "cut" }`},
	{"value", `async () => { for (let i = 0; i < 500; i++) console.log("line " + i); await new Promise((r) => setTimeout(r, 20)); api.once(ID); return ID }`},
	{"value", `async () => { await api.slow(); return ID }`},
	{"thrown", `async () => { throw new TypeError("on purpose") }`},
	{"thrown", `async () => { await api.fail() }`},
	{"timeout", `async () => { for (;;); }`},
	{"canceled", `async () => { await api.cancel() }`},
	{"retained", `async () => () => ID`},
}

// hammerReport counts what became of runs, and what was done to whom.
type hammerReport struct {
	mu     sync.Mutex
	counts map[string]map[string]int
	wrong  []string
	peak   int // the most memory that a daemon had, in MB
	lastID atomic.Int64
	// said counts how often a tool heard an id: twice would be a run that was sent again.
	said sync.Map
}

func (r *hammerReport) add(what, kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts[what] == nil {
		r.counts[what] = map[string]int{}
	}
	r.counts[what][kind]++
}

func (r *hammerReport) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wrong) < 20 {
		r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
	}
}

func (r *hammerReport) print(w io.Writer, length time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(w, "hammer-remote %s\n", length)
	for _, what := range []string{"runs over the balancer", "runs over one session", "daemons", "clients killed", "peers"} {
		var parts []string
		for kind, n := range r.counts[what] {
			parts = append(parts, fmt.Sprintf("%s %d", kind, n))
		}
		slices.Sort(parts)
		fmt.Fprintf(w, "  %-22s %s\n", what, strings.Join(parts, ", "))
	}
	fmt.Fprintf(w, "  %-22s 0 processes, sessions, runs and goroutines unless said above; no daemon had more than %d MB\n", "left", r.peak)
}

// TestHammerRemote runs everything at once for CODEMODE_HAMMER_REMOTE (a duration) against three real daemons: honest clients,
// daemons and clients that are killed in each of their states, peers that send garbage and peers that do not read. It prints
// what became of it. It is for make hammer-remote and skips in CI too: a soak has no place in every run.
func TestHammerRemote(t *testing.T) {
	text := os.Getenv("CODEMODE_HAMMER_REMOTE")
	if text == "" {
		t.Skip("CODEMODE_HAMMER_REMOTE is not set: a soak is for make hammer-remote, and has no place in every run, CI's among them")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("CODEMODE_HAMMER_REMOTE: %v", err)
	}
	report := &hammerReport{counts: map[string]map[string]int{}}
	fleet := newFleet(t, 3)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	goroutines := runtime.NumGoroutine()

	until, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	clients := honestClients(t, fleet)
	var all sync.WaitGroup
	for what, clients := range clients {
		for _, client := range clients {
			for range 4 {
				all.Go(func() {
					for until.Err() == nil {
						hammerOnce(client, what, report)
					}
				})
			}
		}
	}
	all.Go(func() { fleet.disturb(until, report) })
	all.Go(func() { killClients(until, fleet, report) })
	all.Go(func() { pester(until, fleet, report) })
	all.Wait()

	fleet.mend(t)
	for what, clients := range clients {
		for _, client := range clients {
			requireRecovery(t, what, client)
			client.Close()
		}
	}
	fleet.requireRest(t, report)
	fleet.stop(t)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("the heap grew by %d KiB", grown>>10)
	}
	eventuallyFine(t, "the goroutines end", func() string {
		if n := runtime.NumGoroutine(); n > goroutines {
			return fmt.Sprintf("there were %d, there are %d", goroutines, n)
		}
		return ""
	})
	for _, wrong := range report.wrong {
		t.Error(wrong)
	}
	report.print(os.Stdout, length)
}

// honestClients are one balancer over all daemons, and a client of each.
func honestClients(t *testing.T, fleet *fleet) map[string][]protocol.HandleExecutor {
	t.Helper()
	options := remote.DialOptions{Token: hammeredToken, Outbound: protocol.BlockOutbound(), RotateAfterExecutions: 50, ReconnectBackoff: 20 * time.Millisecond}
	balancer, err := remote.DialBalancer(t.Context(), fleet.urls(), &remote.BalancerOptions{Dial: options, Ejection: 20 * time.Millisecond, MaxEjection: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	clients := map[string][]protocol.HandleExecutor{"runs over the balancer": {balancer}}
	for _, url := range fleet.urls() {
		client, err := remote.Dial(t.Context(), url, &options)
		if err != nil {
			t.Fatal(err)
		}
		clients["runs over one session"] = append(clients["runs over one session"], client)
	}
	return clients
}

// hammerOnce runs one program at random and judges what became of it.
func hammerOnce(client protocol.HandleExecutor, what string, report *hammerReport) {
	p := hammeredPrograms[rand.IntN(len(hammeredPrograms))]
	id := fmt.Sprint(report.lastID.Add(1))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request := &protocol.ExecuteRequest{
		Code: strings.ReplaceAll(p.code, "ID", id), Timeout: protocol.TimeoutOf(30 * time.Second), RetainHandles: p.want == "retained",
		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"once", "echo", "slow", "fail", "cancel"}}},
		Dispatch: func(callCtx context.Context, _, tool, args string) (string, error) {
			switch tool {
			case "once":
				if _, again := report.said.LoadOrStore(args, true); again {
					report.fail("a run was sent again: its tool heard %s twice", args)
				}
			case "slow":
				time.Sleep(30 * time.Millisecond)
				return "{}", nil
			case "fail":
				return "", errors.New("on purpose")
			case "cancel":
				cancel()
				<-callCtx.Done()
			}
			return `{"result":` + args[1:len(args)-1] + `}`, nil // the argument, out of its list
		},
	}
	if p.want == "timeout" {
		request.Timeout = protocol.TimeoutOf(100 * time.Millisecond)
	}
	began := time.Now()
	result, err := client.Execute(ctx, request)
	if took := time.Since(began); took > 45*time.Second {
		report.fail("%s took %s", request.Code, took)
	}
	if err != nil {
		report.add(what, judgeError(err, p.want, request.Code, report))
		return
	}
	got := "value"
	if result.Failure != nil {
		got = string(result.Failure.Kind)
	}
	report.add(what, got)
	switch {
	case got == "value" && p.want == "value" && string(result.Value) != id:
		report.fail("%s gave %s", request.Code, result.Value)
	case got != p.want && got != "crashed" && (got != "value" || p.want != "retained"):
		report.fail("%s: %s, %+v", request.Code, result.Value, result.Failure)
	}
	if result.ExecutionID != "" {
		invokeRetained(client, what, result.ExecutionID, id, report)
	}
}

// judgeError says which error a run had, and whether it may have, where daemons are killed.
func judgeError(err error, want, code string, report *hammerReport) string {
	var ours *protocol.Error
	if !errors.As(err, &ours) {
		if want == "canceled" && errors.Is(err, context.Canceled) {
			return "never began"
		}
		report.fail("%s: %v", code, err)
		return "error"
	}
	switch ours.Code {
	case protocol.CodeConnectionBroken, protocol.CodeConnectionRejected, protocol.CodePoolClosed, protocol.CodeQueueFull, protocol.CodeQueueTimeout, protocol.CodeWorkerLost:
	case protocol.CodeHandlesExhausted, protocol.CodeExecutionUnknown:
		if want != "retained" {
			report.fail("%s: %v", code, err)
		}
	default:
		report.fail("%s: %v", code, err)
	}
	return string(ours.Code)
}

// invokeRetained calls what a run left, on whichever daemon it is.
func invokeRetained(client protocol.HandleExecutor, what, executionID, id string, report *hammerReport) {
	kept, err := client.InvokeHandle(context.Background(), &protocol.InvokeRequest{ExecutionID: executionID, HandleID: 1})
	switch {
	case err != nil:
		report.add(what, "invoked: "+judgeError(err, "retained", "a handle", report))
	case kept.Failure == nil:
		report.add(what, "invoked")
		if string(kept.Value) != id {
			report.fail("a handle of run %s gave %s", id, kept.Value)
		}
	}
	_ = client.CloseHandles(context.Background(), executionID) // its daemon may be gone
}

// requireRecovery: once nothing is done to the daemons, every client works.
func requireRecovery(t *testing.T, what string, client protocol.Executor) {
	t.Helper()
	eventuallyFine(t, what+" work again", func() string {
		result, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Code: `async () => "still here"`})
		if err != nil || string(result.Value) != `"still here"` {
			return fmt.Sprintf("%+v, %v", result, err)
		}
		return ""
	})
}

// linked gives the binary under test a path of its own, by which its processes are known.
func linked(t *testing.T) string {
	t.Helper()
	binary := os.Getenv("CODEMODE_BINARY")
	if binary == "" {
		t.Fatal("CODEMODE_BINARY is not set to the codemode command: make hammer-remote")
	}
	path := filepath.Join(t.TempDir(), "codemode")
	if os.Link(binary, path) != nil { // another file system
		text, err := os.ReadFile(binary)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
