package capnweb

import "fmt"

// payload is a value of the peer's with its references replaced, but for promises still to be filled in.
type payload struct {
	session *Session
	value   any
	stubs   []*Stub
	slots   []slot
	// calls sets off what the expression calls, in order, once the mutex is free.
	calls []func()
	// copied is what copies of other values and results of calls inside count for in the session's held; the session's mutex
	// guards it. over: they count no more.
	copied int64
	over   bool
}

// slot is a place in a payload for what a promise comes to.
type slot struct {
	promise *promise
	put     func(any)
	// borrowed: the value stays its owner's, and stubs in it are duplicated.
	borrowed bool
}

// evaluate replaces the references in an expression. The mutex is held. An error ends the session.
func (s *Session) evaluate(expr any) (*payload, error) {
	p := &payload{session: s}
	value, err := s.replace(p, expr, func(v any) { p.value = v })
	p.value = value
	return p, err
}

// replace gives what stands for v, and notes in the payload what put has to fill in later.
func (s *Session) replace(p *payload, v any, put func(any)) (any, error) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			item, err := s.replace(p, v[i], func(item any) { v[i] = item })
			if err != nil {
				return nil, err
			}
			v[i] = item
		}
	case Object:
		for i := range v {
			item, err := s.replace(p, v[i].Value, func(item any) { v[i].Value = item })
			if err != nil {
				return nil, err
			}
			v[i].Value = item
		}
	case *Error:
		_, err := s.replace(p, v.Props, nil)
		return v, err
	case exportRef:
		st, err := s.importStub(int64(v))
		if err != nil {
			return nil, err
		}
		p.stubs = append(p.stubs, st)
		return st, nil
	case promiseRef:
		ended, err := s.importPromise(p, int64(v))
		if err != nil {
			return nil, err
		}
		p.slots = append(p.slots, slot{promise: ended, put: put})
	case ownRef:
		return s.replaceOwn(p, v, put)
	case unsupported:
		return nil, s.replaceUnsupported(p, v, put)
	}
	return v, nil
}

func (s *Session) replaceOwn(p *payload, ref ownRef, put func(any)) (any, error) {
	e := s.exports[ref.id]
	if e == nil {
		return nil, newError("Error", "", "no such entry on exports table: %d", ref.id)
	}
	held := e.promise
	if ref.path != nil {
		var err error
		if held, err = s.reach(p, e, ref, nil); err != nil {
			return nil, err
		}
	} else if ref.stub {
		return &Stub{session: s, local: held}, nil
	}
	p.slots = append(p.slots, slot{promise: held, put: put, borrowed: ref.path == nil})
	return nil, nil
}

// replaceUnsupported makes the value a rejected promise, and gives back what came inside it.
func (s *Session) replaceUnsupported(p *payload, u unsupported, put func(any)) error {
	for _, inner := range u.inner {
		st, err := s.importStub(int64(inner.(exportRef)))
		if err != nil {
			return err
		}
		p.stubs = append(p.stubs, st)
	}
	p.slots = append(p.slots, slot{promise: rejected(errUnsupported(u.tag)), put: put})
	return nil
}

func errUnsupported(tag string) error {
	return newError("TypeError", CodeUnsupported, "Cap'n Web %s is not supported by this peer", tag)
}

// importStub makes a stub of the peer's object, which may have been introduced before.
func (s *Session) importStub(id int64) (*Stub, error) {
	entry, err := s.introduce(id)
	if err != nil {
		return nil, err
	}
	entry.stubs++
	return &Stub{session: s, id: id}, nil
}

func (s *Session) importPromise(p *payload, id int64) (*promise, error) {
	entry, err := s.introduce(id)
	if err != nil {
		return nil, err
	}
	if entry.promise == nil {
		entry.promise, entry.holder = &promise{}, p
	}
	return entry.promise, nil
}

func (s *Session) introduce(id int64) (*imported, error) {
	if id >= 0 {
		return nil, newError("Error", "", "an export's id must be negative, got %d", id)
	}
	entry := s.imports[id]
	if entry == nil {
		if len(s.imports) >= s.limits.Table {
			return nil, errLimit("more than %d objects of the peer are held", s.limits.Table)
		}
		entry = &imported{}
		s.imports[id] = entry
	}
	entry.introduced++
	return entry, nil
}

// ready calls f once every promise in the payload has its place filled in, with the error of one that rejected. The
// mutex is not held.
func (p *payload) ready(f func(err error)) {
	if len(p.slots) == 0 {
		f(nil)
		return
	}
	next := p.slots[0]
	p.slots = p.slots[1:]
	next.promise.then(func() {
		value, err := next.promise.result()
		if err != nil {
			f(err)
			return
		}
		if next.borrowed {
			if err = p.charge(sizeOf(value)); err == nil {
				value, err = p.session.share(value)
			}
			if err != nil {
				f(err)
				return
			}
		}
		eachStub(value, func(st *Stub) { p.stubs = append(p.stubs, st) })
		next.put(value)
		p.ready(f)
	})
}

// setOff begins the calls in the expression. The mutex is not held.
func (p *payload) setOff() {
	for _, call := range p.calls {
		call()
	}
	p.calls = nil
}

// charge counts what a payload comes to hold beside its own message: a few bytes may name a large value, and more than once. A
// session whose calls hold too much ends, before there is a copy. The mutex is not held.
func (p *payload) charge(size int64) error {
	p.session.mu.Lock()
	err := p.count(size)
	p.session.mu.Unlock()
	if err != nil {
		p.session.Abort(err)
	}
	return err
}

// count is charge for who holds the mutex, and ends the session on an error.
func (p *payload) count(size int64) error {
	s := p.session
	switch {
	case p.over:
	case s.held+size > s.limits.Held:
		return s.errHeld()
	default:
		s.held += size
		p.copied += size
	}
	return nil
}

// uncharge ends what charge has begun: the value counts elsewhere, or is not needed any more. The mutex is not held.
func (p *payload) uncharge() {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	p.session.held -= p.copied
	p.copied, p.over = 0, true
}

// takeOver counts what other has until now. The mutex is not held.
func (p *payload) takeOver(other *payload) {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	if !p.over {
		p.copied += other.copied
		other.copied = 0
	}
}

// dispose gives back the stubs that came with the payload.
func (p *payload) dispose() {
	for _, st := range p.stubs {
		st.Dispose()
	}
}

// share gives a value to a second owner: what is ours becomes a stub, stubs of the peer's are duplicated.
func (s *Session) share(value any) (any, error) {
	switch v := value.(type) {
	case Func, Target:
		return &Stub{session: s, local: resolved(v)}, nil
	case *Stub:
		return v.Dup()
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var err error
			if list[i], err = s.share(v[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case Object:
		object := make(Object, len(v))
		for i, m := range v {
			item, err := s.share(m.Value)
			if err != nil {
				return nil, err
			}
			object[i] = Member{Key: m.Key, Value: item}
		}
		return object, nil
	}
	return value, nil
}

// pathText is a path as npm capnweb shows it.
func pathText(path []any) string {
	text := ""
	for i, part := range path {
		if i > 0 {
			text += "."
		}
		text += fmt.Sprint(part)
	}
	return text
}
