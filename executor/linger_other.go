//go:build !linux

package executor

import (
	"os"
	"time"
)

// linger waits for nothing here: the next read does.
func linger(*os.File, time.Duration) {}
