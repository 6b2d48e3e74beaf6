package reference

import "syscall"

// dieWithParent makes the runtime end when this process does, however that ends.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
