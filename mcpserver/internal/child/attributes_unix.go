//go:build unix && !linux

package child

import "syscall"

// attributes make a child lead its own group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
