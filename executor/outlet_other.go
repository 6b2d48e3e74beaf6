//go:build !linux

package executor

import (
	"os"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// outlet is the end of a worker's standard output that is read.
type outlet struct{ *os.File }

// newOutlet makes a pipe.
func newOutlet() (*outlet, *os.File, error) {
	read, write, err := os.Pipe()
	return &outlet{read}, write, err
}

// use is for a mailbox, and there is none here.
func (o *outlet) use(*wire.Inbox) {}

// linger waits for nothing here: the next Read does.
func (o *outlet) linger(*wire.Reader, time.Duration) {}

// interrupt ends a Read that waits, now or later.
func (o *outlet) interrupt() { o.SetReadDeadline(time.Now()) }
