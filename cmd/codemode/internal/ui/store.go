package ui

import (
	"cmp"
	"slices"
	"sync"

	"github.com/codemode-go/codemode/mcpserver"
)

const (
	// DefaultMaxRuns and DefaultMaxBytes bound what a Store keeps: some days of one person's work, in a part of the memory
	// that the browser showing it takes.
	DefaultMaxRuns  = 1000
	DefaultMaxBytes = 64 << 20
)

// Store keeps the newest runs in memory, and tells readers when they change. It is a mcpserver.Watcher. The oldest go when
// one of its bounds is reached. It is safe for concurrent use.
type Store struct {
	maxRuns, maxBytes int

	mu      sync.Mutex
	order   []*entry // as they came, oldest first
	byID    map[string]*entry
	bytes   int
	dropped int
	readers map[*Changes]struct{}
}

// entry is one run and about how much memory it takes.
type entry struct {
	run   mcpserver.AuditRun
	bytes int
}

// StoreOptions adjusts a Store. The zero value of every field is its documented default.
type StoreOptions struct {
	// MaxRuns and MaxBytes bound what is kept; 0 is DefaultMaxRuns and DefaultMaxBytes. The newest run is always kept.
	MaxRuns, MaxBytes int
}

// NewStore makes an empty Store; options may be nil.
func NewStore(options *StoreOptions) *Store {
	var o StoreOptions
	if options != nil {
		o = *options
	}
	return &Store{maxRuns: cmp.Or(o.MaxRuns, DefaultMaxRuns), maxBytes: cmp.Or(o.MaxBytes, DefaultMaxBytes),
		byID: map[string]*entry{}, readers: map[*Changes]struct{}{}}
}

// RunBegan implements mcpserver.Watcher.
func (s *Store) RunBegan(run mcpserver.AuditRun) { s.put(run) }

// RunEnded implements mcpserver.Watcher, and takes the runs of an audit file.
func (s *Store) RunEnded(run mcpserver.AuditRun) { s.put(run) }

// CallBegan implements mcpserver.Watcher.
func (s *Store) CallBegan(run string, n int, call mcpserver.AuditCall) { s.putCall(run, n, call) }

// CallEnded implements mcpserver.Watcher.
func (s *Store) CallEnded(run string, n int, call mcpserver.AuditCall) { s.putCall(run, n, call) }

// put adds a run, or takes it in the place of the one with its ID.
func (s *Store) put(run mcpserver.AuditRun) {
	run.Calls = slices.Clone(run.Calls) // calls of one that runs are added
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.byID[run.ID]
	if one == nil {
		one = &entry{}
		s.byID[run.ID] = one
		s.order = append(s.order, one)
	}
	one.run = run
	s.weigh(one, sizeOf(&run))
	s.changed(run.ID)
}

// putCall takes a call of a run that goes on. Calls may arrive in another order than they began in.
func (s *Store) putCall(run string, n int, call mcpserver.AuditCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.byID[run]
	if one == nil || one.run.Outcome != mcpserver.Running {
		return
	}
	bytes := one.bytes
	for len(one.run.Calls) <= n {
		unknown := mcpserver.AuditCall{Outcome: mcpserver.Running}
		one.run.Calls = append(one.run.Calls, unknown)
		bytes += callSize(&unknown)
	}
	bytes += callSize(&call) - callSize(&one.run.Calls[n])
	one.run.Calls[n] = call
	s.weigh(one, bytes)
	s.changed(run)
}

// weigh notes what a run takes now, and drops the oldest when it is too much.
func (s *Store) weigh(one *entry, bytes int) {
	s.bytes += bytes - one.bytes
	one.bytes = bytes
	for len(s.order) > 1 && (len(s.order) > s.maxRuns || s.bytes > s.maxBytes) {
		oldest := s.order[0]
		s.order = s.order[1:]
		delete(s.byID, oldest.run.ID)
		s.bytes -= oldest.bytes
		s.dropped++
	}
}

// structSize is about what a run or a call takes beside its texts.
const structSize = 400

func sizeOf(run *mcpserver.AuditRun) int {
	size := structSize + len(run.Code) + len(run.Result) + len(run.Error) + len(run.Client)
	for _, line := range run.Logs {
		size += len(line)
	}
	for i := range run.Calls {
		size += callSize(&run.Calls[i])
	}
	return size
}

func callSize(c *mcpserver.AuditCall) int {
	return structSize + len(c.Arguments) + len(c.Result) + len(c.Error) + len(c.Server) + len(c.Tool)
}

// Run is a run as it is now.
func (s *Store) Run(id string) (run mcpserver.AuditRun, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.byID[id]
	if one == nil {
		return run, false
	}
	run = one.run
	run.Calls = slices.Clone(run.Calls)
	return run, true
}

// Select has the runs that keep says true of, newest first, of those the ones from a place on, most of them at most. all is how
// many there are, kept and dropped how many runs the Store has and had to drop.
func (s *Store) Select(keep func(*mcpserver.AuditRun) bool, from, most int) (list []Summary, all, kept, dropped int) {
	runs, dropped := s.snapshot()
	for i := range runs {
		if keep != nil && !keep(&runs[i]) {
			continue
		}
		if all++; all > from && len(list) < most {
			list = append(list, summarize(&runs[i]))
		}
	}
	return list, all, len(runs), dropped
}

// snapshot has all runs, newest first. Who searches them holds up nobody who runs.
func (s *Store) snapshot() (runs []mcpserver.AuditRun, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	runs = make([]mcpserver.AuditRun, 0, len(s.order))
	for _, one := range slices.Backward(s.order) {
		run := one.run
		if run.Outcome == mcpserver.Running {
			run.Calls = slices.Clone(run.Calls) // others do not change any more
		}
		runs = append(runs, run)
	}
	return runs, s.dropped
}

// Changes tells a reader which runs have changed. Close it after use.
type Changes struct {
	store *Store
	// C gets a value when there is something to Take.
	C   chan struct{}
	ids map[string]bool
}

// Watch tells of changes from now on.
func (s *Store) Watch() *Changes {
	c := &Changes{store: s, C: make(chan struct{}, 1), ids: map[string]bool{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers[c] = struct{}{}
	return c
}

// Close ends the telling.
func (c *Changes) Close() {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	delete(c.store.readers, c)
}

// Take has the IDs of the runs that changed since the last time.
func (c *Changes) Take() []string {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	list := make([]string, 0, len(c.ids))
	for id := range c.ids {
		list = append(list, id)
	}
	clear(c.ids)
	slices.Sort(list)
	return list
}

// changed tells all readers, with s.mu held. It never waits for them.
func (s *Store) changed(id string) {
	for c := range s.readers {
		c.ids[id] = true
		select {
		case c.C <- struct{}{}:
		default:
		}
	}
}
