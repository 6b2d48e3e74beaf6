package capnweb

import (
	"context"
	"errors"
	"strconv"
)

// Stub is an object of the peer, or one of ours that came back.
type Stub struct {
	session *Session
	id      int64
	spent   bool // under the session's mutex
	// local is what came back, or a promise of it.
	local *promise
}

var errSpent = errors.New("this stub was already disposed")

// Dup makes another stub of the same object, which lives until its own Dispose.
func (st *Stub) Dup() (*Stub, error) {
	if st.local != nil {
		return st, nil
	}
	s := st.session
	s.mu.Lock()
	defer s.mu.Unlock()
	entry, err := s.entry(st)
	if err != nil {
		return nil, err
	}
	entry.stubs++
	return &Stub{session: s, id: st.id}, nil
}

// Dispose gives the object back. Calls through the stub fail from then on; those on their way go on.
func (st *Stub) Dispose() {
	if st.local != nil || st.id == 0 {
		return
	}
	s := st.session
	s.mu.Lock()
	entry, err := s.entry(st)
	over := false
	if err == nil {
		st.spent = true
		if entry.stubs--; entry.stubs == 0 {
			over = s.giveBack(st.id, entry)
		}
	}
	s.mu.Unlock()
	if over {
		s.overflowed()
	}
}

// entry is the stub's place in the table. The mutex is held.
func (s *Session) entry(st *Stub) (*imported, error) {
	if s.err != nil {
		return nil, s.err
	}
	entry := s.imports[st.id]
	if st.spent || entry == nil {
		return nil, errSpent
	}
	return entry, nil
}

// giveBack releases an import. The mutex is held.
func (s *Session) giveBack(id int64, entry *imported) (over bool) {
	delete(s.imports, id)
	return s.enqueue(releaseMessage(id, entry.introduced))
}

func releaseMessage(id, n int64) []byte {
	b := strconv.AppendInt([]byte(`["release",`), id, 10)
	return append(strconv.AppendInt(append(b, ','), n, 10), ']')
}

// Call calls a method, or with an empty name the function itself, and waits for the answer. When ctx ends first the
// peer is told that nobody waits, and may or may not stop. Stubs in the answer belong to the caller: see Dispose.
func (st *Stub) Call(ctx context.Context, method string, args ...any) (any, error) {
	pending, err := st.Start(method, args...)
	if err != nil {
		return nil, err
	}
	return pending.Wait(ctx)
}

// Pending is a call on its way.
type Pending struct {
	session *Session
	id      int64
	promise *promise
}

// Start queues a call, so that calls arrive in the order of their Start, and does not wait. It fails when the arguments
// cannot cross, when the stub is spent and when the session has ended. Wait must follow.
func (st *Stub) Start(method string, args ...any) (*Pending, error) {
	var path []any
	if method != "" {
		path = []any{method}
	}
	return st.start(path, args)
}

func (st *Stub) start(path, args []any) (*Pending, error) {
	if st.local != nil {
		return &Pending{promise: st.session.callLocal(st.local, path, args)}, nil
	}
	s := st.session
	s.mu.Lock()
	pending, over, err := s.pushCall(st, path, args)
	s.mu.Unlock()
	if over {
		s.overflowed()
	}
	return pending, err
}

// pushCall encodes a call, gives it its id and queues it, all under the mutex: the peer counts pushes.
func (s *Session) pushCall(st *Stub, path, args []any) (pending *Pending, over bool, err error) {
	if _, err := s.entry(st); err != nil {
		return nil, false, err
	}
	if len(s.imports) >= s.limits.Table {
		return nil, false, errLimit("more than %d calls and objects of the peer are held", s.limits.Table)
	}
	pass := &passing{session: s}
	e := &encoder{b: make([]byte, 0, roomFor(args)), table: pass}
	e.b = append(strconv.AppendInt(append(e.b, `["push",["pipeline",`...), st.id, 10), ',', '[')
	for i, part := range path {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		switch part := part.(type) {
		case string:
			e.text(part)
		case int:
			e.b = strconv.AppendInt(e.b, int64(part), 10)
		}
	}
	e.b = append(e.b, ']', ',')
	err = e.plainList(args, 0)
	e.b = append(e.b, ']', ']')
	if err == nil {
		err = s.fits(e.b)
	}
	if err != nil {
		pass.undo()
		return nil, false, err
	}
	s.lastImport++
	id := s.lastImport
	p := &promise{}
	s.imports[id] = &imported{introduced: 1, promise: p}
	s.enqueue(e.b)
	over = s.enqueue(append(strconv.AppendInt([]byte(`["pull",`), id, 10), ']'))
	return &Pending{session: s, id: id, promise: p}, over, nil
}

// fits checks a message's size before it ends the session at the peer.
func (s *Session) fits(text []byte) error {
	if len(text) <= s.limits.Message {
		return nil
	}
	return newError("RangeError", CodeTooLarge, "the message has %d bytes, and a session carries at most %d", len(text), s.limits.Message)
}

// Wait waits for the answer. It must be called once.
func (p *Pending) Wait(ctx context.Context) (any, error) {
	done := make(chan struct{})
	p.promise.then(func() { close(done) })
	select {
	case <-done:
		return p.promise.result()
	case <-ctx.Done():
		p.giveUp()
		return nil, context.Cause(ctx)
	}
}

// giveUp tells the peer that nobody waits, and disposes of an answer that comes all the same.
func (p *Pending) giveUp() {
	if p.session != nil {
		s := p.session
		s.mu.Lock()
		over := false
		if entry := s.imports[p.id]; entry != nil && s.err == nil {
			over = s.giveBack(p.id, entry)
		}
		s.mu.Unlock()
		if over {
			s.overflowed()
		}
	}
	p.promise.then(func() {
		value, _ := p.promise.result()
		Dispose(value)
	})
}

// Dispose disposes of every stub in a value.
func Dispose(value any) {
	eachStub(value, func(st *Stub) { st.Dispose() })
}

func eachStub(value any, visit func(*Stub)) {
	switch v := value.(type) {
	case *Stub:
		visit(v)
	case []any:
		for _, item := range v {
			eachStub(item, visit)
		}
	case Object:
		for _, m := range v {
			eachStub(m.Value, visit)
		}
	case *Error:
		eachStub(v.Props, visit)
	}
}

// passing gives ids to what one message passes by reference, and takes them back when it is not sent.
type passing struct {
	session *Session
	ids     []int64
}

// export gives each occurrence an id of its own: npm capnweb releases an id once, however often it was introduced.
func (p *passing) export(object any) (int64, error) {
	s := p.session
	if len(s.exports) >= s.limits.Table {
		return 0, errLimit("more than %d calls and objects are held for the peer", s.limits.Table)
	}
	e := &export{refs: 1, finished: true}
	switch v := object.(type) {
	case *promise:
		e.promise = v
	case Disposable:
		e.promise, e.dispose = resolved(v.Func), v.Dispose
	default:
		e.promise = resolved(v)
	}
	s.lastExport--
	e.id = s.lastExport
	s.exports[e.id] = e
	p.ids = append(p.ids, s.lastExport)
	return s.lastExport, nil
}

func (p *passing) own(st *Stub) (int64, error) {
	if st.session != p.session {
		return 0, typeError("a stub of another session cannot cross")
	}
	if _, err := p.session.entry(st); err != nil {
		return 0, err
	}
	return st.id, nil
}

func (p *passing) undo() {
	for _, id := range p.ids {
		p.session.disposed(p.session.exports[id])
		delete(p.session.exports, id)
	}
}
