package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

// releases are the npm releases of capnweb that speak the wire as it is.
var releases = []string{"capnweb-0.8.0", "capnweb-0.10.0", "capnweb-0.11.1", "capnweb-0.12.0"}

const npm = "testdata/npm"

func needNode(t *testing.T) {
	t.Helper()
	why := ""
	if _, err := exec.LookPath("node"); err != nil {
		why = "node is not on PATH"
	} else if _, err := os.Stat(npm + "/node_modules"); err != nil {
		why = "npm packages are not installed (make deps)"
	}
	switch {
	case why == "":
	case os.Getenv("CI") != "":
		t.Fatal(why)
	default:
		t.Skip(why)
	}
}

// host runs steps of host.mjs and gives what it printed, a line each.
func host(t *testing.T, release, url string, steps ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"host.mjs", release, url}, steps...)...)
	cmd.Dir = npm
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", steps, err, said.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(steps) {
		t.Fatalf("%s: %d lines: %s", steps, len(lines), out)
	}
	return lines
}

// stage is an executor whose programs are names of what to do.
func stage(waiting chan<- struct{}) *fake {
	return &fake{
		execute: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
			switch r.Code {
			case "calls":
				if !r.Timeout.IsMaximum() || r.Modules != nil {
					return nil, fmt.Errorf("the request is %+v", r)
				}
				return callAround(ctx, r.Dispatch)
			case "code":
				return nil, protocol.Errorf(protocol.CodeQueueFull, "full")
			case "fetch":
				return fetchAround(ctx, r.Outbound.Func())
			case "exact":
				return value(`{"toString":1}`), nil
			case "retain":
				return &protocol.ExecuteResult{Value: json.RawMessage(`1`), ExecutionID: "e"}, nil
			case "wait":
				waiting <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return value("1"), nil
		},
		invoke: func(_ context.Context, r *protocol.InvokeRequest) (*protocol.ExecuteResult, error) {
			args, err := json.Marshal(r.Args)
			return value(string(args)), err
		},
	}
}

func callAround(ctx context.Context, dispatch protocol.DispatchFunc) (*protocol.ExecuteResult, error) {
	first, err := dispatch(ctx, "api", "echo", `["a",[1]]`)
	if err != nil {
		return nil, err
	}
	_, failure := dispatch(ctx, "api", "fail", `[]`)
	errs := make(chan error)
	for range 100 {
		go func() { _, err := dispatch(ctx, "api", "echo", `[]`); errs <- err }()
	}
	for range 100 {
		err = errors.Join(err, <-errs)
	}
	text, _ := json.Marshal([]any{first, fmt.Sprint(failure)})
	return value(string(text)), err
}

func fetchAround(ctx context.Context, perform protocol.OutboundFunc) (*protocol.ExecuteResult, error) {
	request, err := http.NewRequestWithContext(ctx, "POST", "https://api.example/x", strings.NewReader("in"))
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-In", "1")
	response, err := perform(ctx, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	text, _ := json.Marshal([]any{response.StatusCode, response.Header.Get("X-A"), string(body)})
	return value(string(text)), err
}

// TestJavaScriptHosts: the npm client of every release uses our daemon.
func TestJavaScriptHosts(t *testing.T) {
	needNode(t)
	leftover(t)
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			waiting := make(chan struct{}, 1)
			url, handler := daemon(t, stage(waiting), &HandlerOptions{Tokens: tokenFile(t, "host sesame\n")})
			wanted := map[string]string{
				"execute": `{"version":1,"result":{"result":["{\"result\":[\"a\",[1]]}","no such id"],"logs":[],"usage":{"wall":0,"run":0,"cpu":0,"peakMemory":0,"toolCalls":0},"calls":[]},"seen":102,"first":["api","echo","[\"a\",[1]]"]}`,
				"errors": `[{"name":"Error","message":"full","code":"QUEUE_FULL","retryable":true},` +
					`{"name":"Error","message":"request.code must be a string, got a number","code":"INVALID_REQUEST","retryable":false},` +
					`{"name":"TypeError","message":"'nope' is not a function."}]`,
				"outbound":    `{"result":[201,"1","POST https://api.example/x in"],"logs":[],"usage":{"wall":0,"run":0,"cpu":0,"peakMemory":0,"toolCalls":0},"calls":[]}`,
				"exact":       `{"result":"absent","text":"{\"toString\":1}"}`,
				"handles":     `{"result":[{"__codemode_binary_v1__":"Uint8Array","data":"AQI="},{"a":[1]}],"logs":[],"usage":{"wall":0,"run":0,"cpu":0,"peakMemory":0,"toolCalls":0},"calls":[]}`,
				"unsupported": `[{"name":"TypeError","message":"Cap'n Web writable is not supported by this peer","code":"ERR_UNSUPPORTED"},1]`,
			}
			steps := slices.Sorted(maps.Keys(wanted))
			for i, got := range host(t, release, url, steps...) {
				if want := wanted[steps[i]]; got != want {
					t.Errorf("%s:\ngot  %s\nwant %s", steps[i], got, want)
				}
			}
			go func() { <-waiting; handler.Close() }()
			failure := `{"name":"Error","message":"the daemon is shutting down","code":"POOL_CLOSED","retryable":true}`
			if release == "capnweb-0.8.0" {
				failure = "{}" // it rejects with a wrapper around the error
			}
			if got, want := host(t, release, url, "drain")[0], "["+failure+","+failure+"]"; got != want {
				t.Errorf("drain:\ngot  %s\nwant %s", got, want)
			}
		})
	}
}

// javaScriptDaemon serves the npm server of a release until the end of the test.
func javaScriptDaemon(t *testing.T, release string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "daemon.mjs", release)
	cmd.Dir = npm
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // it does not end by itself
	var port int
	if _, err := fmt.Fscan(out, &port); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return fmt.Sprintf("ws://127.0.0.1:%d", port)
}

// TestJavaScriptDaemons: our client uses the npm server of every release.
func TestJavaScriptDaemons(t *testing.T) {
	needNode(t)
	leftover(t)
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			client := dial(t, javaScriptDaemon(t, release), &DialOptions{NoReconnect: true})
			var called atomic.Int64
			dispatch := func(_ context.Context, _, tool, args string) (string, error) {
				called.Add(1)
				if tool == "fail" {
					return "", errors.New("no such id")
				}
				return `{"result":` + args + `}`, nil
			}
			perform := func(_ context.Context, r *http.Request) (*http.Response, error) {
				in, _ := io.ReadAll(r.Body)
				return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", 100_000) + string(in)))}, nil
			}
			run := func(code string) (string, error) {
				result, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Code: code, Dispatch: dispatch, Outbound: protocol.OutboundVia(perform)})
				if err != nil {
					return "", err
				}
				return string(result.Value), nil
			}
			for code, want := range map[string]string{
				"request": `{"code":"request","outbound":"stub"}`, "calls": `["{\"result\":[1]}",50,"no such id"]`, "undefined": "",
				"fetch": `[200,"` + strings.Repeat("x", 100_000) + `in"]`,
			} {
				if got, err := run(code); err != nil || got != want {
					t.Errorf("%s: %.200s, %v", code, got, err)
				}
			}
			if called.Load() != 52 {
				t.Errorf("%d tool calls", called.Load())
			}
			requireJavaScriptErrors(t, run)
			if _, err := run("die"); !errors.Is(err, protocol.CodeConnectionBroken) || err.Error() != "Executor connection broke during execution" {
				t.Errorf("a daemon that dies: %v", err)
			}
		})
	}
}

func requireJavaScriptErrors(t *testing.T, run func(code string) (string, error)) {
	t.Helper()
	if _, err := run("code"); !errors.Is(err, protocol.CodeQueueFull) || err.Error() != "full" {
		t.Errorf("a code of ours: %#v", err)
	}
	var rejection *RejectionError
	if _, err := run("vendor"); !errors.As(err, &rejection) || rejection.Name != "TypeError" || rejection.Message != "no" || string(rejection.Props["status"]) != "429" {
		t.Errorf("a code of theirs: %#v", err)
	}
	if _, err := run("raw"); !errors.As(err, &rejection) || rejection.Message != `"plain"` {
		t.Errorf("no error at all: %#v", err)
	}
}
