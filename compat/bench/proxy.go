package bench

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Measure is a figure that has no counterpart in the reference.
type Measure struct {
	Name string `json:"name"`
	// Unit is "ms", "MB" or "%".
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	// Wanted is the bound that the project has set itself.
	Wanted float64 `json:"wanted"`
}

// Proxy are the proxy's figures, with where they come from.
type Proxy struct {
	Date     string    `json:"date"`
	Machine  string    `json:"machine"`
	Measures []Measure `json:"measures"`
}

const (
	// proxied is how many servers stand behind the start that is measured, each with so many tools.
	proxied, proxiedTools = 60, 10
	// nested is how many calls one program makes, one after the other.
	nested = 200
)

// idleServer is an MCP server in a shell: sixty of them do not keep the machine busy as sixty runtimes would.
//
//go:embed server.sh
var idleServer string

// RunProxy measures `codemode serve` of a binary: its start in front of many servers, and a call of a program beside one that is made directly. Upstream is
// a command that plays EchoServer.
func RunProxy(ctx context.Context, binary string, upstream []string, options *Options) (*Proxy, error) {
	o := resolve(options)
	dir, err := os.MkdirTemp("", "codemode-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	p := &Proxy{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine()}
	b := &proxyBench{options: o, binary: binary, dir: dir, upstream: upstream}
	started, memory, err := b.start(ctx)
	if err != nil {
		return nil, fmt.Errorf("the start of serve: %w", err)
	}
	beyond, err := b.nested(ctx)
	if err != nil {
		return nil, fmt.Errorf("nested calls: %w", err)
	}
	p.Measures = []Measure{
		{fmt.Sprintf("serve to tools/list from its cache, %d servers", proxied), "ms", started, 120},
		{"memory of serve then", "MB", memory, 80},
		{"a program's call beyond a direct one, median", "ms", beyond, 0.3},
	}
	return p, nil
}

type proxyBench struct {
	options     Options
	binary, dir string
	upstream    []string
}

// start measures from the start of the process to its answer to tools/list, with the tools of all servers in it.
func (b *proxyBench) start(ctx context.Context) (took, memory float64, err error) {
	b.options.Log("serve to tools/list")
	script := filepath.Join(b.dir, "server.sh")
	if err := os.WriteFile(script, []byte(idleServer), 0o600); err != nil {
		return 0, 0, err
	}
	servers := map[string]any{}
	for i := range proxied {
		servers[fmt.Sprintf("server%d", i)] = map[string]any{"command": "sh", "args": []string{script, fmt.Sprint(proxiedTools)}}
	}
	config, err := b.config("many.json", servers)
	if err != nil {
		return 0, 0, err
	}
	if err := b.fill(ctx, config); err != nil {
		return 0, 0, err
	}
	var times, sizes []float64
	for round := range b.options.Rounds + 1 {
		began := time.Now()
		c, err := b.serve(ctx, config)
		if err != nil {
			return 0, 0, err
		}
		description, err := c.tools()
		elapsed := milliseconds(time.Since(began))
		size, sizeErr := residentMemory(c.command.Process.Pid)
		if err = errors.Join(err, sizeErr, c.close()); err != nil {
			return 0, 0, err
		}
		if n := strings.Count(description, "declare const server"); n != proxied && !strings.Contains(description, fmt.Sprintf("server%d", proxied-1)) {
			return 0, 0, fmt.Errorf("the description has %d of %d servers", n, proxied)
		}
		if round > 0 { // the first warms the file system up
			times, sizes = append(times, elapsed), append(sizes, size)
		}
	}
	return median(times), median(sizes), nil
}

// fill has the servers listed once, so that they are in the cache.
func (b *proxyBench) fill(ctx context.Context, config string) error {
	c, err := b.serve(ctx, config)
	if err != nil {
		return err
	}
	for err == nil {
		var description string
		if description, err = c.tools(); err == nil && !strings.Contains(description, "is still starting") {
			break
		}
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return errors.Join(err, c.close())
}

// nested measures what a call of a program takes beyond the same call by a client of the server's own.
func (b *proxyBench) nested(ctx context.Context) (float64, error) {
	b.options.Log("nested calls")
	config, err := b.config("one.json", map[string]any{"up": map[string]any{"command": b.upstream[0], "args": b.upstream[1:], "inheritEnv": true}})
	if err != nil {
		return 0, err
	}
	through, err := b.serve(ctx, config)
	if err != nil {
		return 0, err
	}
	directly, err := dial(ctx, b.dir, b.upstream...)
	if err != nil {
		return 0, errors.Join(err, through.close())
	}
	var beyond []float64
	for round := range b.options.Rounds + 1 {
		empty, err := through.program("async () => { await up.echo({ n: 0 }) }")
		var many, direct time.Duration
		if err == nil {
			many, err = through.program(fmt.Sprintf("async () => { for (let n = 0; n <= %d; n++) await up.echo({ n }) }", nested))
		}
		if err == nil {
			direct, err = directly.calls(nested)
		}
		if err != nil {
			return 0, errors.Join(err, through.close(), directly.close())
		}
		if round > 0 {
			beyond = append(beyond, milliseconds(many-empty-direct)/nested)
		}
	}
	return median(beyond), errors.Join(through.close(), directly.close())
}

func (b *proxyBench) config(name string, servers map[string]any) (string, error) {
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.dir, name)
	return file, os.WriteFile(file, text, 0o600)
}

func (b *proxyBench) serve(ctx context.Context, config string) (*client, error) {
	return dial(ctx, b.dir, b.binary, "serve", "--config", config)
}

// client speaks with a server on its standard streams, line by line.
type client struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	id      int
}

func dial(ctx context.Context, home string, argv ...string) (*client, error) {
	c := &client{command: exec.CommandContext(ctx, argv[0], argv[1:]...)}
	c.command.Env = append(os.Environ(), "XDG_CACHE_HOME="+home)
	var err error
	if c.in, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	_, err = c.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}})
	if err == nil {
		_, err = io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// request waits for the answer; what comes in between is of no interest.
func (c *client) request(method string, params any) (json.RawMessage, error) {
	c.id++
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		return nil, err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var answer struct {
			ID     int
			Method string
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, err
		}
		switch {
		case answer.Method != "" || answer.ID != c.id:
		case answer.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, answer.Error)
		default:
			return answer.Result, nil
		}
	}
}

// tools is the description of the one tool.
func (c *client) tools() (string, error) {
	raw, err := c.request("tools/list", map[string]any{})
	if err != nil {
		return "", err
	}
	var list struct {
		Tools []struct{ Description string }
	}
	if err := json.Unmarshal(raw, &list); err != nil || len(list.Tools) != 1 {
		return "", fmt.Errorf("tools/list answered %s, %w", raw, err)
	}
	return list.Tools[0].Description, nil
}

// program is how long a run takes.
func (c *client) program(code string) (time.Duration, error) {
	began := time.Now()
	raw, err := c.request("tools/call", map[string]any{"name": "code", "arguments": map[string]any{"code": code}})
	took := time.Since(began)
	var result struct{ IsError bool }
	if err == nil && json.Unmarshal(raw, &result) == nil && result.IsError {
		err = fmt.Errorf("the program failed: %s", raw)
	}
	return took, err
}

// calls is how long so many calls of echo take.
func (c *client) calls(n int) (time.Duration, error) {
	began := time.Now()
	for i := range n {
		if _, err := c.request("tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"n": i}}); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// close ends the server and waits.
func (c *client) close() error {
	_ = c.in.Close() // the server may be gone
	_, _ = io.Copy(io.Discard, c.out)
	return c.command.Wait()
}

// residentMemory is what a process holds, in MB.
func residentMemory(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kilobytes float64
			_, err := fmt.Sscan(rest, &kilobytes)
			return kilobytes / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no VmRSS", pid)
}

// EchoServer is an MCP server with the one tool echo on two streams, which does as little as can be.
func EchoServer(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Arguments json.RawMessage }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`
		case "tools/call":
			text, err := json.Marshal(string(m.Params.Arguments))
			if err != nil {
				return err
			}
			answer = fmt.Sprintf(`"result":{"content":[{"type":"text","text":%s}]}`, text)
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer); err != nil {
			return err
		}
	}
}
