//go:build cgo

package worker

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of the process; darwin has no cheap one of a thread.
func threadTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func slacken() {} // darwin coalesces timers by itself
