package executor

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// linger looks at a pipe again and again until there is something to read, or the time is over. The runtime knows nothing
// of these calls: they are over at once, and with its own a reader that has nothing else to do would cost two wake-ups.
func linger(pipe *os.File, most time.Duration) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return // it is closed, which the next read says
	}
	_ = conn.Control(func(fd uintptr) {
		wanted := unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
		for began := time.Now(); time.Since(began) < most; {
			var atOnce unix.Timespec
			n, _, _ := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&wanted)), 1, uintptr(unsafe.Pointer(&atOnce)), 0, 0, 0)
			if n != 0 { // something, or an error, which the next read has, too
				return
			}
			_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) // whoever has work goes first
		}
	})
}
