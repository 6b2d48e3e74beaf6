//go:build cgo && (linux || darwin)

package remote_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

// hammeredToken is what daemons of these tests ask for.
const hammeredToken = "sesame"

// The states in which clients of the soak are killed. Each says its name once it is in it, and stays.
var clientStates = []string{"connected", "running", "in a tool call", "in an outbound request", "waiting", "retaining"}

// clientVariables tell the test binary to be such a client: of which daemon, and in which state to stay.
const clientURL, clientState = "CODEMODE_HAMMERED_URL", "CODEMODE_HAMMERED_STATE"

// startClient starts such a client. What it says comes out of the reader.
func startClient(ctx context.Context, url, state string) (*exec.Cmd, io.Reader, error) {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), clientURL+"="+url, clientState+"="+state)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return cmd, out, cmd.Start()
}

// endClient kills it, as kill -9 does.
func endClient(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// beClient makes this process a client, when it was started as one; it returns otherwise.
func beClient() {
	url, state := os.Getenv(clientURL), os.Getenv(clientState)
	if url == "" {
		return
	}
	client, err := remote.Dial(context.Background(), url, &remote.DialOptions{Token: hammeredToken, NoReconnect: true})
	if err != nil {
		os.Exit(1)
	}
	reached := sync.OnceFunc(func() { fmt.Println(state) })
	stay := func(ctx context.Context) { reached(); <-ctx.Done() }
	request := &protocol.ExecuteRequest{
		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"stay", "run"}}},
		Dispatch: func(ctx context.Context, _, tool, _ string) (string, error) {
			if tool == "stay" {
				stay(ctx)
			}
			reached()
			return "{}", nil
		},
		Outbound: protocol.OutboundVia(func(ctx context.Context, _ *http.Request) (*http.Response, error) {
			stay(ctx)
			return nil, ctx.Err()
		}),
	}
	switch state {
	case "connected":
		reached()
		select {}
	case "running":
		request.Code = `async () => { await api.run(); for (;;); }`
	case "in a tool call":
		request.Code = `async () => { await api.stay() }`
	case "in an outbound request":
		request.Code = `async () => { await fetch("https://example.com/") }`
	case "waiting":
		request.Code = `async () => { await api.run(); await new Promise((r) => setTimeout(r, 20000)) }`
	case "retaining":
		request.Code, request.RetainHandles = `async () => () => 1`, true
	}
	if _, err := client.Execute(context.Background(), request); err != nil || state != "retaining" {
		os.Exit(1) // the daemon was killed first
	}
	reached()
	select {}
}

// TestAKilledClientTakesItsRunsAlong: whatever a client is in when it is killed, its session and its runs end, and the
// daemon runs the next program.
func TestAKilledClientTakesItsRunsAlong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("hammer "+hammeredToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := remote.LoadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	handler, err := remote.NewHandler(pool, &remote.HandlerOptions{Tokens: tokens, Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer handler.Close()
	web := httptest.NewServer(handler)
	defer web.Close()
	address := strings.TrimPrefix(web.URL, "http://")
	for _, state := range clientStates {
		client, out, err := startClient(t.Context(), "ws://"+address, state)
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		endClient(client)
		if strings.TrimSpace(line) != state {
			t.Errorf("the client said %q, not that it is %s", line, state)
			continue
		}
		for _, name := range []string{"codemode_sessions", "codemode_runs_running"} {
			eventuallyFine(t, "killed while "+state+": no "+name, func() string {
				value, err := metricOf(address, name)
				if err == nil && value == "0" {
					return ""
				}
				return fmt.Sprintf("%s, %v", value, err)
			})
		}
		if result, err := pool.Execute(t.Context(), &protocol.ExecuteRequest{Code: `async () => 1`}); err != nil || string(result.Value) != "1" {
			t.Errorf("after a client was killed while %s: %+v, %v", state, result, err)
		}
	}
}

// eventuallyFine waits until a check has nothing to say.
func eventuallyFine(t *testing.T, what string, check func() string) {
	t.Helper()
	var said string
	for range 300 {
		if said = check(); said == "" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s: never: %s", what, said)
}

// metricOf reads one figure of a daemon.
func metricOf(address, name string) (string, error) {
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value), nil
		}
	}
	return "", fmt.Errorf("there is no %s", name)
}
