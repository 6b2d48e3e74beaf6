package executor

import (
	"sync"
	"time"
)

// runClock measures a run against its timeout.
//
// With wall it is wall time, but for the time that a call held it (protocol.HoldClock). Otherwise it stands while at
// least one host wait is in flight. It is never behind the processor time that the worker has used: waiting for a slow
// tool costs a program nothing, looping beside a slow tool does. (Where processor time is not sampled, the wall limit
// alone ends such a loop.)
type runClock struct {
	wall  bool
	start time.Time

	mu    sync.Mutex
	waits int // in flight
	since time.Time
	stood time.Duration // over all waits that have ended
}

// hold stops the clock, also one with wall, until release is called; calling that again does nothing.
func (c *runClock) hold() (release func()) {
	c.stop()
	return sync.OnceFunc(c.goOn)
}

// wait stops the clock; resume has to follow.
func (c *runClock) wait() {
	if !c.wall {
		c.stop()
	}
}

func (c *runClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits++; c.waits == 1 {
		c.since = time.Now()
	}
}

// resume ends one wait.
func (c *runClock) resume() {
	if !c.wall {
		c.goOn()
	}
}

func (c *runClock) goOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits--; c.waits == 0 {
		c.stood += time.Since(c.since)
	}
}

// read returns the time on the clock, given the processor time that the run has used, and whether it is standing.
func (c *runClock) read(now time.Time, cpu time.Duration) (elapsed time.Duration, standing bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall := now.Sub(c.start)
	elapsed = wall - c.stood
	if c.waits > 0 {
		elapsed -= now.Sub(c.since)
	}
	return max(elapsed, min(cpu, wall)), c.waits > 0
}
