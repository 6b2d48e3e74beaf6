//go:build !amd64

package wire

import "sync/atomic"

var nobody atomic.Uint32

// relax passes some ten nanoseconds.
func relax() {
	for range 20 {
		nobody.Load()
	}
}
