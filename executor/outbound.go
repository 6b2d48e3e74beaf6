package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// outbound is one outbound request of a program, on its way. Bodies stream: neither direction has more than a chunk here
// at one time.
type outbound struct {
	run    *run
	call   *call
	header wire.FetchHeader
	inline []byte // the body, when it came with the head

	ctx    context.Context // ends with the run, and when the program wants no more
	cancel context.CancelFunc
	pulled chan struct{} // holds the program's wish for more of the response
	parts  chan bodyPart // holds the part of the request's body that was asked for
	round  int           // of readings of the body; only the goroutine that performs the request counts it up
}

// fetch takes a Fetch frame: an outbound request of the program, or a step of one.
func (r *run) fetch(frame wire.Frame) error {
	if len(frame.Fields) != 3 {
		return fmt.Errorf("%w: %d fields of a fetch", errMalformed, len(frame.Fields))
	}
	var header wire.FetchHeader
	if err := json.Unmarshal(frame.Fields[1], &header); err != nil {
		return fmt.Errorf("%w: header of a fetch: %v", errMalformed, err)
	}
	if header.Step != "" {
		return r.step(string(frame.Fields[0]), header, frame.Fields[2])
	}
	// A request stops the run clock only when the caller performs it.
	stops := r.plan.outbound.Mode() == protocol.OutboundStub
	c, err := r.accept(frame, protocol.Call{Tool: clip("fetch "+header.URL, nameBytes)}, stops)
	if c == nil {
		return err
	}
	o := &outbound{run: r, call: c, header: header, inline: frame.Fields[2], pulled: make(chan struct{}, 1), parts: make(chan bodyPart, 1)}
	o.ctx, o.cancel = context.WithCancel(protocol.WithAdmission(r.calls.requests, c.admit))
	r.mu.Lock()
	c.outbound = o
	r.mu.Unlock()
	r.pool.goCall(func() { r.serve(c, func(context.Context) { o.live() }) })
	return nil
}

// step takes a later step of a request. One of a request that is over already was on its way when it ended.
func (r *run) step(id string, header wire.FetchHeader, data []byte) error {
	r.mu.Lock()
	c := r.calls.inFlight[id]
	r.mu.Unlock()
	if c == nil || c.outbound == nil {
		return nil
	}
	o := c.outbound
	switch header.Step {
	case wire.StepPull:
		r.stand(c, true)
		select {
		case o.pulled <- struct{}{}:
		default:
		}
	case wire.StepCancel:
		o.cancel()
	case wire.StepBody, wire.StepBodyEnd, wire.StepBodyError:
		return o.takePart(header, data)
	default:
		return fmt.Errorf("%w: step %.20q of a fetch", errMalformed, header.Step)
	}
	return nil
}

// live performs the request and passes the response on.
func (o *outbound) live() {
	defer o.run.finished(o.call, protocol.CallCompleted)
	defer o.cancel()
	answered := false
	defer func() {
		if !answered {
			o.send(wire.FetchedHeader{Error: "the outbound function ended without an answer"}, nil)
		}
	}()
	response, end, err := o.perform()
	answered = true
	if err != nil {
		o.send(wire.FetchedHeader{Error: reason(err)}, nil)
		return
	}
	defer response.Body.Close()
	head := wire.FetchedHeader{
		Status: response.StatusCode, StatusText: statusText(response), Headers: headerPairs(response.Header), URL: end.last, Redirected: end.hops > 1,
	}
	pieces := o.read(response.Body)
	first, err := gather(pieces)
	if err == io.EOF {
		o.send(head, first)
		return
	}
	head.Step = wire.StepHead
	o.send(head, nil)
	o.pump(pieces, piece{first, err})
}

// piece is what one read of a body gave. Its data is good until the next is taken.
type piece struct {
	data []byte
	err  error
}

// read reads a body, at most one piece ahead.
func (o *outbound) read(body io.Reader) <-chan piece {
	pieces := make(chan piece)
	o.run.pool.goCall(func() {
		defer close(pieces)
		give := func(p piece) bool {
			select {
			case pieces <- p:
				return p.err == nil
			case <-o.ctx.Done():
				return false
			}
		}
		answered := false
		defer func() {
			if !answered {
				give(piece{err: errors.New("its body ended without an answer")})
			}
		}()
		var buffers [2][wire.ChunkBytes]byte
		for i := 0; ; i++ {
			buffer := buffers[i%2][:]
			answered = false
			n, err := body.Read(buffer)
			answered = true
			if !give(piece{buffer[:n], err}) {
				return
			}
		}
	})
	return pieces
}

// gatherTime is how long the head of a response waits for its body: both together cost half.
const gatherTime = 5 * time.Millisecond

// gather takes the first chunk of a body. The error is io.EOF when it is the whole body, and nil when there is more.
func gather(pieces <-chan piece) (first []byte, err error) {
	timer := time.NewTimer(gatherTime)
	defer timer.Stop()
	for len(first) < wire.ChunkBytes {
		select {
		case p := <-pieces: // a closed channel is a request that was given up, to which nothing is sent
			first = append(first, p.data...)
			if p.err != nil || p.data == nil {
				return first, p.err
			}
		case <-timer.C:
			return first, nil
		}
	}
	return first, nil
}

// pump passes a body on: its first chunk unasked, and one for each that the program asks for.
func (o *outbound) pump(pieces <-chan piece, p piece) {
	for {
		o.run.stand(o.call, false)
		if len(p.data) > 0 {
			o.send(wire.FetchedHeader{Step: wire.StepChunk}, p.data)
		}
		switch {
		case p.err == io.EOF:
			o.send(wire.FetchedHeader{Step: wire.StepEnd}, nil)
			return
		case p.err != nil:
			o.send(wire.FetchedHeader{Step: wire.StepError, Error: "the response broke off: " + reason(p.err)}, nil)
			return
		}
		if len(p.data) > 0 {
			select {
			case <-o.pulled:
			case <-o.ctx.Done():
				return
			}
		}
		var open bool
		if p, open = <-pieces; !open {
			return
		}
	}
}

func (o *outbound) send(header wire.FetchedHeader, data []byte) {
	if o.ctx.Err() != nil {
		return // nobody listens any more
	}
	text, _ := json.Marshal(header) // strings and numbers always have a rendering
	o.run.worker.send(o.run, wire.Fetched, []byte(o.call.id), text, data)
}

// bodyPart is a part of a request's body, or its end.
type bodyPart struct {
	round int
	data  []byte
	err   error // io.EOF with the last
}

// takePart keeps the part that was asked for until the body's reader takes it.
func (o *outbound) takePart(header wire.FetchHeader, data []byte) error {
	part := bodyPart{round: header.Round, data: data}
	switch header.Step {
	case wire.StepBodyEnd:
		part.err = io.EOF
	case wire.StepBodyError:
		part.err = errors.New(clip(header.Message, nameBytes))
	}
	if len(data) <= wire.ChunkBytes {
		select {
		case o.parts <- part:
			return nil
		default:
		}
	}
	return fmt.Errorf("%w: a part of a body that nobody asked for", errMalformed)
}

// body makes the reader of the request's body, and again one that begins anew, which a stream has not.
func (o *outbound) body() io.ReadCloser { return &uploadBody{o: o, round: o.round} }

func (o *outbound) again() (io.ReadCloser, error) {
	o.round++
	return o.body(), nil
}

// uploadBody is one reading of a body that the worker has.
type uploadBody struct {
	o     *outbound
	round int
	rest  []byte
	err   error
}

func (b *uploadBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.ask()
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// ask gets the next part from the program, whose turn it is meanwhile: the clock runs.
func (b *uploadBody) ask() {
	o := b.o
	o.send(wire.FetchedHeader{Step: wire.StepWant, Round: b.round}, nil)
	o.run.stand(o.call, false)
	defer o.run.stand(o.call, true)
	for {
		select {
		case part := <-o.parts:
			if part.round == b.round { // one of a reading that was broken off may come late
				b.rest, b.err = part.data, part.err
				return
			}
		case <-o.ctx.Done():
			b.err = o.ctx.Err()
			return
		}
	}
}

func (b *uploadBody) Close() error { return nil }
