//go:build cgo

package worker

import (
	"io"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// What lies in the mailbox behind what came by the pipe wakes nobody: a wait that took it for nothing might be for ever.
func TestAWaitFindsWhatLiesBehindThePipe(t *testing.T) {
	mailbox, file, err := wire.NewMailbox()
	if err != nil {
		t.Fatal(err)
	}
	defer mailbox.Close()
	defer file.Close()
	var in, wake [2]int
	for _, ends := range []*[2]int{&in, &wake} {
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
			t.Fatal(err)
		}
		defer unix.Close(ends[0])
		defer unix.Close(ends[1])
	}
	p := &pipes{in: descriptor(in[0]), woken: descriptor(wake[0])}
	p.inbox, p.outbox = mailbox.WorkerSide(io.Discard)
	_, outbox := mailbox.PoolSide(descriptor(in[1]))
	reader, writer := wire.NewReader(p, maxFrame), wire.NewWriter(outbox)
	sizes := []int{10_000, 1}
	p.inbox.Await(func() bool {
		for _, size := range sizes {
			if err := writer.Write(wire.Answer, make([]byte, size)); err != nil {
				t.Error(err)
			}
			if err := writer.Flush(); err != nil {
				t.Error(err)
			}
		}
		return true
	})
	for _, size := range sizes {
		if ready, err := p.wait(reader, 0); !ready || err != nil {
			t.Fatalf("nothing to read, %v, and %d bytes were sent", err, size)
		}
		frame, err := reader.Read()
		if err != nil || len(frame.Fields) != 1 || len(frame.Fields[0]) != size {
			t.Fatalf("%d fields, %v", len(frame.Fields), err)
		}
	}
	if ready, err := p.wait(reader, 0); ready || err != nil {
		t.Errorf("something to read, %v, and everything was read", err)
	}
}
