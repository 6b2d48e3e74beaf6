package executor

import (
	"os"
	"syscall"
)

// childAttributes puts a worker into a process group of its own, so that a terminal's Ctrl-C reaches the program that
// owns the pool and not its workers, and has the kernel end it with its parent.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// ownExecutable names the running image, also after an upgrade has replaced the file it was started from.
func ownExecutable() (string, error) {
	const image = "/proc/self/exe"
	if _, err := os.Stat(image); err == nil {
		return image, nil
	}
	return os.Executable()
}
