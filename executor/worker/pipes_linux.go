//go:build cgo

package worker

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// pipeBytes is what a pipe to the pool should hold, so that a large frame does not change sides every 64 KiB. The kernel
// takes the memory when it is used.
const pipeBytes = 1 << 20

// widen is an offer: over the limit of its user, or on another kind of file, the descriptor stays as it is.
func widen(pipe int) { _, _ = unix.FcntlInt(uintptr(pipe), unix.F_SETPIPE_SZ, pipeBytes) }

func dup2(from, to int) error { return unix.Dup3(from, to, 0) }

// yield gives the processor to another thread that waits for it.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// rawRead reads without telling Go's scheduler, which a read that does not block has no need of.
func rawRead(fd int, p []byte) (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
