//go:build cgo

package jail

// int codemode_left_host(void);
import "C"

// leftHost reports whether the process has namespaces of its own: user, mount, network, IPC and host name.
func leftHost() bool { return C.codemode_left_host() == 1 }
