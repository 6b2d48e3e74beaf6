package capnweb

// message is one message of the peer.
type message struct {
	kind string
	// id is the first number, n a release's count.
	id, n int64
	// expr is the expression of push, stream, resolve, reject and abort, with references in it.
	expr any
}

// parseMessage reads one message. What follows the parts it knows is ignored.
func parseMessage(text []byte) (message, error) {
	p, err := newParser(text)
	if err != nil {
		return message{}, err
	}
	bad := func() error { return newError("Error", "", "bad RPC message: %s", p.excerpt(0)) }
	var m message
	if p.next() != '[' {
		if err := p.skip(0); err != nil {
			return m, err
		}
		return m, bad()
	}
	p.pos++
	if p.next() != '"' {
		return m, bad()
	}
	if m.kind, err = p.text(); err != nil {
		return m, err
	}
	id, n, expr, known := shape(m.kind)
	if !known {
		return m, bad()
	}
	for _, part := range []struct {
		wanted bool
		into   *int64
	}{{id, &m.id}, {n, &m.n}} {
		if !part.wanted {
			continue
		}
		if p.comma() != nil {
			return m, bad()
		}
		if *part.into, err = p.integer(); err != nil {
			return m, bad()
		}
	}
	if expr {
		if p.comma() != nil {
			return m, bad()
		}
		value, err := p.value(0)
		if err != nil {
			return m, err
		}
		m.expr = p.cutOut(value)
	}
	if err := p.rest(); err != nil {
		return m, err
	}
	if p.next() != 0 || p.pos < len(p.in) {
		return m, p.syntax("Unexpected text after the message")
	}
	return m, nil
}

// shape says which parts a kind of message has.
func shape(kind string) (id, n, expr, known bool) {
	switch kind {
	case "push", "stream", "abort":
		return false, false, true, true
	case "pull":
		return true, false, false, true
	case "resolve", "reject":
		return true, false, true, true
	case "release":
		return true, true, false, true
	case "pipe":
		return false, false, false, true
	}
	return false, false, false, false
}
