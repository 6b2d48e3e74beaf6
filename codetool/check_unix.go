//go:build unix

package codetool

import (
	"os/exec"
	"syscall"
)

// ownGroup has a command's end take its children along: tsgo is a script that starts the compiler.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
