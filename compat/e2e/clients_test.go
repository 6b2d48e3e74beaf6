package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// listen serves over HTTP until the test ends, and returns the endpoint's URL.
func listen(t *testing.T, args ...string) string {
	t.Helper()
	needNode(t)
	server := exec.Command(codemode, append(args, "--http", "127.0.0.1:0")...)
	server.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
	stderr, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	})
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadString('\n')
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening "); ok {
			go func() { _, _ = io.Copy(io.Discard, lines) }() // until the server has ended
			return url
		}
		if err != nil {
			t.Fatalf("the server said %q, %v", line, err)
		}
	}
}

// node runs one of our scripts, or one of npm's programs.
func node(t *testing.T, dir string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "HOME="+dir)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s\n%s", args, err, out, errs.String())
	}
	return string(out)
}

// onlyEverything writes a configuration of the reference server of the protocol alone.
func onlyEverything(t *testing.T) (file string) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"everything": map[string]any{"command": "node", "args": server("everything")}}})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestOtherClients covers clients that are not the TypeScript SDK 1.x, on both transports. The AI SDK and the SDK that is
// told to look come to the revision without sessions by themselves.
func TestOtherClients(t *testing.T) {
	needNode(t)
	file := onlyEverything(t)
	serve := []string{"serve", "--config", file, "--resources", "--prompts"}
	command, err := json.Marshal(map[string]any{"command": codemode, "args": serve})
	if err != nil {
		t.Fatal(err)
	}
	url := listen(t, serve...)
	for client, version := range map[string]string{"sdk2": "2025-11-25", "sdk2-auto": "2026-07-28", "ai-sdk": ""} {
		for transport, server := range map[string]string{"stdio": string(command), "http": `{"url":"` + url + `"}`} {
			t.Run(client+" "+transport, func(t *testing.T) {
				var seen struct {
					Version            string
					Tools              []string
					Program            string
					Failing            map[string]any
					Resources, Prompts []string
					Resource           []struct{ URI, Text string }
					Prompt             []struct{ Content struct{ Text string } }
				}
				out := node(t, t.TempDir(), "clients.mjs", client, server)
				if err := json.Unmarshal([]byte(out), &seen); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				if version != "" && seen.Version != version {
					t.Errorf("the revision %q", seen.Version)
				}
				if len(seen.Tools) != 1 || seen.Tools[0] != "code" || !strings.Contains(seen.Program, "42") || !strings.Contains(seen.Program, "hi") {
					t.Errorf("tools %q, program %q", seen.Tools, seen.Program)
				}
				if !isError(seen.Failing) || !strings.Contains(text(seen.Failing), "b") {
					t.Errorf("a wrong argument: %v", seen.Failing)
				}
				if len(seen.Resources) == 0 || len(seen.Resource) != 1 || seen.Resource[0].URI != seen.Resources[0] || seen.Resource[0].Text == "" ||
					!strings.HasPrefix(seen.Resources[0], "codemode://everything/demo://") {
					t.Errorf("resources %q, the first %+v", seen.Resources, seen.Resource)
				}
				if len(seen.Prompt) != 1 || seen.Prompt[0].Content.Text == "" || !strings.Contains(strings.Join(seen.Prompts, " "), "everything.args-prompt") {
					t.Errorf("prompts %q, the simple one %+v", seen.Prompts, seen.Prompt)
				}
			})
		}
	}
}

// TestMCPorter drives the mcporter command, which people and models call from shells.
func TestMCPorter(t *testing.T) {
	needNode(t)
	file := onlyEverything(t)
	serve := []string{"serve", "--config", file, "--resources"}
	dir := t.TempDir()
	servers, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"pipe": map[string]any{"command": codemode, "args": serve},
		"web":  map[string]any{"url": listen(t, serve...)},
	}, "imports": []string{}})
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "mcporter.json")
	if err := os.WriteFile(own, servers, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"pipe", "web"} {
		mcporter := func(args ...string) string {
			return node(t, dir, append([]string{"node_modules/.bin/mcporter", "--config", own}, args...)...)
		}
		if out := mcporter("list", server, "--json"); !strings.Contains(out, `"code"`) {
			t.Errorf("%s: list: %.600s", server, out)
		}
		if out := mcporter("call", server+".code", "--args", `{"code":"async () => everything.get_sum({ a: 40, b: 2 })"}`); !strings.Contains(out, "42") {
			t.Errorf("%s: call: %.600s", server, out)
		}
		if out := mcporter("resource", server); !strings.Contains(out, "codemode://everything/") {
			t.Errorf("%s: resource: %.600s", server, out)
		}
	}
}
