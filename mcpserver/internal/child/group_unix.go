//go:build unix

package child

import (
	"syscall"
	"time"
)

// terminate and kill signal a whole group. An error means that there is nobody left to signal.
func terminate(group int) { _ = syscall.Kill(-group, syscall.SIGTERM) }
func kill(group int)      { _ = syscall.Kill(-group, syscall.SIGKILL) }

// endGroup ends what is left of a group whose first process has been waited for. Its members are not our children, so
// there is nothing to wait on but their disappearance.
func endGroup(group int, grace time.Duration) {
	if gone(group) {
		return
	}
	terminate(group)
	if waitGone(group, grace) {
		return
	}
	kill(group)
	waitGone(group, grace)
}

func waitGone(group int, limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if gone(group) {
			return true
		}
	}
	return false
}

// gone reports whether a group has no member any more.
func gone(group int) bool { return syscall.Kill(-group, 0) == syscall.ESRCH }
