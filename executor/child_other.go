//go:build !unix

package executor

import (
	"os"
	"syscall"
)

func childAttributes() *syscall.SysProcAttr { return nil }

func ownExecutable() (string, error) { return os.Executable() }
