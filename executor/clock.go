package executor

import (
	"sync"
	"time"
)

// runClock measures a run against its timeout.
//
// With wall it is wall time. Otherwise, while at least one host wait is in flight, it advances only by the processor
// time that the worker spends: waiting for a slow tool costs a program nothing, but looping beside a slow tool does.
// (Where processor time cannot be sampled the clock stops altogether, and the CPU and wall limits do not.)
type runClock struct {
	wall  bool
	start time.Time
	cpu   func() time.Duration

	mu      sync.Mutex
	waits   int // in flight
	since   time.Time
	cpuThen time.Duration
	saved   time.Duration // of wall time, over all waits that are over
}

// wait stops the clock; resume has to follow.
func (c *runClock) wait() {
	if c.wall {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits++; c.waits == 1 {
		c.since, c.cpuThen = time.Now(), c.cpu()
	}
}

// resume ends one wait.
func (c *runClock) resume() {
	if c.wall {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits--; c.waits == 0 {
		c.saved += c.saving(time.Now())
	}
}

// saving is the wall time that the waits in flight have kept off the clock so far.
func (c *runClock) saving(now time.Time) time.Duration {
	waited := now.Sub(c.since)
	return max(0, waited-max(0, c.cpu()-c.cpuThen))
}

// read returns the time on the clock, and whether it is standing.
func (c *runClock) read(now time.Time) (elapsed time.Duration, standing bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	elapsed = now.Sub(c.start) - c.saved
	if c.waits > 0 {
		elapsed -= c.saving(now)
	}
	return elapsed, c.waits > 0
}
