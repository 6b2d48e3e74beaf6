package capnweb

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// invocation is a call of the peer, or a property that it reads.
type invocation struct {
	session *Session
	ref     ownRef
	args    *payload
	// entry is where the result is kept; nil for a call inside another expression, which has promise alone, and counts what it
	// comes to in outer.
	entry   *export
	promise *promise
	outer   *payload
}

// reach prepares what a path with or without arguments stands for. The mutex is held.
func (s *Session) reach(p *payload, target *export, ref ownRef, entry *export) (*promise, error) {
	i := &invocation{session: s, ref: ref, entry: entry, promise: &promise{}, outer: p}
	if entry != nil {
		i.promise = entry.promise
	}
	var err error
	if i.args, err = s.evaluate(ref.args); err != nil {
		return nil, err
	}
	if s.calls >= s.limits.Calls {
		return nil, errLimit("more than %d calls at one time", s.limits.Calls)
	}
	s.calls++
	held := target.promise
	p.calls = append(p.calls, func() {
		i.args.setOff()
		held.then(func() { i.resolveTarget(held) })
	})
	return i.promise, nil
}

// callLocal calls what came back to us, as the peer would.
func (s *Session) callLocal(held *promise, path, args []any) *promise {
	i := &invocation{session: s, ref: ownRef{path: path, call: true}, promise: &promise{}}
	shared, err := s.share(args)
	if err != nil {
		return rejected(err)
	}
	i.args = &payload{session: s, value: shared}
	eachStub(shared, func(st *Stub) { i.args.stubs = append(i.args.stubs, st) })
	s.mu.Lock()
	s.calls++
	s.mu.Unlock()
	held.then(func() { i.resolveTarget(held) })
	return i.promise
}

func (i *invocation) resolveTarget(held *promise) {
	target, err := held.result()
	if err != nil {
		i.end(nil, err)
		return
	}
	i.args.ready(func(err error) {
		if err != nil {
			i.end(nil, err)
			return
		}
		i.begin(target)
	})
}

// begin finds what is called and calls it, in its place in the order.
func (i *invocation) begin(target any) {
	callee, rest, err := follow(target, i.ref.path)
	switch {
	case err != nil:
		i.end(nil, err)
		return
	case !i.ref.call && len(rest) == 0:
		var value any
		if err = i.chargeOuter(callee); err == nil {
			value, err = i.session.share(callee)
		}
		i.end(value, err)
		return
	}
	args, _ := i.args.value.([]any) // always a list: see parser.items
	var run Run
	switch callee := callee.(type) {
	case Func:
		run, err = begin(callee, args)
	case *Stub:
		run = forward(callee, rest, args)
	default:
		err = typeError("'%s' is not a function.", pathText(i.ref.path))
	}
	if err != nil {
		i.end(nil, err)
		return
	}
	i.run(run)
}

// begin calls f; a panic rejects the call alone.
func begin(f Func, args []any) (run Run, err error) {
	defer func() {
		if p := recover(); p != nil {
			run, err = nil, errPanicked
		}
	}()
	return f(args), nil
}

var errPanicked = newError("Error", "", "the method failed inside")

// forward calls the peer's object on the peer's behalf.
func forward(st *Stub, path, args []any) Run {
	pending, err := st.start(path, args)
	return func(ctx context.Context) (any, error) {
		if err != nil {
			return nil, err
		}
		return pending.Wait(ctx)
	}
}

// run gives the rest of the call its goroutine.
func (i *invocation) run(run Run) {
	s := i.session
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	if i.entry != nil {
		i.entry.cancel = cancel
		if i.entry.released && i.entry.pulled {
			cancel()
		}
	}
	s.mu.Unlock()
	s.runs.Go(func() {
		defer cancel()
		var value any
		var err error = errPanicked // of one that ends its goroutine
		defer func() { i.end(value, err) }()
		value, err = guarded(ctx, run)
		if err == nil {
			if err = i.chargeOuter(value); err != nil {
				s.unsent(value)
			}
		}
	})
}

// chargeOuter counts the result of a call inside another expression.
func (i *invocation) chargeOuter(value any) error {
	if i.entry != nil || i.outer == nil {
		return nil
	}
	return i.outer.charge(sizeOf(value))
}

func guarded(ctx context.Context, run Run) (value any, err error) {
	defer func() {
		if p := recover(); p != nil {
			value, err = nil, errPanicked
		}
	}()
	return run(ctx)
}

// end gives back the parameters' stubs, and then settles the call.
func (i *invocation) end(value any, err error) {
	i.args.dispose()
	i.args.uncharge()
	if err != nil {
		value = nil // it may be a nil pointer of some kind
	}
	s := i.session
	if i.entry == nil {
		i.promise.settle(value, err)
	} else {
		s.finish(i.entry, value, err)
	}
	s.mu.Lock()
	s.calls-- // once its answer is on its way
	last := s.retired && s.calls == 0
	s.mu.Unlock()
	if last {
		s.End()
	}
}

// finish settles an export and counts what its value holds.
func (s *Session) finish(e *export, value any, err error) {
	s.mu.Lock()
	e.finished = true
	over := false
	if e.released {
		s.held -= e.size
	} else {
		size := sizeOf(value)
		e.size += size
		s.held += size
		over = s.held > s.limits.Held
	}
	s.mu.Unlock()
	if !e.promise.settle(value, err) {
		s.unsent(value)
	}
	if over {
		s.Abort(s.errHeld())
	}
}

func (s *Session) errHeld() error { return errLimit("calls hold more than %d bytes", s.limits.Held) }

// sizeOf is about how many bytes a value holds, with what holds the value.
func sizeOf(v any) int64 {
	const box = 32
	switch v := v.(type) {
	case json.RawMessage:
		return box + int64(len(v))
	case string:
		return box + int64(len(v))
	case []byte:
		return box + int64(len(v))
	case TypedBytes:
		return box + int64(len(v.Data))
	case []any:
		total := int64(box)
		for _, item := range v {
			total += sizeOf(item)
		}
		return total
	case Object:
		total := int64(box)
		for _, m := range v {
			total += int64(len(m.Key)) + sizeOf(m.Value)
		}
		return total
	case *Error:
		return box + int64(len(v.Name)+len(v.Message)+len(v.Stack)) + sizeOf(v.Props)
	case ownRef:
		return box + sizeOf(v.path) + sizeOf(v.args)
	}
	return box
}

// follow reads a path of properties. What is left of the path begins at an object of the peer's.
func follow(value any, path []any) (any, []any, error) {
	for i, part := range path {
		name := fmt.Sprint(part)
		switch v := value.(type) {
		case Target:
			value = Undefined{}
			if f, ok := v[name]; ok {
				value = f
			}
		case *Stub:
			return v, path[i:], nil
		case Object:
			member, ok := v.Get(name)
			if !ok {
				member = Undefined{}
			}
			value = member
		case []any:
			index, err := strconv.Atoi(name)
			if err != nil || index < 0 || index >= len(v) {
				value = Undefined{}
			} else {
				value = v[index]
			}
		case json.RawMessage:
			next, err := property(v, name)
			if err != nil {
				return nil, nil, err
			}
			value = next
		case nil, Undefined:
			return nil, nil, unreadable(v, name)
		default:
			value = Undefined{}
		}
	}
	return value, nil, nil
}

func unreadable(v any, name string) error {
	word := "undefined"
	if v == nil {
		word = "null"
	}
	return typeError("Cannot read properties of %s (reading '%s')", word, name)
}

// property reads a member of JSON text, which stays a part of it.
func property(text json.RawMessage, name string) (found any, err error) {
	found = Undefined{}
	switch text[0] {
	case '{':
		err = eachMember(text, func(key string, value json.RawMessage) {
			if key == name {
				found = value // the last of them
			}
		})
	case '[':
		wanted, notIndex := strconv.Atoi(name)
		if notIndex != nil {
			break
		}
		err = eachMember(text, func(_ string, value json.RawMessage) {
			if wanted--; wanted == -1 {
				found = value
			}
		})
	case 'n':
		err = unreadable(nil, name)
	}
	return found, err
}
