package executor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/internal/web/recorded"
	"github.com/codemode-go/codemode/protocol"
)

// TestHugeInputsFit runs what was recorded of huge and malformed inputs in one pool with the default limits.
func TestHugeInputsFit(t *testing.T) {
	pool := newPool(t, executor.Options{Workers: 1, Outbound: protocol.BlockOutbound()})
	run := func(expression string) string {
		code := "async () => await (" + recorded.Show + ")(async () => { 'use strict'; " + recorded.Body(expression) + "\n})"
		result := mustExecute(t, pool, &protocol.ExecuteRequest{Code: code, Timeout: protocol.MaximumTimeout()})
		if f := result.Failure; f != nil {
			return string(f.Kind) + ": " + f.Message
		}
		var text string
		if err := json.Unmarshal(result.Value, &text); err != nil {
			return string(result.Value)
		}
		return text
	}
	recorded.Check(t, "huge.txt", "", run)
	// What needs about as much as there is either fits or ends in one of the two errors for it, and the next program does not notice.
	for _, test := range []struct{ expression, want string }{
		{"(await new Response(new Uint8Array(64 * 1024 * 1024)).arrayBuffer()).byteLength", "67108864"},
		{"(await new Response('x'.repeat(64 * 1024 * 1024)).text()).length", "67108864"},
		{"(await import('node:zlib')).gunzipSync((await import('node:zlib')).gzipSync(new Uint8Array(60_000_000))).length", "60000000"},
	} {
		if got := run(test.expression); got != test.want && !strings.HasPrefix(got, "memory: ") && got != "T RangeError RangeError: Array buffer allocation failed" {
			t.Errorf("%s: %s", test.expression, got)
		}
		if got := run("6 * 7"); got != "42" {
			t.Errorf("after %s: %s", test.expression, got)
		}
	}
}
