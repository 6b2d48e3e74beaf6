package main

import (
	"math"
	"time"
)

// Measured is what one machine said.
type Measured struct {
	Date    string `json:"date"`
	Machine string `json:"machine"`
	// RunCPU is the processor time of a trivial run over a daemon, in milliseconds: the worker's, with its new isolate, and
	// the daemon's.
	RunCPU float64 `json:"runCpuMs"`
	// CallCPU is what one tool call adds to that.
	CallCPU float64 `json:"callCpuMs"`
	// HostCPU is what the host pays for a trivial run, and HostCallCPU for a call: in this measurement the host and the daemon
	// are one process, so that half of what it used is said to be either's.
	HostCPU     float64 `json:"hostCpuMs"`
	HostCallCPU float64 `json:"hostCallCpuMs"`
	// CallsSequential and CallsConcurrent are tool calls a second on one connection, one at a time and 100 at a time.
	CallsSequential float64 `json:"callsPerSecondSequential"`
	CallsConcurrent float64 `json:"callsPerSecondConcurrent"`
	// IdleMemory is what the daemon and its engine have without a program, in MB, and RunMemory what a run adds that waits.
	IdleMemory float64 `json:"idleMemoryMB"`
	RunMemory  float64 `json:"runMemoryMB"`
}

// Run is what the programs of a model do.
type Run struct {
	Calls int           // tool calls, one after the other
	Wait  time.Duration // how long the host takes for one, on average
	CPU   time.Duration // what the program itself computes
}

// typicalRun is a program that reads five things and adds them up.
var typicalRun = Run{Calls: 5, Wait: 200 * time.Millisecond, CPU: 2 * time.Millisecond}

// Size is a daemon's machine.
type Size struct {
	Cores int
	// Busy is the share of the cores that the plan uses, so that bursts and a lost daemon find room.
	Busy float64
	// WithoutOne is that share while one daemon is lost.
	WithoutOne float64
	// Places is how many places there are, while one daemon is lost, for each run that there is on average.
	Places float64
}

// daemonSize is 8 cores. Places cost memory alone, so that there may be many.
var daemonSize = Size{Cores: 8, Busy: 0.6, WithoutOne: 0.8, Places: 1.6}

// hostRate is the runs a second of one host.
const hostRate = 50

// Plan is a fleet for a rate.
type Plan struct {
	Rate     float64 // runs a second
	Run      Run
	CPU      time.Duration // of one run, at the daemon
	Duration time.Duration // of one run that finds a core free
	Running  float64       // runs at a time, on average (Little's law)
	Cores    int           // all daemons'
	Memory   float64       // all daemons', in MB, of runs that hold nothing of their own
	Daemons  int
	Size     Size
	Places   int // of one daemon
	Hosts    int // each has one session with each daemon
	// CallsPerSession is tool calls a second on one connection.
	CallsPerSession float64
}

// newPlan sizes a fleet. There are at least two daemons, so that one may be lost.
func newPlan(m Measured, run Run, size Size, rate float64) Plan {
	ms := func(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }
	cpu := ms(m.RunCPU+float64(run.Calls)*m.CallCPU) + run.CPU
	p := Plan{Rate: rate, Run: run, Size: size, CPU: cpu, Duration: cpu + time.Duration(run.Calls)*run.Wait}
	p.Running = rate * p.Duration.Seconds()
	load := rate * cpu.Seconds() / float64(size.Cores) // daemons that would be busy all the time
	p.Daemons = max(2, int(math.Ceil(load/size.Busy)), 1+int(math.Ceil(load/size.WithoutOne)))
	p.Cores = p.Daemons * size.Cores
	p.Places = max(4, int(math.Ceil(p.Running/float64(p.Daemons-1)*size.Places)))
	p.Memory = float64(p.Daemons)*m.IdleMemory + float64(p.Daemons*p.Places)*m.RunMemory
	p.Hosts = max(1, int(math.Ceil(rate/hostRate)))
	p.CallsPerSession = rate * float64(run.Calls) / float64(p.Daemons*p.Hosts)
	return p
}
