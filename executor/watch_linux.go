package executor

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// sampler reads what one process uses. It stays with that process even if the number is given to another, but for bound.
type sampler struct {
	status *os.File
	pid    int
	clock  int32

	mu     sync.Mutex
	buffer [4096]byte
}

// sample is what a process uses at one moment.
type sample struct {
	memory int64 // bytes of its own: anonymous, shared anonymous, and swapped out
	data   int64 // bytes of its own that it may write, touched or not: what the kernel counts for bound
	cpu    time.Duration
	// highest is the most that was ever resident at one time, with the bytes of files, which files counts now.
	highest, files int64
}

// engineMemory is what the engine is told of a run's memory: more than the bound, since an engine that is close to its
// own limit collects garbage for ever rather than give up.
func engineMemory(bound int64) int64 { return bound + min(bound/2, 1<<30) }

func newSampler(pid int) (*sampler, error) {
	status, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return nil, fmt.Errorf("the memory bound needs /proc: %w", err)
	}
	// The clock of a process is spelled as the complement of its number, with the kind of the clock in three bits
	// (CPUCLOCK_SCHED, linux/posix-timers_types.h).
	return &sampler{status: status, pid: pid, clock: ^int32(pid)<<3 | 2}, nil
}

// bound has the kernel refuse the process any more data than so many bytes, but no more than its own confinement allows.
// The process must not have been waited for. Where the kernel does not do it, there is the watch alone.
func (s *sampler) bound(data int64) {
	var limit unix.Rlimit
	if unix.Prlimit(s.pid, unix.RLIMIT_DATA, nil, &limit) != nil {
		return
	}
	limit.Cur = min(uint64(data), limit.Max)
	_ = unix.Prlimit(s.pid, unix.RLIMIT_DATA, &limit, nil)
}

// read takes a sample.
func (s *sampler) read() (sample, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.status.ReadAt(s.buffer[:], 0)
	if n == 0 {
		return sample{}, err
	}
	now := sample{cpu: s.cpu()}
	found := false
	for line := range bytes.Lines(s.buffer[:n]) {
		name, value, _ := bytes.Cut(line, []byte{':'})
		var into *int64
		switch string(name) {
		case "RssAnon", "RssShmem", "VmSwap":
			into = &now.memory
		case "VmData":
			into = &now.data
		case "VmHWM":
			into = &now.highest
		case "RssFile":
			into = &now.files
		default:
			continue
		}
		kilobytes, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(value), []byte(" kB"))), 10, 64)
		if err != nil {
			return sample{}, err
		}
		*into += kilobytes << 10
		found = true
	}
	if !found {
		return sample{}, fmt.Errorf("the process has no memory to speak of: it ended")
	}
	return now, nil
}

// cpu is the processor time of the process so far, all its threads together; 0 once it is gone.
func (s *sampler) cpu() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(s.clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

func (s *sampler) close() {
	if s != nil {
		s.status.Close()
	}
}
