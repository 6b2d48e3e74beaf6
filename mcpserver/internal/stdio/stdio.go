// Package stdio serves an MCP server on two streams, one JSON-RPC message a line.
//
// It takes the place of mcp-go's own loop, which answers with rounded ids, sends a handler's notifications after its
// answer, forgets the cancellation of a queued call and drops a last line without a line break. Methods are still
// mcp-go's: each message goes through [server.MCPServer.HandleMessage].
//
//	err := stdio.Serve(ctx, mcpServer, os.Stdin, os.Stdout, nil)
//
// A handler reaches its client, in order with its own answer, through [Notify].
//
// # Order
//
// Messages are taken in order and all but tools/call and subscriptions/listen are answered in order. Those two run on
// beside the rest. A request that its client cancelled gets no answer, whether it runs or still waits.
package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/internal/lines"
)

const (
	// maxMessage bounds one line of the client: a program of the largest size, every character of it escaped.
	maxMessage = 32 << 20
	// drain is how long calls may still answer once the input has ended: a client that pipes its requests in and closes
	// reads the answers of quick ones.
	drain = 500 * time.Millisecond
)

// Options are the optional parts of Serve.
type Options struct {
	// Logger gets what the client does wrong, at Debug; nil discards it.
	Logger *slog.Logger
}

// Serve answers messages from in on out until in ends or ctx does, cancels what still runs, and waits for it. Nothing
// but JSON-RPC goes to out. The error is that of writing to out, or of reading from in. A read that is under way when
// ctx ends is left behind, for Go has no way to interrupt it; it holds nothing but in.
func Serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer, options *Options) error {
	log := slog.New(slog.DiscardHandler)
	if options != nil && options.Logger != nil {
		log = options.Logger
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &conn{server: s, log: log, cancel: cancel, out: out, calls: map[string]*call{}}
	c.session = newSession(c)
	c.ctx = s.WithContext(ctx, c.session)
	if err := s.RegisterSession(ctx, c.session); err != nil {
		return err
	}
	defer s.UnregisterSession(context.WithoutCancel(ctx), c.session.SessionID())
	c.wg.Go(func() { c.session.forward(ctx) })
	err := c.readAll(in)
	c.finish(ctx)
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

// finish lets quick calls answer, cancels the rest and waits for all.
func (c *conn) finish(ctx context.Context) {
	done := make(chan struct{})
	c.wg.Go(func() {
		c.running.Wait()
		close(done)
	})
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(drain):
	}
	c.cancel()
	c.wg.Wait()
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
	case c.session.version() != "2025-03-26":
		c.write(errorReply(nil, mcp.INVALID_REQUEST, "Invalid Request: this revision of the protocol has no batches"))
		return
	case len(messages) == 0:
		c.write(errorReply(nil, mcp.INVALID_REQUEST, "Invalid Request: the batch is empty"))
		return
	}
	answers := make([]func() []byte, len(messages))
	for i, message := range messages {
		answers[i], _ = c.admit(message)
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

// envelope is what any message has outside its parameters.
type envelope struct {
	Version json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  json.RawMessage `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// admit checks a message and returns what answers it, which returns nil when no answer is due, and whether that may
// take long. From here on a request can be cancelled.
func (c *conn) admit(raw []byte) (answer func() []byte, async bool) {
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		if json.Valid(raw) {
			return always(errorReply(nil, mcp.INVALID_REQUEST, "Invalid Request: a message is an object")), false
		}
		return always(errorReply(nil, mcp.PARSE_ERROR, "Parse error")), false
	}
	id, isID := idKey(e.ID)
	var method string
	isMethod := json.Unmarshal(e.Method, &method) == nil && method != ""
	switch {
	case !isMethod && (e.Result != nil || e.Error != nil):
		return always(nil), false // an answer, and we asked nothing
	case !isMethod || string(e.Version) != `"2.0"`:
		return always(errorReply(e.ID, mcp.INVALID_REQUEST, "Invalid Request: not a JSON-RPC 2.0 message")), false
	case e.ID == nil:
		c.notified(method, raw)
		return always(nil), false
	case !isID:
		return always(errorReply(nil, mcp.INVALID_REQUEST, "Invalid Request: an id is a string or a number")), false
	}
	return c.request(id, e.ID, method, raw)
}

func always(reply []byte) func() []byte { return func() []byte { return reply } }

func (c *conn) request(key string, id json.RawMessage, method string, raw []byte) (answer func() []byte, async bool) {
	ctx, cancel := context.WithCancel(c.ctx)
	pending := &call{cancel: cancel}
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
		message := c.server.HandleMessage(ctx, withSafeID(raw, id))
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, key)
		if pending.cancelled || c.ctx.Err() != nil {
			return nil
		}
		return reply(id, message)
	}, method == string(mcp.MethodToolsCall) || method == string(mcp.MethodSubscriptionsListen)
}

// notified handles a notification of the client.
func (c *conn) notified(method string, raw []byte) {
	if method != string(mcp.MethodNotificationCancelled) {
		c.server.HandleMessage(c.ctx, raw)
		return
	}
	var m struct {
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	_ = json.Unmarshal(raw, &m) // without an id there is nothing to cancel
	key, _ := idKey(m.Params.RequestID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if pending := c.calls[key]; pending != nil {
		pending.cancelled = true
		pending.cancel()
	}
}

// write sends one message. A client that no longer reads ends the connection.
func (c *conn) write(message []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.failed != nil {
		return
	}
	if _, err := c.out.Write(append(message, '\n')); err != nil {
		c.failed = err
		c.log.Debug("the client no longer reads", "error", err)
		c.cancel()
	}
}
