package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// newServer has tools that show what a transport has to get right.
func newServer(ended chan<- string) *server.MCPServer {
	s := server.NewMCPServer("test", "1", server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("echo"), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		ended <- "wait"
		return nil, ctx.Err()
	})
	s.AddTool(mcp.NewTool("count"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			Notify(ctx, "notifications/progress", map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": i})
		}
		return mcp.NewToolResultText("counted"), nil
	})
	s.AddTool(mcp.NewTool("ask"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := Ask(ctx, "roots/list", json.RawMessage(`{"a":1}`))
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(string(answer)), nil
	})
	s.AddTool(mcp.NewTool("grow"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddTool(mcp.NewTool("grown"), nil)
		return mcp.NewToolResultText("grown"), nil
	})
	return s
}

// client is the other end of Serve.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func serve(t *testing.T, ctx context.Context, s *server.MCPServer) *client {
	t.Helper()
	before := runtime.NumGoroutine()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, out: bufio.NewReader(outR), done: make(chan error, 1)}
	go func() {
		c.done <- Serve(ctx, s, inR, outW, nil)
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// TestTranscripts plays the files of testdata: "> " is sent, "< " is what has to come next, byte for byte.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ended := make(chan string, 10)
			c := serve(t, t.Context(), newServer(ended))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
				kind, rest, _ := strings.Cut(line, " ")
				switch kind {
				case ">":
					c.send(rest + "\n")
				case "<":
					if d := cmp.Diff(rest, c.receive()); d != "" {
						t.Errorf("%s:%d: %s", file, i+1, d)
					}
				case "ended":
					if got := <-ended; got != rest {
						t.Errorf("%s:%d: %s ended", file, i+1, got)
					}
				case "#", "":
				default:
					t.Fatalf("%s:%d: what is this line?", file, i+1)
				}
			}
			c.in.Close()
			if rest, err := io.ReadAll(c.out); len(rest) > 0 || err != nil {
				t.Errorf("at the end there is more: %q, %v", rest, err)
			}
			if err := <-c.done; err != nil {
				t.Error(err)
			}
		})
	}
}

const callWait = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}` + "\n"

func TestCallsAreAnsweredAfterTheEndOfInput(t *testing.T) {
	s, wake := newServer(nil), make(chan struct{})
	s.AddTool(mcp.NewTool("nap"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-wake
		return mcp.NewToolResultText("rested"), nil
	})
	c := serve(t, t.Context(), s)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nap"}}` + "\n")
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`) // no line break
	c.in.Close()
	if got := c.receive(); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Error(got)
	}
	close(wake)
	if got := c.receive(); !strings.Contains(got, `"id":1,"result"`) || !strings.Contains(got, "rested") {
		t.Error(got)
	}
	if err := <-c.done; err != nil {
		t.Error(err)
	}
}

func TestCallThatOutlastsTheEndOfInputIsCancelled(t *testing.T) {
	ended := make(chan string, 1)
	var out bytes.Buffer
	err := Serve(t.Context(), newServer(ended), strings.NewReader(callWait), &out, &Options{Drain: 20 * time.Millisecond})
	if got := out.String(); err != nil || got != shutDown {
		t.Errorf("%s %v", got, err)
	}
	<-ended
}

const shutDown = `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"codemode is shutting down, and ended this request"}}` + "\n"

// TestClientThatIsGoneIsNotWaitedFor covers a host that died: its end of our output is closed, and nothing is to be
// written that would show it.
func TestClientThatIsGoneIsNotWaitedFor(t *testing.T) {
	ended := make(chan string, 1)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	done := make(chan error, 1)
	go func() {
		done <- Serve(t.Context(), newServer(ended), strings.NewReader(callWait), w, &Options{Drain: time.Hour})
	}()
	<-ended
	if err := <-done; err == nil {
		t.Error("no error, although the client never got its answer")
	}
}

func TestEndOfContextCancelsCalls(t *testing.T) {
	ended := make(chan string, 1)
	ctx, cancel := context.WithCancel(t.Context())
	c := serve(t, ctx, newServer(ended))
	c.send(callWait)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
	c.receive()
	cancel()
	if got := c.receive() + "\n"; got != shutDown {
		t.Error(got)
	}
	if err := <-c.done; err != nil {
		t.Error(err)
	}
	<-ended
}

// TestClientIsAsked covers a request of ours: its answer, its error, its end, and the end of the client.
func TestClientIsAsked(t *testing.T) {
	c := serve(t, t.Context(), newServer(nil))
	call := func(id int) {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask"}}`+"\n", id))
		if got := c.receive(); got != fmt.Sprintf(`{"jsonrpc":"2.0","id":"codemode-%d","method":"roots/list","params":{"a":1}}`, id) {
			t.Error(got)
		}
	}
	call(1)
	c.send(`{"jsonrpc":"2.0","id":"codemode-1","result":{"roots":[]}}` + "\n")
	if got := c.receive(); !strings.Contains(got, `{\"roots\":[]}`) {
		t.Error(got)
	}
	call(2)
	c.send(`{"jsonrpc":"2.0","id":"codemode-1","result":{}}` + "\n" + `{"jsonrpc":"2.0","id":"codemode-2","error":{"code":-1,"message":"no"}}` + "\n")
	if got := c.receive(); !strings.Contains(got, `MCP error -1: no`) {
		t.Error(got)
	}
	call(3)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}` + "\n")
	if got := c.receive(); got != `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"the run ended","requestId":"codemode-3"}}` {
		t.Error(got)
	}
	call(4)
	c.in.Close()
	if got := c.receive(); !strings.Contains(got, ErrNoClient.Error()) {
		t.Error(got)
	}
}

func TestClientThatNoLongerReads(t *testing.T) {
	ended := make(chan string, 1)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(t.Context(), newServer(ended), inR, outW, nil) }()
	if _, err := io.WriteString(inW, callWait); err != nil {
		t.Fatal(err)
	}
	outR.CloseWithError(errors.New("gone"))
	if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || err.Error() != "gone" {
		t.Error(err)
	}
	<-ended
	inW.Close()
}

func TestManyCallsKeepTheirIDsAndOrder(t *testing.T) {
	c := serve(t, t.Context(), newServer(nil))
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n")
	c.receive()
	const n = 300
	go func() {
		for i := range n {
			fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":"c%d","method":"tools/call","params":{"name":"count","_meta":{"progressToken":%d}}}`+"\n", i, i)
		}
	}()
	seen := map[string]int{}
	for range n * 4 {
		line := c.receive()
		var token int
		if _, err := fmt.Sscanf(line, `{"jsonrpc":"2.0","id":"c%d"`, &token); err == nil {
			if key := fmt.Sprint(token); seen[key] != 3 {
				t.Fatalf("the answer %d came after %d of its notifications", token, seen[key])
			}
			continue
		}
		i := strings.Index(line, `"progressToken":`)
		if _, err := fmt.Sscanf(line[i:], `"progressToken":%d`, &token); err != nil {
			t.Fatal(line)
		}
		seen[fmt.Sprint(token)]++
	}
}

func TestTooLongMessage(t *testing.T) {
	c := serve(t, t.Context(), newServer(nil))
	go func() {
		fmt.Fprintf(c.in, "{\"jsonrpc\":\"2.0\",\"id\":1,\"x\":\"%s\"}\n", strings.Repeat("x", maxMessage))
		fmt.Fprintln(c.in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	}()
	for _, want := range []string{
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the message is too long"}}`,
		`{"jsonrpc":"2.0","id":2,"result":{}}`,
	} {
		if got := c.receive(); got != want {
			t.Error(got)
		}
	}
}
