//go:build cgo

package worker

import (
	"os"
	"path"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of the calling thread, which is the JavaScript thread.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}

// timerSlack is how late the timers of a thread without JavaScript may be.
const timerSlack = 10 * time.Millisecond

// slacken lets the timers of all threads but the calling one be late. Go's monitor would wake thirty
// times for each program and its isolate, to look after goroutines that this process does not have. A kernel that
// refuses leaves things as they are.
func slacken() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	// The number by which /proc knows the thread, which may not be the one by which its own namespace does.
	own, err := os.Readlink("/proc/thread-self")
	if err != nil {
		return
	}
	own = path.Base(own)
	for _, thread := range threads {
		if thread.Name() != own {
			_ = os.WriteFile("/proc/"+thread.Name()+"/timerslack_ns", strconv.AppendInt(nil, timerSlack.Nanoseconds(), 10), 0)
		}
	}
}
