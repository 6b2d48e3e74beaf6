package child

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// strays lists processes that carry a marker in their environment: what a server started outlives its group when it
// began a session of its own, and is then nobody's descendant any more. A process that dropped its environment as well
// stays out of reach.
func strays(marker string) (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	want := []byte(marker)
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environment, err := os.ReadFile("/proc/" + entry.Name() + "/environ") // empty for a zombie, an error for others' processes
		if err != nil {
			continue
		}
		for variable := range bytes.SplitSeq(environment, []byte{0}) {
			if bytes.Equal(variable, want) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// endStrays ends what carries the marker, by the ladder of Stop.
func endStrays(marker string, grace time.Duration) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		left := strays(marker)
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, signal) // it may have ended since
		}
		for end := time.Now().Add(grace); time.Now().Before(end) && len(strays(marker)) > 0; time.Sleep(20 * time.Millisecond) {
		}
	}
}
