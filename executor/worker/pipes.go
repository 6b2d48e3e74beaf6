//go:build cgo && (linux || darwin)

package worker

import (
	"io"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// maxFrame is the largest frame that a worker accepts. The pool has checked sizes against the limits of the run.
const maxFrame = 256 << 20

// descriptor reads and writes a descriptor without Go's poller: where nothing is there, the calling thread waits.
type descriptor int

func (d descriptor) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(d), p)
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN {
			if _, err = readable(d, -1); err == nil {
				continue
			}
		}
		if n == 0 && err == nil {
			return 0, io.EOF
		}
		return max(n, 0), err
	}
}

// readNow reads what there is at once. It is for a d that does not block.
func (d descriptor) readNow(p []byte) (int, error) { return rawRead(int(d), p) }

func (d descriptor) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := unix.Write(int(d), p[written:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}

// pipes are the worker's connections to its pool, moved away from 0 and 1 so that nothing in the process writes frames
// by accident: standard input reads as empty, and standard output is standard error.
type pipes struct {
	in, out, control descriptor
	inbox            *wire.Inbox
	outbox           *wire.Outbox
	// wake is written to interrupt a wait for frames, woken is its other end.
	wake, woken descriptor
	// slow says that the last wait for frames was a long one.
	slow bool
}

// spinTime is how long a wait looks again and again before it sleeps, when the last one was short: most tools answer at once, and
// waking a processor that has gone idle takes longer than their answer.
const spinTime = 100 * time.Microsecond

func takePipes(options wire.Options) (*pipes, error) {
	var mailbox *wire.Mailbox
	if options.Mailbox {
		var err error
		if mailbox, err = wire.OpenMailbox(wire.MailboxDescriptor); err != nil {
			return nil, err
		}
		unix.Close(wire.MailboxDescriptor)
	}
	in, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 4)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	out, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 4)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	null, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open "+os.DevNull, err)
	}
	defer unix.Close(null)
	if err := dup2(null, 0); err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	if err := dup2(2, 1); err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	widen(in)
	widen(out)
	if err := unix.SetNonblock(in, true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		return nil, os.NewSyscallError("pipe", err)
	}
	p := &pipes{in: descriptor(in), out: descriptor(out), control: wire.ControlDescriptor, wake: descriptor(ends[1]), woken: descriptor(ends[0])}
	p.inbox, p.outbox = mailbox.WorkerSide(p.out)
	return p, nil
}

// Read waits for bytes from the pool.
func (p *pipes) Read(into []byte) (int, error) { return p.inbox.Read(into, p.in.Read) }

// try reads what there is at once, nothing where the pipe is at its end or broken, which Read says.
func (p *pipes) try(into []byte) int {
	n, _ := p.inbox.Read(into, p.in.readNow)
	return max(n, 0)
}

// wait blocks until the reader has something to read, or wake was written to, or the milliseconds are over; a negative number
// is no limit. It reports whether there is something to read.
func (p *pipes) wait(reader *wire.Reader, milliseconds int) (bool, error) {
	if reader.Buffered() || p.inbox.Holds() {
		return true, nil
	}
	began := time.Now()
	pause := func() bool {
		yield() // whoever has work goes first
		return time.Since(began) < spinTime
	}
	for spin := milliseconds != 0 && !p.slow; spin; spin = pause() {
		p.inbox.Await(pause)
		if reader.Fill(p.try) {
			return true, nil
		}
	}
	fds := []unix.PollFd{{Fd: int32(p.in), Events: unix.POLLIN}, {Fd: int32(p.woken), Events: unix.POLLIN}}
	_, err := unix.Poll(fds, milliseconds)
	p.slow = time.Since(began) > 2*spinTime
	if err != nil && err != unix.EINTR {
		return false, os.NewSyscallError("poll", err)
	}
	if err == nil && fds[1].Revents != 0 {
		var drain [16]byte
		if _, err := p.woken.Read(drain[:]); err != nil {
			return false, err
		}
	}
	return err == nil && fds[0].Revents != 0, nil
}

// bytesOf is a text's bytes in place, for those who only read them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// textOf is bytes that nobody writes any more as text in place.
func textOf(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// readable waits until d has something to read, or its other end is gone, for so many milliseconds.
func readable(d descriptor, milliseconds int) (bool, error) {
	fds := []unix.PollFd{{Fd: int32(d), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, milliseconds)
	if err == unix.EINTR {
		return false, nil
	}
	return n > 0, err
}
