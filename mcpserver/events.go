package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

const (
	// maxEvents and maxEventBytes bound what is kept for one HTTP client that may come back for what it missed: the
	// answers of a few runs.
	maxEvents     = 256
	maxEventBytes = 16 << 20
	// maxAllBytes bounds it for all clients together; beyond it the oldest go first, whoever they are for.
	maxAllBytes = 256 << 20
)

// events keeps the last messages of HTTP clients' streams, so that a stream that broke can be resumed. It is mcp-go's
// server.EventStore with bounds.
type events struct {
	mu       sync.Mutex
	last     int64
	bytes    int
	order    []*kept // of all sessions, oldest first
	gone     int     // how many of order are
	sessions map[string]*sessionEvents
}

// sessionEvents is what is kept for one client, oldest first.
type sessionEvents struct {
	list  []*kept
	bytes int
}

type kept struct {
	id      int64
	session string
	stream  string
	message json.RawMessage
	gone    bool
}

func newEvents() *events { return &events{sessions: map[string]*sessionEvents{}} }

// StoreEvent implements server.EventStore.
func (e *events) StoreEvent(ctx context.Context, session, stream string, message json.RawMessage) (string, error) {
	if theirs, ok := ctx.Value(serverErrorKey{}).(*serverError); ok {
		message = theirs.into(message)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	one := &kept{id: e.last, session: session, stream: stream, message: append(json.RawMessage(nil), message...)}
	s := e.sessions[session]
	if s == nil {
		s = &sessionEvents{}
		e.sessions[session] = s
	}
	s.list = append(s.list, one)
	s.bytes += len(message)
	e.bytes += len(message)
	e.order = append(e.order, one)
	for len(s.list) > maxEvents || s.bytes > maxEventBytes && len(s.list) > 1 {
		e.drop(s)
	}
	for e.bytes > maxAllBytes && len(e.order) > 1 {
		e.drop(e.sessions[e.order[0].session]) // the first is never gone
	}
	return strconv.FormatInt(one.id, 10), nil
}

// drop forgets a session's oldest event.
func (e *events) drop(s *sessionEvents) {
	oldest := s.list[0]
	s.list = s.list[1:]
	s.bytes -= len(oldest.message)
	e.bytes -= len(oldest.message)
	oldest.gone, oldest.message = true, nil
	e.gone++
	for len(e.order) > 0 && e.order[0].gone {
		e.order, e.gone = e.order[1:], e.gone-1
	}
	if e.gone > len(e.order)/2+maxEvents { // behind one of a client that says nothing
		e.order = slices.DeleteFunc(e.order, func(one *kept) bool { return one.gone })
		e.gone = 0
	}
}

// ReplayEventsAfter implements server.EventStore.
func (e *events) ReplayEventsAfter(_ context.Context, session, lastID string, send func(id string, message json.RawMessage) error) (string, error) {
	last, err := strconv.ParseInt(lastID, 10, 64)
	if err != nil {
		return "", fmt.Errorf("%w: %q", server.ErrUnknownEventID, lastID)
	}
	stream, missed, ok := e.after(session, last)
	if !ok {
		return "", fmt.Errorf("%w: %s", server.ErrUnknownEventID, lastID)
	}
	for _, one := range missed {
		if err := send(strconv.FormatInt(one.id, 10), one.message); err != nil {
			return "", err
		}
	}
	return stream, nil
}

// after lists what came on the stream of an event after it.
func (e *events) after(session string, last int64) (stream string, missed []kept, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.sessions[session]
	if s == nil {
		return "", nil, false
	}
	for _, one := range s.list {
		switch {
		case one.id == last:
			stream, ok = one.stream, true
		case ok && one.stream == stream:
			missed = append(missed, *one)
		}
	}
	return stream, missed, ok
}

// PurgeSession implements server.EventStore.
func (e *events) PurgeSession(_ context.Context, session string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.sessions[session]; s != nil {
		for len(s.list) > 0 {
			e.drop(s)
		}
		delete(e.sessions, session)
	}
	return nil
}
