//go:build !linux

package reference

import "syscall"

// dieWithParent has no counterpart here: Close ends the runtime.
func dieWithParent() *syscall.SysProcAttr { return nil }
