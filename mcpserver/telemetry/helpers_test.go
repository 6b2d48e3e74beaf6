package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/protocol"
)

// pool is shared: a pool a test would be a process start a test.
var pool protocol.Executor

func TestMain(m *testing.M) {
	worker.Main()
	p, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	pool = p
	code := m.Run()
	p.Close()
	os.Exit(code)
}

// upstream is a server whose tool meta answers with the _meta that it got, and its resource, too; fail fails, and denied is denied by serve's policy.
func upstream() mcpserver.Upstream {
	s := server.NewMCPServer("up", "1", server.WithResourceCapabilities(false, false), server.WithPromptCapabilities(false))
	s.AddResource(mcp.NewResource("note://private", "note"), func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		raw, err := json.Marshal(request.Params.Meta)
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "note://private", Text: string(raw)}}, err
	})
	s.AddPrompt(mcp.NewPrompt("private"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("private")}}}, nil
	})
	s.AddTool(mcp.NewTool("meta"), func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		raw, err := json.Marshal(request.Params.Meta)
		return mcp.NewToolResultText(string(raw)), err
	})
	fail := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("a private failure"), nil
	}
	s.AddTool(mcp.NewTool("fail"), fail)
	s.AddTool(mcp.NewTool("denied"), fail)
	return mcpserver.InProcess("up", s)
}

// serve starts a server with an instrument; the test ends it.
func serve(t *testing.T, instrument mcpserver.Instrument) *mcpserver.Server {
	t.Helper()
	s, err := mcpserver.New(pool, []mcpserver.Upstream{upstream()}, &mcpserver.Options{
		Instruments: []mcpserver.Instrument{instrument}, Resources: true, Prompts: true,
		Policy: config.Policy{Rules: []codetool.Rule{
			{Action: codetool.Deny, Tools: []string{"denied"}}, {Action: codetool.Deny, Tools: []string{"readResource"}, When: `args.uri == "note://denied"`},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.Settled(t.Context())
	return s
}

// post runs a program over HTTP and returns the text of its answer.
func post(t *testing.T, s *mcpserver.Server, program, meta string, header map[string]string) string {
	t.Helper()
	handler, end := s.Handler(nil)
	web := httptest.NewServer(handler)
	defer web.Close()
	defer end(context.Background())
	session := ""
	send := func(body string) (answer struct {
		Result struct{ Content []struct{ Text string } }
	}) {
		request, err := http.NewRequest(http.MethodPost, web.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			request.Header.Set("Mcp-Session-Id", session)
			for name, value := range header {
				request.Header.Set(name, value)
			}
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		session = cmp.Or(response.Header.Get("Mcp-Session-Id"), session)
		var text bytes.Buffer
		if _, err := text.ReadFrom(response.Body); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			line = strings.TrimPrefix(line, "data: ")
			if strings.Contains(line, `"result"`) {
				if err := json.Unmarshal([]byte(line), &answer); err != nil {
					t.Fatalf("%v: %s", err, line)
				}
			}
		}
		return answer
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	code, _ := json.Marshal(program)
	answer := send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"code","arguments":{"code":%s},"_meta":%s}}`, code, meta))
	if len(answer.Result.Content) == 0 {
		t.Fatal("no answer")
	}
	return answer.Result.Content[0].Text
}

// leavesNothing looks for goroutines of ours and of the SDK.
func leavesNothing(t *testing.T) {
	t.Helper()
	buffer := make([]byte, 1<<20)
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		left := ""
		for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
			if !strings.Contains(stack, "testing.") && (strings.Contains(stack, "go.opentelemetry.io") || strings.Contains(stack, "mcpserver/telemetry")) {
				left = stack
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("a goroutine is left:\n%s", left)
		}
	}
}
