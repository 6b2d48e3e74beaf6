package capnweb

import "time"

// queue is what waits to be written.
type queue struct {
	messages [][]byte
	bytes    int64 // of messages, and of those the writer has in hand
	wake     chan struct{}
	last     farewell
}

// enqueue adds a message. The session's mutex is held. It reports whether the queue is over its bound.
func (s *Session) enqueue(text []byte) bool {
	s.out.messages = append(s.out.messages, text)
	s.out.bytes += int64(len(text))
	select {
	case s.out.wake <- struct{}{}:
	default:
	}
	return s.out.bytes > s.limits.Queued
}

// overflowed ends the session of a peer that does not read. The mutex is not held.
func (s *Session) overflowed() {
	s.Abort(errLimit("more than %d bytes wait for a peer that does not read", s.limits.Queued))
}

// write sends what is queued, until the session ends and its farewell is said.
func (s *Session) write() {
	defer func() {
		s.transport.close()
		if hurry := s.hurry.Load(); hurry != nil {
			hurry.Stop()
		}
	}()
	for {
		select {
		case <-s.out.wake:
			if err := s.flush(); err != nil {
				s.fail(err, farewell{})
				return
			}
		case <-s.broken:
			s.farewell()
			return
		}
	}
}

// ping pings, beside the writer: a peer that takes its time over a large message is not dead.
func (s *Session) ping() {
	if s.limits.PingInterval <= 0 {
		return
	}
	ticker := time.NewTicker(s.limits.PingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := s.transport.ping(); err != nil {
				s.fail(err, farewell{})
				return
			}
		case <-s.broken:
			return
		}
	}
}

// flush writes the queue until it is empty.
func (s *Session) flush() error {
	for {
		s.mu.Lock()
		messages := s.out.messages
		s.out.messages = nil
		s.mu.Unlock()
		if len(messages) == 0 {
			return s.transport.flush()
		}
		for _, text := range messages {
			if err := s.transport.write(text); err != nil {
				return err
			}
			s.mu.Lock()
			s.out.bytes -= int64(len(text))
			s.mu.Unlock()
		}
	}
}

// farewell sends what is left, the abort and the close frame. fail has seen to it that all that ends within CloseTimeout.
func (s *Session) farewell() {
	s.mu.Lock()
	last := s.out.last
	s.mu.Unlock()
	if last.code == 0 {
		return // the transport is broken
	}
	if s.flush() != nil {
		return
	}
	if last.abort != nil {
		e := &encoder{b: []byte(`["abort",`)}
		if err := e.value(last.abort, 0); err == nil {
			if s.transport.write(append(e.b, ']')) != nil || s.transport.flush() != nil {
				return
			}
		}
	}
	s.transport.farewell(last.code, closeReason(last.reason))
}

// closeReason fits a reason into a close frame.
func closeReason(reason string) string { return cut(reason, 123) }
