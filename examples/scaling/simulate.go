package main

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Balance is how a host chooses a daemon.
type Balance int

const (
	// LeastLoad takes the daemon with the fewest runs of this host, as remote.Balancer does; equals take turns.
	LeastLoad Balance = iota
	// AtRandom is what a connection balancer does that knows of no runs.
	AtRandom
)

// Scenario is one simulation of a plan.
type Scenario struct {
	Balance Balance
	// LoseOne takes a daemon away in the middle: what ran on it is lost, and the hosts use the others.
	LoseOne bool
	Seed    uint64
}

// Waits is how long runs waited for a place and for cores, beyond what an empty fleet would take.
type Waits struct{ P50, P99 time.Duration }

// The length of a simulation: so many runs, after a tenth of them to warm up, but at least so long.
const simulatedRuns, simulatedSeconds = 30_000, 3

// simulate runs a fleet event by event. The same plan and scenario give the same waits.
func simulate(p Plan, s Scenario) Waits {
	f := &simulation{plan: p, scenario: s, random: rand.New(rand.NewPCG(s.Seed, 0)), daemons: make([]simDaemon, p.Daemons), loads: make([]int, p.Daemons*p.Hosts)}
	f.lost = -1
	f.total = max(simulatedRuns, int(p.Rate*simulatedSeconds))
	f.schedule(f.arrivalGap(), event{kind: arrival})
	for f.events.Len() > 0 {
		e := heap.Pop(&f.events).(event)
		f.now = e.at
		f.step(e)
	}
	return f.waits()
}

// A run of the simulation goes: place, core, tool calls, core, and it is over. Its calls' processor time is in the two
// spells on a core.
const (
	arrival = iota
	computed
	called
)

type event struct {
	at   float64 // seconds
	kind int
	run  *simRun
	seq  int // of equal times, the one that was scheduled first
}

type simRun struct {
	daemon, host int
	began        float64
	needs        float64 // seconds that it takes when it waits for nothing
	second       bool    // its tool calls are over
	counts       bool
}

// simDaemon has places, and cores that serve in turn.
type simDaemon struct {
	running  int
	waiting  []*simRun // for a place
	busy     int       // cores
	runnable []*simRun // for a core
}

type simulation struct {
	plan     Plan
	scenario Scenario
	random   *rand.Rand
	now      float64
	events   events
	seq      int
	arrived  int
	total    int
	lost     int   // the daemon that is lost, -1
	loads    []int // of each host, by daemon
	daemons  []simDaemon
	waited   []float64
}

func (f *simulation) schedule(after float64, e event) {
	e.at, e.seq = f.now+after, f.seq
	f.seq++
	heap.Push(&f.events, e)
}

// arrivalGap is the time to the next run: arrivals know nothing of each other.
func (f *simulation) arrivalGap() float64 { return f.random.ExpFloat64() / f.plan.Rate }

func (f *simulation) step(e event) {
	if e.run != nil && e.run.daemon == f.lost {
		return // it went with its daemon
	}
	switch e.kind {
	case arrival:
		f.arrive()
	case called:
		e.run.second = true
		f.wantCore(e.run)
	case computed:
		d := &f.daemons[e.run.daemon]
		d.busy--
		f.giveCores(d)
		if e.run.second {
			f.end(e.run)
			return
		}
		f.schedule(f.callsTime(e.run), event{kind: called, run: e.run})
	}
}

func (f *simulation) arrive() {
	f.arrived++
	if f.arrived < f.total {
		f.schedule(f.arrivalGap(), event{kind: arrival})
	}
	if f.scenario.LoseOne && f.arrived == f.total/2 {
		f.lost = 0
	}
	r := &simRun{host: f.random.IntN(f.plan.Hosts), began: f.now, counts: f.arrived > f.total/10}
	r.daemon = f.choose(r.host)
	f.loads[r.host*f.plan.Daemons+r.daemon]++
	d := &f.daemons[r.daemon]
	if d.running < f.plan.Places {
		d.running++
		f.wantCore(r)
		return
	}
	d.waiting = append(d.waiting, r)
}

func (f *simulation) choose(host int) int {
	n := f.plan.Daemons
	loads := f.loads[host*n : (host+1)*n]
	if f.scenario.Balance == AtRandom {
		for {
			if at := f.random.IntN(n); at != f.lost {
				return at
			}
		}
	}
	least := -1
	start := f.random.IntN(n) // each host's turn is its own
	for i := range n {
		at := (start + i) % n
		if at != f.lost && (least < 0 || loads[at] < loads[least]) {
			least = at
		}
		if least >= 0 && loads[least] == 0 {
			break
		}
	}
	return least
}

// wantCore asks for one of the two spells.
func (f *simulation) wantCore(r *simRun) {
	d := &f.daemons[r.daemon]
	d.runnable = append(d.runnable, r)
	f.giveCores(d)
}

func (f *simulation) giveCores(d *simDaemon) {
	for d.busy < f.plan.Size.Cores && len(d.runnable) > 0 {
		r := d.runnable[0]
		d.runnable = d.runnable[1:]
		d.busy++
		spell := f.random.ExpFloat64() * f.plan.CPU.Seconds() / 2
		r.needs += spell
		f.schedule(spell, event{kind: computed, run: r})
	}
}

// callsTime is how long a run's calls take together.
func (f *simulation) callsTime(r *simRun) float64 {
	var sum float64
	for range f.plan.Run.Calls {
		sum += f.random.ExpFloat64() * f.plan.Run.Wait.Seconds()
	}
	r.needs += sum
	return sum
}

func (f *simulation) end(r *simRun) {
	f.loads[r.host*f.plan.Daemons+r.daemon]--
	if r.counts {
		f.waited = append(f.waited, max(0, f.now-r.began-r.needs))
	}
	d := &f.daemons[r.daemon]
	d.running--
	if len(d.waiting) > 0 {
		next := d.waiting[0]
		d.waiting = d.waiting[1:]
		d.running++
		f.wantCore(next)
	}
}

func (f *simulation) waits() Waits {
	slices.Sort(f.waited)
	at := func(share float64) time.Duration {
		if len(f.waited) == 0 {
			return 0
		}
		seconds := f.waited[int(math.Min(share*float64(len(f.waited)), float64(len(f.waited)-1)))]
		return time.Duration(seconds * float64(time.Second)).Round(100 * time.Microsecond)
	}
	return Waits{at(0.50), at(0.99)}
}

// events is a heap by time.
type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *events) Push(x any)   { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = event{}
	*h = (*h)[:last]
	return e
}
