package capnweb

// settleImport takes the peer's answer to a call of ours, or the end of a promise of its own.
func (s *Session) settleImport(id int64, expr any, reject bool) error {
	s.mu.Lock()
	p, err := s.evaluate(expr)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	entry := s.imports[id]
	if entry == nil || entry.promise == nil {
		s.mu.Unlock()
		p.setOff()
		p.dispose() // the answer to a call that was given up
		return nil
	}
	settled := entry.promise
	over := false
	if entry.stubs == 0 {
		over = s.giveBack(id, entry)
	}
	s.mu.Unlock()
	if over {
		s.overflowed()
	}
	p.setOff()
	p.ready(func(err error) {
		switch {
		case err != nil:
			p.dispose()
			settled.settle(nil, err)
		case reject:
			settled.settle(nil, asError(p.value))
		default:
			settled.settle(p.value, nil)
		}
	})
	return nil
}
