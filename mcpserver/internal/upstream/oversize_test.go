package upstream

import (
	"strings"
	"testing"

	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// TestAnswerThatCannotBeReadFailsItsCallAlone covers answers that are too large, too deep, broken and endless: the call
// ends with a reason, and neither a call beside it nor the next one notices.
func TestAnswerThatCannotBeReadFailsItsCallAlone(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("echo", "big", "deep", "garbage", "slow", "pid")}, "", nil)
	settle(t, u)
	pid := call(t, u, "pid", "")
	beside := make(chan string)
	go func() { beside <- call(t, u, "slow", `{"ms": 1500}`) }()
	for _, tt := range []struct{ tool, args, want string }{
		{"big", `{"bytes": 70000000}`, `Error: server "srv", tool "big": its answer has 70000074 bytes, and the limit is 67108864 (64 MiB)`},
		{"deep", `{"times": 200000}`, `Error: server "srv", tool "deep": its answer of 400075 bytes cannot be read: it is nested deeper than 10000 levels`},
		{"garbage", ``, `Error: server "srv", tool "garbage": its answer of 47 bytes cannot be read: invalid character`},
		{"big", `{"bytes": 70000000, "last": true}`, `Error: server "srv", tool "big": its answer has 70000074 bytes, and the limit is 67108864 (64 MiB)`},
	} {
		if got := call(t, u, tt.tool, tt.args); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s %s: %.200s", tt.tool, tt.args, got)
		}
	}
	if got := <-beside; got != `"slept"` {
		t.Errorf("the call beside them: %s", got)
	}
	if got := call(t, u, "pid", ""); got != pid {
		t.Errorf("the server was started again: %s", got)
	}
}

// TestAnswerWithoutEndCostsTheConnection covers a server that can say nothing else any more.
func TestAnswerWithoutEndCostsTheConnection(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("echo", "endless")}, "", nil)
	settle(t, u)
	if got := call(t, u, "endless", ""); !strings.Contains(got, `server "srv", tool "endless": its answer has more than 1`) {
		t.Error(got)
	}
	eventually(t, "the server is started again", func() bool { return call(t, u, "echo", `{}`) == `{}` })
}
