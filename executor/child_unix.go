//go:build unix && !linux

package executor

import (
	"os"
	"syscall"
)

// childAttributes puts a worker into a process group of its own, so that a terminal's Ctrl-C reaches the program that
// owns the pool and not its workers. It ends with its parent by the end of its control pipe.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func ownExecutable() (string, error) { return os.Executable() }
