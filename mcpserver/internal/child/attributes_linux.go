package child

import (
	"os"
	"syscall"
)

// attributes make a child lead its own group and be told when we die.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// pipeSize is that of a server's output: with the kernel's 64 KiB an image of 10 MB takes hundreds of turns between the
// server and us, and on a busy machine each turn waits for a processor. A user may have 64 MiB of pipes, 250 servers.
const pipeSize = 256 << 10

const setPipeSize = 1031 // F_SETPIPE_SZ

// widen makes a pipe hold more; where that is not allowed it works as it is.
func widen(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, pipeSize)
	})
}
