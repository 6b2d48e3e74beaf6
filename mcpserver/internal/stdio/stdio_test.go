package stdio

import (
	"bufio"
	"context"
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
		for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
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

func TestEndOfInputCancelsCalls(t *testing.T) {
	ended := make(chan string, 1)
	c := serve(t, t.Context(), newServer(ended))
	c.send(callWait)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`) // no line break
	c.in.Close()
	if got := c.receive(); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Error(got)
	}
	if rest, _ := io.ReadAll(c.out); len(rest) > 0 {
		t.Errorf("the cancelled call was answered: %s", rest)
	}
	if err := <-c.done; err != nil {
		t.Error(err)
	}
	<-ended
}

func TestEndOfContextCancelsCalls(t *testing.T) {
	ended := make(chan string, 1)
	ctx, cancel := context.WithCancel(t.Context())
	c := serve(t, ctx, newServer(ended))
	c.send(callWait)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
	c.receive()
	cancel()
	if err := <-c.done; err != nil {
		t.Error(err)
	}
	<-ended
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
