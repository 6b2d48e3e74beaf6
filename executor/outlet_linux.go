package executor

import (
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// outlet is the end of a worker's standard output that is read. Go's poller does not know it: a write to what that watches
// wakes a thread of ours each time, whether anybody waits for the bytes or not, which costs the worker as much as the call it makes.
type outlet struct {
	fd    int
	inbox *wire.Inbox // what is read comes by the pipe or by this
	stop  int         // an eventfd, which ends waiting
	over  atomic.Bool // since interrupt
	gave  time.Time   // when the reader last let other goroutines go first
}

// giveWay is how long a reader that lingers has its place in Go's scheduler at a time: some ten quick calls.
const giveWay = 100 * time.Microsecond

// newOutlet makes a pipe.
func newOutlet() (*outlet, *os.File, error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	o, inlet := &outlet{fd: ends[0], inbox: &wire.Inbox{}}, os.NewFile(uintptr(ends[1]), "stdout of a worker")
	err := os.NewSyscallError("fcntl", unix.SetNonblock(o.fd, true))
	if err == nil {
		o.stop, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
		err = os.NewSyscallError("eventfd", err)
	}
	if err != nil {
		unix.Close(o.fd)
		inlet.Close()
		return nil, nil, err
	}
	return o, inlet, nil
}

// use has it read what lies in a mailbox, too. It is for before the first Read.
func (o *outlet) use(inbox *wire.Inbox) { o.inbox = inbox }

// Read waits for bytes; after interrupt it fails instead, also when there are some: they need never end.
func (o *outlet) Read(into []byte) (int, error) {
	for {
		if o.over.Load() {
			return 0, os.ErrDeadlineExceeded
		}
		switch n, err := o.inbox.Read(into, o.readPipe); {
		case n > 0:
			return n, nil
		case err == nil:
			return 0, io.EOF
		case err == unix.EAGAIN:
			if err := o.wait(); err != nil {
				return 0, err
			}
		case err != unix.EINTR:
			return 0, os.NewSyscallError("read", err)
		}
	}
}

func (o *outlet) readPipe(into []byte) (int, error) { return unix.Read(o.fd, into) }

func (o *outlet) wait() error {
	runtime.Gosched() // whom the last frame has made ready would else wait for the scheduler to miss this thread
	either := []unix.PollFd{{Fd: int32(o.fd), Events: unix.POLLIN}, {Fd: int32(o.stop), Events: unix.POLLIN}}
	if _, err := unix.Poll(either, -1); err != nil && err != unix.EINTR {
		return os.NewSyscallError("poll", err)
	}
	return nil
}

// linger has a reader of the outlet look again and again until there is something, or the time is over. Go's scheduler knows
// nothing of the reads, which are over at once. A reader that always finds something never waits, so that it has to give way by itself:
// goroutines and timers of everybody else would have a turn every ten milliseconds.
func (o *outlet) linger(reader *wire.Reader, most time.Duration) {
	began := time.Now()
	if began.Sub(o.gave) > giveWay {
		runtime.Gosched()
		began = time.Now()
		o.gave = began
	}
	pause := func() bool {
		// Whoever has work goes first. That may take long on a busy machine, in which Go's scheduler must not miss this thread.
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		return time.Since(began) < most
	}
	for {
		o.inbox.Await(pause)
		if reader.Fill(o.readNow) || !pause() {
			return
		}
	}
}

// readNow reads what there is; nothing at the end, or after an error or interrupt, which Read has, too.
func (o *outlet) readNow(into []byte) int {
	if o.over.Load() {
		return 0
	}
	n, _ := o.inbox.Read(into, o.readPipeNow)
	return max(n, 0)
}

func (o *outlet) readPipeNow(into []byte) (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(o.fd), uintptr(unsafe.Pointer(unsafe.SliceData(into))), uintptr(len(into)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// interrupt ends a Read that waits, and each later one. It may come at any time before Close.
func (o *outlet) interrupt() {
	o.over.Store(true)
	_, _ = unix.Write(o.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // it counts, and cannot be full
}

// Close is for when nobody reads.
func (o *outlet) Close() error {
	unix.Close(o.stop)
	return os.NewSyscallError("close", unix.Close(o.fd))
}
