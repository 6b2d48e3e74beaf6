package upstream

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codemode-go/codemode/mcpserver/internal/lines"
	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

// pipe is the client's side of the stdio transport over two streams. A write never outlasts its context, a failed request
// says whether any of it was written, what is no JSON-RPC is skipped and logged, and a message that is too long costs
// the call that it answers and nothing else.
type pipe struct {
	in     io.WriteCloser
	out    io.ReadCloser
	log    *slog.Logger
	router *router

	frames chan *frame
	wg     sync.WaitGroup
	once   sync.Once
	closed chan struct{}

	mu     sync.Mutex
	reason string
}

// frame is one line on its way out.
type frame struct {
	data []byte
	// begun is set once the first byte may have gone out.
	begun atomic.Bool
}

// newPipe makes a link that writes lines to in and reads lines from out; it closes both.
func newPipe(in io.WriteCloser, out io.ReadCloser, log *slog.Logger) *pipe {
	p := &pipe{in: in, out: out, log: log, frames: make(chan *frame), closed: make(chan struct{})}
	p.router = newRouter(log, func(ctx context.Context, text []byte) {
		_, _ = p.send(ctx, text) // the connection may be gone
	})
	return p
}

// start implements link. The connection lives until it is closed, whatever becomes of the context.
func (p *pipe) start(_ context.Context, in inbound) error {
	p.router.in = in
	p.wg.Go(p.writeLoop)
	p.wg.Go(p.readLoop)
	return nil
}

func (p *pipe) agreed(string) {}

// hangUp ends the connection from our side. The read loop ends when the server closes its side, see close.
func (p *pipe) hangUp() { p.fail("closed") }

// close implements link, once the server has been stopped.
func (p *pipe) close() {
	p.hangUp()
	p.router.close()
	p.wg.Wait()
}

// fail ends the connection for the first reason that is given.
func (p *pipe) fail(reason string) {
	p.once.Do(func() {
		p.mu.Lock()
		p.reason = reason
		p.mu.Unlock()
		close(p.closed)
		p.in.Close()
	})
}

// why says what ended the connection.
func (p *pipe) why() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reason
}

// request implements link.
func (p *pipe) request(ctx context.Context, out *outgoing) (json.RawMessage, error) {
	text, err := out.envelope()
	if err != nil {
		return nil, err
	}
	answered := p.router.expect(out.id)
	defer p.router.forget(out.id)
	f, err := p.send(ctx, text)
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answered:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
	}
	select {
	case a := <-answered: // it came right before the end
		return a.result, a.err
	default:
	}
	if !f.begun.Load() {
		return nil, fmt.Errorf("%w: %s", errUnsent, p.why())
	}
	return nil, &lostAnswer{p.why()}
}

// notify implements link.
func (p *pipe) notify(ctx context.Context, method string, params any) error {
	text, err := notification(method, params)
	if err != nil {
		return err
	}
	_, err = p.send(ctx, text)
	return err
}

// send hands a message to the write loop. An error means that nothing of it was written.
func (p *pipe) send(ctx context.Context, text []byte) (*frame, error) {
	f := &frame{data: append(text, '\n')}
	select {
	case <-p.closed:
		return nil, fmt.Errorf("%w: %s", errUnsent, p.why())
	default:
	}
	select {
	case p.frames <- f:
		return f, nil
	case <-p.closed:
		return nil, fmt.Errorf("%w: %s", errUnsent, p.why())
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", errUnsent, ctx.Err())
	}
}

func (p *pipe) writeLoop() {
	for {
		select {
		case <-p.closed:
			return
		case f := <-p.frames:
			f.begun.Store(true)
			if n, err := p.in.Write(f.data); err != nil {
				f.begun.Store(n > 0)
				p.fail("it no longer reads its input")
				return
			}
		}
	}
}

func (p *pipe) readLoop() {
	defer p.out.Close()
	r := bufio.NewReaderSize(p.out, 64<<10)
	for {
		long := &longLine{pipe: p}
		line, err := lines.Read(r, maxMessage, long.over)
		p.router.receive(p.router.ctx, line)
		switch {
		case errors.Is(err, lines.ErrTooLong):
			long.end(false)
		case errors.Is(err, lines.ErrGivenUp):
			p.fail(fmt.Sprintf("it sent a message without an end: more than %d bytes, and the limit is %d", long.size, maxMessage))
			_, _ = io.Copy(io.Discard, r) // until it is stopped: a full pipe would block its way out
			return
		case err != nil:
			long.end(true)
			p.fail("it closed its output")
			return
		}
	}
}

const (
	// endless is the size past which a message is taken to have no end: the server can say nothing else meanwhile, so
	// its connection is given up.
	endless = 4 * maxMessage
	// patience is how long a message above maxMessage may still tell its size before the call that it answers fails.
	patience = time.Second
)

// longLine is a message above maxMessage while it comes in. The call that it answers fails with its size, or when that is
// not known soon, with how much there was.
type longLine struct {
	pipe  *pipe
	scan  message.Scanner
	timer *time.Timer

	mu   sync.Mutex
	size int64
	told bool
}

func (l *longLine) over(part []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scan.Feed(part)
	if l.size += int64(len(part)); l.size > maxMessage && l.timer == nil {
		l.timer = time.AfterFunc(patience, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.tell(true)
		})
	}
	if l.size > 2*maxMessage {
		l.tell(true)
	}
	return l.size <= endless
}

// end is the end of the line, or of the stream.
func (l *longLine) end(cut bool) {
	if l.timer == nil {
		return
	}
	l.timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell(cut)
	l.pipe.log.Warn("the server sent a message above the limit", "bytes", l.size, "limit", maxMessage)
}

// tell fails the call, once. An id behind the rest may not have come yet; then it is clear whom the message is for only
// when no more than one call waits.
func (l *longLine) tell(more bool) {
	id := l.scan.ID()
	if id == nil {
		var alone bool
		if id, alone = l.pipe.router.only(); !alone {
			return
		}
	}
	if !l.told {
		l.told = l.pipe.router.deliver(id, answer{err: &tooLarge{l.size, more}})
	}
}
