//go:build cgo

package worker_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// What a program asks of its host goes by the mailbox when the host looks there, but for what is too large for it, and arrives
// like what comes by the pipe.
func TestCallsGoByTheMailbox(t *testing.T) {
	c := startChild(t, wire.Options{Mailbox: true})
	before := c.looking.byMailbox
	c.check("async () => { let sum = 0; for (let i = 0; i < 100; i++) sum += await codemode.t(i); return sum }", "4950")
	if n := c.looking.byMailbox - before; n < 100*len("[0]") {
		t.Errorf("%d bytes came by the mailbox", n)
	}
	c.check(`async () => {
		const large = 'x'.repeat(200_000);
		const answers = await Promise.all([1, large, 2, large, 3].map((value) => codemode.t(value)));
		return answers.map((answer) => answer.length ?? answer).join();
	}`, `"1,200000,2,200000,3"`)
}

// Only the memory is shared: the file behind it is no descriptor of a worker's that runs programs.
func TestAMailboxIsNoDescriptor(t *testing.T) {
	c := startChild(t, wire.Options{Mailbox: true})
	dir := fmt.Sprintf("/proc/%d/fd", c.command.Process.Pid)
	entries, err := os.ReadDir(dir)
	if os.IsPermission(err) {
		t.Skip("this user may not see a worker's descriptors, and CI's need not either: package jail's tests show that what was inherited is closed")
	}
	if err != nil || len(entries) == 0 {
		t.Fatal(len(entries), err)
	}
	for _, entry := range entries {
		if target, err := os.Readlink(dir + "/" + entry.Name()); err == nil && strings.Contains(target, "mailbox") {
			t.Errorf("%s is %s", entry.Name(), target)
		}
	}
}
