package differential

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/mcpserver"
)

func TestMain(m *testing.M) {
	worker.Main() // does not return in a process that a pool started as a worker
	os.Exit(m.Run())
}

// recorded is one request to codeMcpServer, a program or whole arguments, and its answer.
type recorded struct {
	Code *string
	Body *struct {
		Args json.RawMessage `json:"args"`
	}
	Out toolAnswer
}

type toolAnswer struct {
	Content []map[string]any `json:"content"`
	IsError bool             `json:"isError,omitempty"`
}

func (a toolAnswer) text() string {
	if len(a.Content) == 0 {
		return ""
	}
	text, _ := a.Content[0]["text"].(string)
	return text
}

// mcpRule is a known difference from codeMcpServer.
type mcpRule struct {
	name   string
	covers func(reference, ours toolAnswer) bool
}

var mcpRules = []mcpRule{
	// The reference drops what a program printed; a model that debugs its program needs it. The rest is the same.
	{"console output is shown", func(reference, ours toolAnswer) bool {
		if n := len(ours.Content); n > 1 {
			shown, _ := ours.Content[n-1]["text"].(string)
			ours.Content = ours.Content[:n-1]
			return strings.HasPrefix(shown, "Console output:\n") && cmp.Equal(reference, ours)
		}
		return false
	}},
	// What the reference's structured clone refuses, JSON can say.
	{"json instead of a clone error", func(reference, ours toolAnswer) bool {
		text := reference.text()
		refused := strings.Contains(text, "could not be cloned") || strings.Contains(text, "Could not serialize object of type")
		return refused && reference.IsError && !ours.IsError
	}},
	// The reference takes a toJSON for a function to hand over, and loses the value.
	{"json of the value itself", func(reference, ours toolAnswer) bool {
		return !ours.IsError && !reference.IsError && reference.text() == "undefined" && json.Valid([]byte(ours.text()))
	}},
	// It looks at the truth of a thrown message, and renders one that is no text as an object.
	{"thrown value is kept", func(reference, ours toolAnswer) bool {
		lost := reference.text() == "undefined" || reference.text() == "Error: [object Object]" || strings.Contains(reference.text(), "(reading 'message')")
		return lost && ours.IsError && strings.HasPrefix(ours.text(), "Error: ") && ours.text() != "Error: "
	}},
	// An image that a tool answers with reaches the client as one, and its bytes not the model.
	{"images are blocks", func(reference, ours toolAnswer) bool {
		return strings.Contains(reference.text(), `"mimeType": "image/`) &&
			slices.ContainsFunc(ours.Content, func(c map[string]any) bool { return c["type"] == "image" })
	}},
	// Arguments are checked before a server is asked, and the complaint names what is wrong with each.
	{"arguments are checked here", func(reference, ours toolAnswer) bool {
		_, rest, ok := strings.Cut(reference.text(), "Input validation error: Invalid arguments for tool ")
		tool, _, _ := strings.Cut(rest, ":")
		return ok && ours.IsError && strings.HasPrefix(ours.text(), "Error: Invalid arguments for codemode."+tool+":\n- ")
	}},
	// A date is a string by the time it gets here, and a string's text has no quotes.
	{"a date is a string", func(reference, ours toolAnswer) bool {
		var date string
		_ = json.Unmarshal([]byte(reference.text()), &date) // what is no string leaves it empty
		_, err := time.Parse(time.RFC3339, date)
		return err == nil && date == ours.text()
	}},
	// A tool answers to the name that its server gave it, too.
	{"a tool's own name works", func(reference, ours toolAnswer) bool {
		return !ours.IsError && regexp.MustCompile(`^Error: Tool "[^"]*\W[^"]*" not found$`).MatchString(reference.text())
	}},
}

// TestMCPServer sends the recorded requests to our server in front of the same tools.
func TestMCPServer(t *testing.T) {
	var requests map[string]recorded
	if err := json.Unmarshal(read(t, filepath.Join(handed, "reference/mcp-expected-0.5.6.json")), &requests); err != nil {
		t.Fatal(err)
	}
	client := connect(t)
	counts := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		r := requests[name]
		var args any = map[string]any{}
		switch {
		case r.Code != nil:
			args = map[string]any{"code": *r.Code}
		case r.Body != nil && r.Body.Args != nil:
			args = r.Body.Args
		}
		ours := client.call(t, args)
		if cmp.Equal(r.Out, ours) {
			counts["equal"]++
			continue
		}
		i := slices.IndexFunc(mcpRules, func(rule mcpRule) bool { return rule.covers(r.Out, ours) })
		if i < 0 {
			t.Errorf("%s (-reference +ours):\n%.2000s", name, cmp.Diff(r.Out, ours))
			continue
		}
		counts[mcpRules[i].name]++
	}
	t.Log("answers by rule:", counts)
}

// upstream is the small server that the reference was recorded in front of.
func upstream() *server.MCPServer {
	s := server.NewMCPServer("small", "1")
	none := mcp.WithInputSchema[struct{}]()
	s.AddTool(mcp.NewTool("add", mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required())), add)
	s.AddTool(mcp.NewTool("list-items", none), answering(mcp.NewToolResultText(`["one","two"]`)))
	s.AddTool(mcp.NewTool("fails", none), answering(mcp.NewToolResultError("bad thing\nmore")))
	s.AddTool(mcp.NewTool("mixed", none), answering(&mcp.CallToolResult{
		Content: []mcp.Content{mcp.NewTextContent("t"), mcp.NewImageContent("AAAA", "image/png")},
	}))
	return s
}

func answering(result *mcp.CallToolResult) server.ToolHandlerFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, nil }
}

// add complains about its arguments as the reference's upstream does, which checks them with zod.
func add(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var complaints []string
	var sum float64
	for _, name := range []string{"a", "b"} {
		v, ok := request.GetArguments()[name].(float64)
		if !ok {
			kind := "undefined"
			if _, isString := request.GetArguments()[name].(string); isString {
				kind = "string"
			}
			complaints = append(complaints, fmt.Sprintf("Invalid input: expected number, received %s at %s", kind, name))
		}
		sum += v
	}
	if len(complaints) > 0 {
		return mcp.NewToolResultError("MCP error -32602: Input validation error: Invalid arguments for tool add: " + strings.Join(complaints, "\n")), nil
	}
	return mcp.NewToolResultText(fmt.Sprint(math.Round(sum*1e9) / 1e9)), nil
}

// client speaks JSON-RPC over our server's streams.
type client struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

func connect(t *testing.T) *client {
	t.Helper()
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcpserver.New(pool, []mcpserver.Upstream{mcpserver.InProcess("codemode", upstream())}, &mcpserver.Options{Reference: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Settled(t.Context())
	in, write := io.Pipe()
	reader, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.ServeStdio(context.Background(), in, out) }()
	t.Cleanup(func() {
		write.Close()
		reader.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		s.Close()
		pool.Close()
	})
	c := &client{in: write, out: bufio.NewReader(reader)}
	c.request(t, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	}, nil)
	fmt.Fprintln(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *client) call(t *testing.T, args any) toolAnswer {
	t.Helper()
	var answer toolAnswer
	c.request(t, "tools/call", map[string]any{"name": "code", "arguments": args}, &answer)
	return answer
}

// request sends a request and decodes its result; notifications in between are passed over.
func (c *client) request(t *testing.T, method string, params, into any) {
	t.Helper()
	c.id++
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.in, "%s\n", request); err != nil {
		t.Fatal(err)
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var message struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &message); err != nil {
			t.Fatal(err)
		}
		if message.ID == nil {
			continue
		}
		if message.Error != nil || *message.ID != c.id {
			t.Fatalf("%s: %s", method, line)
		}
		if into == nil {
			return
		}
		if err := json.Unmarshal(message.Result, into); err != nil {
			t.Fatal(err)
		}
		return
	}
}
