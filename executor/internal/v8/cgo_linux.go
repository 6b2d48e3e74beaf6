//go:build cgo && linux

// The import below makes cgo compile glibc_linux.c into this package.

package v8

import "C"
