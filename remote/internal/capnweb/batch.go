package capnweb

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// batch is a connection that writes short messages together: a call is two of them, and a system call for each would take
// longer than the rest of it, on either side. Between hold and flush it keeps what it is given, up to batchBytes.
type batch struct {
	net.Conn

	mu      sync.Mutex
	holding bool
	held    []byte
}

// batchBytes is what is held back at most. An idle connection has no memory for it.
const batchBytes = 16 << 10

// batches are lent to connections while they write.
var batches = sync.Pool{New: func() any { return new([batchBytes]byte) }}

func (b *batch) hold() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holding = true
}

// Write holds back or writes. Control messages come from other goroutines than the writer's.
func (b *batch) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.holding {
		return b.Conn.Write(p)
	}
	if len(b.held)+len(p) > batchBytes {
		if err := b.send(); err != nil {
			return 0, err
		}
	}
	if len(p) > batchBytes {
		return b.Conn.Write(p)
	}
	if b.held == nil {
		b.held = batches.Get().(*[batchBytes]byte)[:0]
	}
	b.held = append(b.held, p...)
	return len(p), nil
}

// flush writes what is held, for which the peer has so much time, and ends the holding.
func (b *batch) flush(patience time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holding = false
	if len(b.held) == 0 {
		return nil
	}
	if err := b.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	return b.send()
}

// send writes what is held; b.mu is.
func (b *batch) send() error {
	if len(b.held) == 0 {
		return nil
	}
	_, err := b.Conn.Write(b.held)
	batches.Put((*[batchBytes]byte)(b.held[:batchBytes]))
	b.held = nil
	return err
}

// hijacker hands out the connection of a request as a batch.
type hijacker struct {
	http.ResponseWriter
	batch *batch
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	inner, ok := h.ResponseWriter.(http.Hijacker)
	if !ok {
		return nil, nil, errors.New("the connection cannot be taken over")
	}
	conn, buffers, err := inner.Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.batch = &batch{Conn: conn}
	return h.batch, buffers, nil
}
