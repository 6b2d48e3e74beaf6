package executor

import (
	"math"
	"regexp"
	"strings"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// A run's memory is bounded twice. The watch looks every few milliseconds and kills a worker over the run's memory. Should
// it not come to it in time, the kernel refuses the worker more data some way past that, and the engine gives up.

// dataSlack is how far past its memory a program may get between two looks, when the kernel ends its growth. Data is
// more than memory, since what a program never touches counts, too: free room on the engine's pages, a buffer of zeros.
const dataSlack = 24 << 20

// mostData is what the kernel lets the worker have while the run lasts.
func (r *run) mostData() int64 {
	return r.baseline.data + min(r.plan.limits.Memory, math.MaxInt64/2) + dataSlack
}

// outgrown reports whether a program has failed for want of memory: the worker is over the run's memory at this moment, or
// was refused more when it had most of that, which it may have given back since.
func (r *run) outgrown(failure *wire.Failure) bool {
	now, err := r.worker.sampler.read()
	if err != nil { // it is dead already, for want of memory for its next isolate
		return wasRefused.MatchString(failure.Message)
	}
	most, base := r.plan.limits.Memory, r.baseline
	if now.memory-base.memory > most {
		return true
	}
	peak := max(now.data-base.data, r.reached.Load())
	if now.highest > base.highest {
		peak = max(peak, now.highest-now.files-base.memory)
	}
	return peak > most/4*3 && wasRefused.MatchString(failure.Message)
}

// wasRefused is how the engine words that it was not given memory, where it can go on without.
var wasRefused = regexp.MustCompile(`^(Array buffer allocation failed|WebAssembly\.Memory.*(could not allocate|[Uu]nable to grow).*|.*rototype\.(resize|grow): .*)$`)

// outOfMemory tells an engine that gave up for want of memory from one that crashed: it says so on stderr (V8 has no
// other channel for it), or it died close to the bound.
func (r *run) outOfMemory(e exit) bool {
	if e.status == nil || e.killed != "" || isMalformed(e.cause) {
		return false
	}
	for _, words := range []string{"out of memory", "Reached heap limit", "annot allocate memory", "failed to allocate", "bad_alloc", "pthread_create failed"} {
		if strings.Contains(e.stderr, words) {
			return true
		}
	}
	return r.reached.Load() > r.plan.limits.Memory/4*3
}
