//go:build cgo && (linux || darwin)

package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/recorded"
	"github.com/codemode-go/codemode/executor/internal/web/webtest"
)

// TestModules runs what was recorded there of the modules of node: and cloudflare:, of the globals beside the web's and
// of the language's newest members.
func TestModules(t *testing.T) { recorded.Check(t, "modules.txt", "", inSandboxes(t)) }

// TestMembers runs what was recorded there of members that probes had found to differ: wrong arguments, sources of events,
// keys, compression, what util.inspect shows.
func TestMembers(t *testing.T) { recorded.Check(t, "members.txt", "", inSandboxes(t)) }

// TestWorkerd runs what was recorded on workerd 1.20261117.1, inside a dynamic worker with the reference's flags.
func TestWorkerd(t *testing.T) {
	recorded.Check(t, "workerd.txt", "differences.txt", inSandboxes(t))
}

// inSandboxes runs expressions, so many of them in an isolate.
func inSandboxes(t *testing.T) func(expression string) string {
	const batch = 40
	var h *webtest.Host
	ran := 0
	return func(expression string) string {
		if ran%batch == 0 {
			h = webtest.New(t, nil)
		}
		ran++
		body := recorded.Body(strings.ReplaceAll(expression, "import(", "importModule("))
		text := h.Await("(" + recorded.Show + ")(async () => { 'use strict'; " + body + "\n})")
		var got string
		if json.Unmarshal([]byte(text), &got) != nil {
			return text
		}
		return got
	}
}
