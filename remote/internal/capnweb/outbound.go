package capnweb

// settleImport takes the peer's answer to a call of ours, or the end of a promise of its own.
func (s *Session) settleImport(m message, size int, reject bool) error {
	s.mu.Lock()
	p, err := s.evaluate(m.expr)
	entry := s.imports[m.id]
	if err == nil && entry != nil && entry.holder != nil {
		err = entry.holder.count(max(int64(size), sizeOf(m.expr)))
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	if entry == nil || entry.promise == nil {
		s.mu.Unlock()
		p.uncharge() // the answer to a call that was given up
		p.setOff()
		p.dispose()
		return nil
	}
	settled := entry.promise
	over := false
	if entry.stubs == 0 {
		over = s.giveBack(m.id, entry)
	}
	s.mu.Unlock()
	if over {
		s.overflowed()
	}
	p.setOff()
	p.ready(func(err error) {
		if entry.holder != nil {
			entry.holder.takeOver(p)
		}
		p.uncharge()
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
