//go:build cgo && (linux || darwin)

package worker_test

import (
	"encoding/json"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/recorded"
	"github.com/codemode-go/codemode/executor/internal/wire"
)

// TestRecorded runs what was recorded on workerd of the global scope, of timers and of what follows promises, each a
// program of its own.
func TestRecorded(t *testing.T) {
	c := startChild(t, wire.Options{})
	recorded.Check(t, "recorded.txt", "differences.txt", func(expression string) string {
		got := c.run(program{code: "async () => (\n" + recorded.Show + ")(async () => { " + recorded.Body(expression) + "\n})"}).summary()
		var text string
		if json.Unmarshal([]byte(got), &text) == nil {
			return text
		}
		return got
	})
}
