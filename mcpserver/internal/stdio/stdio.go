// Package stdio serves an MCP server on two streams, one JSON-RPC message a line.
//
// It takes the place of mcp-go's own loop, which answers with rounded ids, sends a handler's notifications after its
// answer, forgets the cancellation of a queued call and drops a last line without a line break. Methods are still
// mcp-go's: each message goes through [server.MCPServer.HandleMessage].
//
//	err := stdio.Serve(ctx, mcpServer, os.Stdin, os.Stdout, nil)
//
// A handler reaches its client through [Notify], in order with its own answer, and [Ask].
//
// # Order
//
// Messages are taken in order, and answered in order but for those that may take long: tools/call, subscriptions/listen, and
// what asks for resources and prompts, which run on beside the rest. A request that its client cancelled gets no answer, whether it runs or still waits.
package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/internal/lines"
	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

const (
	// maxMessage bounds one line of the client: a program of the largest size, every character of it escaped.
	maxMessage = 32 << 20
	// lookAround is how often it is looked, while calls still answer after the input has ended, whether anybody reads.
	lookAround = 100 * time.Millisecond
	// lastWords is how long a client that does not read may keep us from ending.
	lastWords = 2 * time.Second
)

// DefaultDrain is how long calls may still answer once the input has ended, for a server that does not say: a client that
// pipes its requests in and closes reads the answers.
const DefaultDrain = time.Minute

// Options are the optional parts of Serve.
type Options struct {
	// Logger gets what the client does wrong, at Debug; nil discards it.
	Logger *slog.Logger
	// Drain bounds how long calls may still answer once the input has ended; 0 is DefaultDrain.
	Drain time.Duration
	// Around is called for each request: its context is what the request is handled with, and amend, unless that is nil, is given the
	// answer on its way out. Nil is nothing.
	Around func(ctx context.Context, method string) (with context.Context, amend func(answer []byte) []byte)
}

// Serve answers messages from in on out until in ends or ctx does. Calls that are under way when in ends may finish, as
// long as somebody reads; those under way when ctx ends are cancelled and answered with an error. Serve waits for all.
// Nothing but JSON-RPC goes to out. The error is that of writing to out, or of reading from in. A read that is under way when
// ctx ends is left behind, for Go has no way to interrupt it; it holds nothing but in. So is a write to a
// client that reads nothing for two seconds more.
func Serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer, options *Options) error {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Drain <= 0 {
		o.Drain = DefaultDrain
	}
	if o.Around == nil {
		o.Around = func(ctx context.Context, _ string) (context.Context, func([]byte) []byte) { return ctx, nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &conn{server: s, log: o.Logger, cancel: cancel, around: o.Around, out: out, calls: map[string]*call{}}
	c.session = newSession(c)
	c.ctx = s.WithContext(ctx, c.session)
	if err := s.RegisterSession(ctx, c.session); err != nil {
		return err
	}
	defer s.UnregisterSession(context.WithoutCancel(ctx), c.session.SessionID())
	c.wg.Go(func() { c.session.forward(ctx) })
	err := c.readAll(in)
	c.session.questions.end()
	c.endStreams()
	c.finish(ctx, o.Drain)
	if c.failed != nil {
		return c.failed
	}
	return err
}

// conn is one client.
type conn struct {
	server  *server.MCPServer
	session *session
	log     *slog.Logger
	ctx     context.Context
	cancel  context.CancelFunc
	wg      sync.WaitGroup // the forwarding goroutine
	running sync.WaitGroup // the calls
	around  func(context.Context, string) (context.Context, func([]byte) []byte)

	writing sync.Mutex
	out     io.Writer
	failed  error

	mu    sync.Mutex
	calls map[string]*call // by the id's key
}

// call is a request that has not been answered yet.
type call struct {
	cancel    context.CancelFunc
	cancelled bool
	// endless is a stream that is open until the client goes.
	endless bool
}

// readAll takes messages until the input or the context ends.
func (c *conn) readAll(in io.Reader) error {
	type read struct {
		line []byte
		err  error
	}
	reads := make(chan read)
	go func() { // its owner is in, see Serve
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := lines.Read(r, maxMessage, nil)
			select {
			case reads <- read{line, err}:
			case <-c.ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, lines.ErrTooLong) {
				return
			}
		}
	}()
	for {
		select {
		case <-c.ctx.Done():
			return nil
		case r := <-reads:
			if len(r.line) > 0 {
				c.receive(r.line)
			}
			switch {
			case errors.Is(r.err, lines.ErrTooLong):
				c.write(errorReply(nil, mcp.PARSE_ERROR, "Parse error: the message is too long"))
			case errors.Is(r.err, io.EOF):
				return nil
			case r.err != nil:
				return r.err
			}
		}
	}
}

// endStreams ends what would otherwise go on until the client does.
func (c *conn) endStreams() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pending := range c.calls {
		if pending.endless {
			pending.cancel()
		}
	}
}

// finish lets calls answer as long as anybody reads, cancels the rest and waits for all.
func (c *conn) finish(ctx context.Context, drain time.Duration) {
	done := make(chan struct{})
	c.wg.Go(func() {
		c.running.Wait()
		close(done)
	})
	over := time.NewTimer(drain)
	defer over.Stop()
	look := time.NewTicker(lookAround)
	defer look.Stop()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-ctx.Done():
			waiting = false
		case <-over.C:
			waiting = false
		case <-look.C:
			waiting = !hungUp(c.out)
		}
	}
	c.cancel()
	ended := make(chan struct{})
	go func() { // ends with the writes; its owner is out, see Serve
		c.wg.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(lastWords):
		c.log.Warn("the client does not read; its last messages are left behind")
	}
}

// receive takes one line.
func (c *conn) receive(line []byte) {
	if line[0] == '[' {
		c.batch(line)
		return
	}
	answer, async := c.admit(line)
	c.run(async, func() {
		if reply := answer(); reply != nil {
			c.write(reply)
		}
	})
}

func (c *conn) run(async bool, task func()) {
	if async {
		c.running.Go(task)
	} else {
		task()
	}
}

// batch takes an array of messages, which only revision 2025-03-26 of the protocol has. Its answers are one array.
func (c *conn) batch(line []byte) {
	var messages []json.RawMessage
	switch {
	case json.Unmarshal(line, &messages) != nil:
		c.write(errorReply(nil, mcp.PARSE_ERROR, "Parse error"))
		return
	case c.session.ProtocolVersion() != "2025-03-26":
		c.write(errorReply(nil, mcp.INVALID_REQUEST, "Invalid Request: this revision of the protocol has no batches"))
		return
	case len(messages) == 0:
		c.write(errorReply(nil, mcp.INVALID_REQUEST, "Invalid Request: the batch is empty"))
		return
	}
	answers := make([]func() []byte, len(messages))
	for i, one := range messages {
		answers[i], _ = c.admit(one)
	}
	c.running.Go(func() {
		replies := make([][]byte, len(answers))
		var all sync.WaitGroup
		for i, answer := range answers {
			all.Go(func() { replies[i] = answer() })
		}
		all.Wait()
		var due [][]byte
		for _, reply := range replies {
			if reply != nil {
				due = append(due, reply)
			}
		}
		if len(due) > 0 {
			c.write(append(append([]byte{'['}, bytes.Join(due, []byte{','})...), ']'))
		}
	})
}

// admit checks a message and returns what answers it, which returns nil when no answer is due, and whether that may
// take long. From here on a request can be cancelled.
func (c *conn) admit(raw []byte) (answer func() []byte, async bool) {
	text, m, err := message.Strict(raw)
	switch {
	case errors.Is(err, message.ErrNoObject):
		return always(errorReply(nil, mcp.INVALID_REQUEST, "Invalid Request: a message is an object")), false
	case err != nil:
		return always(errorReply(nil, mcp.PARSE_ERROR, "Parse error")), false
	}
	id, isID := idKey(m.ID)
	switch {
	case m.Method == "" && (m.Result != nil || m.Error != nil):
		c.session.questions.answered(m)
		return always(nil), false
	case m.Method == "" || string(m.Version) != `"2.0"`:
		return always(errorReply(m.ID, mcp.INVALID_REQUEST, "Invalid Request: not a JSON-RPC 2.0 message")), false
	case m.ID == nil:
		c.notified(m, text)
		return always(nil), false
	case !isID:
		return always(errorReply(nil, mcp.INVALID_REQUEST, "Invalid Request: an id is a string or a number")), false
	}
	if wrong := m.Check(slices.Sorted(maps.Keys(c.server.ListTools()))...); wrong != nil {
		return always(errorReply(m.ID, wrong.Code, wrong.Message)), false
	}
	return c.request(id, m.ID, m.Method, text)
}

func always(reply []byte) func() []byte { return func() []byte { return reply } }

func (c *conn) request(key string, id json.RawMessage, method string, raw []byte) (answer func() []byte, async bool) {
	ctx, cancel := context.WithCancel(c.ctx)
	pending := &call{cancel: cancel, endless: method == string(mcp.MethodSubscriptionsListen)}
	c.mu.Lock()
	_, taken := c.calls[key]
	if !taken {
		c.calls[key] = pending
	}
	c.mu.Unlock()
	if taken {
		cancel()
		return always(errorReply(id, mcp.INVALID_REQUEST, "Invalid Request: a request with this id is still being answered")), false
	}
	return func() []byte {
		defer cancel()
		if pending.endless {
			c.session.streams.add(key, id, raw)
			defer c.session.streams.remove(key)
		}
		with, amend := c.around(ctx, method)
		answer := c.server.HandleMessage(with, withSafeID(raw, id))
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, key)
		switch {
		case pending.cancelled:
			return nil
		case c.ctx.Err() != nil:
			return errorReply(id, message.CodeServer, "codemode is shutting down, and ended this request")
		}
		text := reply(id, answer)
		if amend != nil {
			text = amend(text)
		}
		return text
	}, isLong(method)
}

// isLong reports whether answering a method may take long: the program behind a tool, or another server, may have to be
// waited for.
func isLong(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodSubscriptionsListen, mcp.MethodResourcesRead, mcp.MethodResourcesList,
		mcp.MethodResourcesTemplatesList, mcp.MethodPromptsList, mcp.MethodPromptsGet, mcp.MethodCompletionComplete:
		return true
	}
	return false
}

// notified handles a notification of the client.
func (c *conn) notified(m *message.Message, text []byte) {
	if m.Method != string(mcp.MethodNotificationCancelled) {
		c.server.HandleMessage(c.ctx, text)
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(m.Params, &params) // without an id there is nothing to cancel
	key, _ := idKey(params.RequestID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if pending := c.calls[key]; pending != nil {
		pending.cancelled = true
		pending.cancel()
	}
}

// write sends one message, nothing when it is nil. A client that no longer reads ends the connection.
func (c *conn) write(text []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.failed != nil || text == nil {
		return
	}
	if _, err := c.out.Write(append(text, '\n')); err != nil {
		c.failed = err
		c.log.Debug("the client no longer reads", "error", err)
		c.cancel()
	}
}
