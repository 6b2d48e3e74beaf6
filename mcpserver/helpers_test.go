package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
	"github.com/codemode-go/codemode/protocol"
)

// pool is shared: a pool a test would be a process start a test.
var pool protocol.Executor

func TestMain(m *testing.M) {
	worker.Main()
	fake.Main()
	p, err := executor.New(&executor.Options{Workers: 2})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	pool = p
	code := m.Run()
	p.Close()
	os.Exit(code)
}

// configure writes servers of the fake kind into a configuration; entries adds members to one of them by name.
func configure(t *testing.T, scripts map[string]fake.Script, order []string, entries map[string]string) *config.Config {
	t.Helper()
	var list []string
	for _, name := range order {
		command, env := fake.Server(scripts[name])
		key, value, _ := strings.Cut(env, "=")
		list = append(list, fmt.Sprintf(`%q: {"command": %q, "env": {%q: %s} %s}`, name, command, key, quote(strings.ReplaceAll(value, "$", "$$")), entries[name]))
	}
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "mcp.json"), []byte(`{"mcpServers": {`+strings.Join(list, ",")+`}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// serve starts a Server that the test ends, and then looks for goroutines that are left.
func serve(t *testing.T, upstreams []Upstream, options *Options) *Server {
	t.Helper()
	if options == nil {
		options = &Options{}
	}
	if testing.Verbose() {
		options.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	s, err := New(pool, upstreams, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		s.Close()
		eventually(t, "no goroutine of the server is left", func() bool { return len(goroutines()) == 0 })
	})
	return s
}

// goroutines lists the stacks of goroutines that the server or the MCP library behind it runs.
func goroutines() (left []string) {
	buffer := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		created := stack[max(0, strings.LastIndex(stack, "created by")):]
		if !strings.Contains(stack, "testing.") && (strings.Contains(created, "/mcpserver") || strings.Contains(stack, "mcpserver/internal") || strings.Contains(stack, "mark3labs/mcp-go")) {
			left = append(left, stack)
		}
	}
	return left
}

// one serves a single fake server called srv, and waits until it is ready.
func one(t *testing.T, options *Options, tools ...string) *client {
	t.Helper()
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools(tools...)}}, []string{"srv"}, nil)), options)
	s.Settled(t.Context())
	return connect(t, s)
}

// published waits until the servers are ready and nothing of that is left to be told: who connects then hears of later changes alone.
func published(t *testing.T, s *Server) {
	t.Helper()
	s.Settled(t.Context())
	eventually(t, "what is listed is published", func() bool {
		return !slices.ContainsFunc(s.served(), func(one *Server) bool {
			description := one.Description()
			one.mu.Lock()
			defer one.mu.Unlock()
			return one.published != description
		})
	})
}

// client is an MCP client on streams, by hand.
type client struct {
	t      *testing.T
	server *Server
	in     *io.PipeWriter
	out    *bufio.Reader
	done   chan error
	nextID int
	// notes are the notifications that came in between.
	notes []incoming
	// asked are the requests of the server; answers has what they get.
	asked   []string
	answers func(method string) string
}

type incoming struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

func connect(t *testing.T, s *Server) *client {
	t.Helper()
	return connectWith(t, s, `{}`)
}

// connectWith is connect with capabilities of the client.
func connectWith(t *testing.T, s *Server, capabilities string) *client {
	t.Helper()
	c := bare(t, s)
	c.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"test","version":"1"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// bare is a client that has said nothing yet.
func bare(t *testing.T, s *Server) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, server: s, in: inW, out: bufio.NewReader(outR), done: make(chan error, 1)}
	go func() {
		c.done <- s.ServeStdio(context.Background(), inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		_, _ = io.Copy(io.Discard, c.out)
		if err := <-c.done; err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// receive returns the next message.
func (c *client) receive() incoming {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var m incoming
	if err := json.Unmarshal(line, &m); err != nil {
		c.t.Fatalf("%v: %s", err, line)
	}
	return m
}

// start sends a request and returns its id.
func (c *client) start(method, params string) string {
	c.t.Helper()
	c.nextID++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.nextID, method, params))
	return fmt.Sprint(c.nextID)
}

// finish waits for the answer to a request, and answers what the server asks meanwhile. The answer may have come while another
// was waited for.
func (c *client) finish(id string) incoming {
	c.t.Helper()
	if i := slices.IndexFunc(c.notes, func(m incoming) bool { return m.Method == "" && string(m.ID) == id }); i >= 0 {
		m := c.notes[i]
		c.notes = slices.Delete(c.notes, i, i+1)
		return m
	}
	for {
		m := c.receive()
		if m.Method != "" && m.ID != nil {
			c.asked = append(c.asked, m.Method+" "+string(m.Params))
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, c.answers(m.Method)))
			continue
		}
		if string(m.ID) == id {
			return m
		}
		c.notes = append(c.notes, m)
	}
}

func (c *client) request(method, params string) incoming {
	c.t.Helper()
	return c.finish(c.start(method, params))
}

// tool is what tools/list says.
func (c *client) tool() (tool struct {
	Name, Description string
	InputSchema       json.RawMessage
	OutputSchema      json.RawMessage
	Meta              map[string]any `json:"_meta"`
}) {
	c.t.Helper()
	m := c.request("tools/list", `{}`)
	var result struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(m.Result, &result); err != nil || len(result.Tools) != 1 {
		c.t.Fatalf("%s %v", m.Result, err)
	}
	if err := json.Unmarshal(result.Tools[0], &tool); err != nil {
		c.t.Fatal(err)
	}
	return tool
}

// answer is a result of tools/call.
type answer struct {
	Content []json.RawMessage
	IsError bool
	Extra   json.RawMessage `json:"structuredContent"`
}

// code runs a program and returns its answer.
func (c *client) code(program string) answer {
	c.t.Helper()
	return c.call(`{"code":` + string(quote(program)) + `}`)
}

// codeUntil runs a program until its answer has a part: where a bound is a fraction of a second, a busy machine may not come to that
// within it.
func (c *client) codeUntil(program, part string) {
	c.t.Helper()
	got := ""
	for end := time.Now().Add(time.Minute); !strings.Contains(got, part); got = c.code(program).text() {
		if time.Now().After(end) {
			c.t.Fatalf("%s: %s; want %s", program, got, part)
		}
	}
}

func (c *client) call(args string) answer {
	c.t.Helper()
	m := c.request("tools/call", `{"name":"code","arguments":`+args+`}`)
	var a answer
	if err := json.Unmarshal(m.Result, &a); err != nil {
		c.t.Fatalf("%v: %s %s", err, m.Result, m.Error)
	}
	if a.Extra != nil {
		c.t.Errorf("an answer has structuredContent: %s", a.Extra)
	}
	return a
}

// text is an answer as lines: each text block's text and each other block's JSON.
func (a answer) text() string {
	var parts []string
	if a.IsError {
		parts = append(parts, "isError")
	}
	for _, raw := range a.Content {
		var block struct {
			Type string
			Text string
		}
		if json.Unmarshal(raw, &block) == nil && block.Type == "text" {
			parts = append(parts, block.Text)
		} else {
			parts = append(parts, string(raw))
		}
	}
	return strings.Join(parts, "\n---\n")
}

// eventually waits for something that another goroutine or process brings about; only a test that fails ever waits long.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}
