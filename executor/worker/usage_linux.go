//go:build cgo

package worker

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of the calling thread, which is the JavaScript thread.
func threadTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
