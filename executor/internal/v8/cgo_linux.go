//go:build cgo && linux

// The import below also makes cgo compile glibc_linux.c into this package.

package v8

// void releaseFreeMemory(void);
import "C"

// ReleaseMemory gives memory that the C heap has free back to the system.
func ReleaseMemory() { C.releaseFreeMemory() }
