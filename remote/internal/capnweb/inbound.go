package capnweb

import "strconv"

// push evaluates an expression of the peer at once, in its place in the order.
func (s *Session) push(m message, size int) error {
	s.mu.Lock()
	e, p, err := s.admit(m, max(int64(size), sizeOf(m.expr)))
	s.mu.Unlock()
	if err != nil {
		return err
	}
	p.setOff()
	if m.kind == "stream" {
		e.promise.then(func() { s.answer(e) })
	}
	if ref, ok := m.expr.(ownRef); ok && ref.path != nil {
		return nil // the call settles the promise
	}
	p.ready(func(err error) {
		if err != nil {
			p.dispose()
		}
		p.uncharge()
		s.finish(e, p.value, err)
	})
	return nil
}

// admit gives a push its id and replaces the references in it. The mutex is held.
func (s *Session) admit(m message, size int64) (*export, *payload, error) {
	s.lastPush++
	if len(s.exports) >= s.limits.Table {
		return nil, nil, errLimit("more than %d calls and objects are held for the peer", s.limits.Table)
	}
	if s.held += size; s.held > s.limits.Held {
		return nil, nil, s.errHeld()
	}
	e := &export{id: s.lastPush, promise: &promise{}, refs: 1, stream: m.kind == "stream", pulled: m.kind == "stream", owns: true, size: size}
	s.exports[e.id] = e
	ref, ok := m.expr.(ownRef)
	if !ok || ref.path == nil {
		p, err := s.evaluate(m.expr)
		return e, p, err
	}
	p := &payload{session: s}
	target := s.exports[ref.id]
	if target == nil || target == e {
		return nil, nil, newError("Error", "", "no such entry on exports table: %d", ref.id)
	}
	_, err := s.reach(p, target, ref, e)
	return e, p, err
}

// pipe takes the id of a stream's writable end. Whatever is called on it rejects.
func (s *Session) pipe() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastPush++
	if len(s.exports) >= s.limits.Table {
		return errLimit("more than %d calls and objects are held for the peer", s.limits.Table)
	}
	s.exports[s.lastPush] = &export{id: s.lastPush, promise: rejected(errUnsupported("pipe")), refs: 1, finished: true}
	return nil
}

// pull asks for the answer of a call.
func (s *Session) pull(id int64) error {
	s.mu.Lock()
	e := s.exports[id]
	if e == nil || id <= 0 {
		s.mu.Unlock()
		return newError("Error", "", "no such export ID: %d", id)
	}
	again := e.pulled
	e.pulled = true
	s.mu.Unlock()
	if !again {
		e.promise.then(func() { s.answer(e) })
	}
	return nil
}

// release gives back what the peer was lent.
func (s *Session) release(id, n int64) error {
	s.mu.Lock()
	e := s.exports[id]
	switch {
	case e == nil || id == 0:
		s.mu.Unlock()
		return newError("Error", "", "no such export ID: %d", id)
	case n < 1 || e.refs < n:
		s.mu.Unlock()
		return newError("Error", "", "refcount would go negative: %d < %d", e.refs, n)
	}
	e.refs -= n
	if e.refs > 0 {
		s.mu.Unlock()
		return nil
	}
	cancel := s.drop(e)
	s.mu.Unlock()
	cancel()
	return nil
}

// drop takes an export off the table. What it returns is called without the mutex: it ends a call whose answer was
// waited for, and gives back the stubs in the value.
func (s *Session) drop(e *export) func() {
	delete(s.exports, e.id)
	e.released = true
	if e.finished {
		s.held -= e.size
	}
	cancel := e.cancel
	if !e.pulled {
		cancel = nil // pushed and released without a pull: the peer wants the call and not its answer
	}
	return func() {
		s.disposed(e)
		if cancel != nil {
			cancel()
		}
		if e.owns {
			e.promise.then(func() {
				value, _ := e.promise.result()
				Dispose(value)
				if !e.pulled {
					s.unsent(value)
				}
			})
		}
	}
}

// disposed tells an object of ours that the peer no longer has it.
func (s *Session) disposed(e *export) {
	if e.dispose != nil {
		s.runs.Go(func() {
			defer func() { _ = recover() }() // nobody is there to be told
			e.dispose()
		})
	}
}

// answer sends a settled call's result.
func (s *Session) answer(e *export) {
	value, failure := e.promise.result()
	s.mu.Lock()
	over, after := false, func() {}
	sent := s.err == nil && !e.released
	if sent {
		var text []byte
		text, sent = s.answerMessage(e.id, value, failure)
		over = s.enqueue(text)
		if e.stream {
			after = s.drop(e)
		}
	}
	s.mu.Unlock()
	after()
	if !sent {
		s.unsent(value)
	}
	if over {
		s.overflowed()
	}
}

// unsent tells what a value wanted to pass that it never got there.
func (s *Session) unsent(value any) {
	switch v := value.(type) {
	case Disposable:
		s.runs.Go(v.Dispose)
	case []any:
		for _, item := range v {
			s.unsent(item)
		}
	case Object:
		for _, m := range v {
			s.unsent(m.Value)
		}
	}
}

// roomFor is about how long a message with a value is.
func roomFor(v any) int {
	size := int(sizeOf(v))
	return 128 + size + size/32
}

// answerMessage encodes an answer; one that cannot cross rejects its call, and sent says so. The mutex is held.
func (s *Session) answerMessage(id int64, value any, failure error) (text []byte, sent bool) {
	attempt := func(kind string, v any) ([]byte, error) {
		pass := &passing{session: s}
		e := &encoder{b: make([]byte, 0, roomFor(v)), table: pass}
		e.b = append(strconv.AppendInt(append(e.b, `["`+kind+`",`...), id, 10), ',')
		err := e.value(v, 0)
		e.b = append(e.b, ']')
		if err == nil {
			err = s.fits(e.b)
		}
		if err != nil {
			pass.undo()
		}
		return e.b, err
	}
	if failure == nil {
		text, err := attempt("resolve", value)
		if err == nil {
			return text, true
		}
		failure = err
	}
	text, err := attempt("reject", failure)
	if err != nil {
		text, _ = attempt("reject", newError("Error", "", "the call failed, and its error cannot cross: %s", cut(err.Error(), shown)))
	}
	return text, false
}
