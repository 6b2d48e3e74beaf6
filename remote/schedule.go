package remote

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// schedule hands a number of places to run out to tenants in turn, so that one that asks for a thousand runs does not
// make another wait for more than one of them.
type schedule struct {
	mu    sync.Mutex
	free  int
	lanes map[string]*lane
	turn  []*lane // lanes that wait, the next one first
}

// lane is one tenant's runs.
type lane struct {
	tenant  Tenant
	running int
	waiting []*ticket
}

// ticket is one request that waits; ready is closed when it has a place.
type ticket struct{ ready chan struct{} }

func newSchedule(places int) *schedule { return &schedule{free: places, lanes: map[string]*lane{}} }

// acquire waits for a place. leave gives it back.
func (s *schedule) acquire(ctx context.Context, tenant Tenant) (leave func(), err error) {
	s.mu.Lock()
	l := s.lanes[tenant.Name]
	if l == nil {
		l = &lane{}
		s.lanes[tenant.Name] = l
	}
	l.tenant = tenant // its limits may have been read anew
	if s.free > 0 && l.hasRoom() && len(l.waiting) == 0 {
		s.free--
		l.running++
		s.mu.Unlock()
		return sync.OnceFunc(func() { s.leave(l) }), nil
	}
	if len(l.waiting) >= tenant.MaxQueue {
		s.mu.Unlock()
		return nil, protocol.Errorf(protocol.CodeQueueFull, "%d runs of this token wait, as many as may", tenant.MaxQueue)
	}
	t := &ticket{make(chan struct{})}
	if l.waiting = append(l.waiting, t); len(l.waiting) == 1 {
		s.turn = append(s.turn, l)
	}
	s.mu.Unlock()
	return s.await(ctx, l, t, tenant.QueueTimeout)
}

func (l *lane) hasRoom() bool { return l.tenant.Concurrency <= 0 || l.running < l.tenant.Concurrency }

func (s *schedule) await(ctx context.Context, l *lane, t *ticket, patience time.Duration) (func(), error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var err error
	select {
	case <-t.ready:
		return sync.OnceFunc(func() { s.leave(l) }), nil
	case <-timer.C:
		err = protocol.Errorf(protocol.CodeQueueTimeout, "no place to run came free within %s", patience)
	case <-ctx.Done():
		err = fmt.Errorf("the run never began: %w", context.Cause(ctx))
	}
	s.mu.Lock()
	for i := range l.waiting {
		if l.waiting[i] == t {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			s.tidy(l)
			s.mu.Unlock()
			return nil, err
		}
	}
	s.mu.Unlock()
	s.leave(l) // it was given a place in this very moment
	return nil, err
}

// leave gives a place back and hands it on.
func (s *schedule) leave(l *lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	l.running--
	s.handOut()
	s.tidy(l)
}

// handOut gives free places to the lanes that wait, one each in turn.
func (s *schedule) handOut() {
	for passed := 0; s.free > 0 && passed < len(s.turn); {
		l := s.turn[0]
		s.turn = s.turn[1:]
		if !l.hasRoom() {
			s.turn = append(s.turn, l)
			passed++
			continue
		}
		passed = 0
		t := l.waiting[0]
		l.waiting = l.waiting[1:]
		s.free--
		l.running++
		close(t.ready)
		if len(l.waiting) > 0 {
			s.turn = append(s.turn, l)
		}
	}
}

// tidy forgets a lane that has nothing, and takes one that does not wait out of the turn.
func (s *schedule) tidy(l *lane) {
	if len(l.waiting) > 0 {
		return
	}
	for i := range s.turn {
		if s.turn[i] == l {
			s.turn = append(s.turn[:i:i], s.turn[i+1:]...)
			break
		}
	}
	if l.running == 0 && s.lanes[l.tenant.Name] == l {
		delete(s.lanes, l.tenant.Name)
	}
}

// counts is how many runs have a place, and how many wait.
func (s *schedule) counts() (running, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lanes {
		running += l.running
		waiting += len(l.waiting)
	}
	return running, waiting
}
