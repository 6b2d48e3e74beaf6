package upstream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/internal/lines"
)

// maxMessage bounds one line of a server, twice what a program may receive from one call.
const maxMessage = 64 << 20

// pipe is the client's side of the stdio transport over two streams. It differs from mcp-go's in what a supervisor
// needs: a write never outlasts its context, a failed request says whether any of it was written, what is no JSON-RPC
// is skipped and logged, a line has a bound, and the server's requests get the right error code.
type pipe struct {
	in  io.WriteCloser
	out io.ReadCloser
	log *slog.Logger

	frames chan *frame
	wg     sync.WaitGroup
	once   sync.Once
	closed chan struct{}
	noisy  bool

	mu      sync.Mutex
	reason  string
	pending map[string]chan *transport.JSONRPCResponse
	notify  func(mcp.JSONRPCNotification)
}

// frame is one line on its way out.
type frame struct {
	data []byte
	// begun is set once the first byte may have gone out.
	begun atomic.Bool
}

// newPipe makes a transport that writes lines to in and reads lines from out; it closes both.
func newPipe(in io.WriteCloser, out io.ReadCloser, log *slog.Logger) *pipe {
	return &pipe{in: in, out: out, log: log, frames: make(chan *frame), closed: make(chan struct{}),
		pending: map[string]chan *transport.JSONRPCResponse{}}
}

// Start implements transport.Interface. The connection lives until Close, whatever becomes of the context.
func (p *pipe) Start(context.Context) error {
	p.wg.Go(p.writeLoop)
	p.wg.Go(p.readLoop)
	return nil
}

// Close implements transport.Interface. The read loop ends when the server closes its side, see wait.
func (p *pipe) Close() error {
	p.fail("closed")
	return nil
}

// wait returns when both loops have ended.
func (p *pipe) wait() { p.wg.Wait() }

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

// GetSessionId implements transport.Interface; this transport has no sessions.
func (p *pipe) GetSessionId() string { return "" }

// SetNotificationHandler implements transport.Interface. The handler runs on the read loop and must not block.
func (p *pipe) SetNotificationHandler(handler func(mcp.JSONRPCNotification)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notify = handler
}

// SendRequest implements transport.Interface, and records the answer for a capture in ctx.
func (p *pipe) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := p.roundTrip(ctx, request)
	record(ctx, response, err)
	return response, err
}

func (p *pipe) roundTrip(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	key := requestKey(request.ID)
	answer := make(chan *transport.JSONRPCResponse, 1)
	p.mu.Lock()
	p.pending[key] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.pending, key)
		p.mu.Unlock()
	}()
	f, err := p.send(ctx, request)
	if err != nil {
		return nil, err
	}
	select {
	case response := <-answer:
		return response, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
	}
	select {
	case response := <-answer: // it came right before the end
		return response, nil
	default:
	}
	if !f.begun.Load() {
		return nil, fmt.Errorf("%w: %w", errUnsent, transport.ErrTransportClosed)
	}
	return nil, transport.ErrTransportClosed
}

// SendNotification implements transport.Interface.
func (p *pipe) SendNotification(ctx context.Context, notification mcp.JSONRPCNotification) error {
	_, err := p.send(ctx, notification)
	return err
}

// send hands a message to the write loop. An error means that nothing of it was written.
func (p *pipe) send(ctx context.Context, message any) (*frame, error) {
	data, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnsent, err)
	}
	f := &frame{data: append(data, '\n')}
	select {
	case <-p.closed:
		return nil, fmt.Errorf("%w: %w", errUnsent, transport.ErrTransportClosed)
	default:
	}
	select {
	case p.frames <- f:
		return f, nil
	case <-p.closed:
		return nil, fmt.Errorf("%w: %w", errUnsent, transport.ErrTransportClosed)
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
		line, err := lines.Read(r, maxMessage)
		if len(line) > 0 {
			p.receive(line)
		}
		if errors.Is(err, lines.ErrTooLong) {
			p.fail(fmt.Sprintf("it sent a message of more than %d MiB", maxMessage>>20))
			_, _ = io.Copy(io.Discard, r) // until it is stopped: a full pipe would block its way out
			return
		}
		if err != nil {
			p.fail("it closed its output")
			return
		}
	}
}

// message is whatever a server may send.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// receive handles one line. A batch, which one revision of the protocol had, is its messages.
func (p *pipe) receive(line []byte) {
	if line[0] == '[' {
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) == nil {
			for _, one := range batch {
				p.receive(bytes.TrimSpace(one))
			}
			return
		}
	}
	var m message
	if line[0] != '{' || json.Unmarshal(line, &m) != nil {
		p.noise(line)
		return
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method != "" && hasID:
		p.serve(line)
	case m.Method != "":
		p.notified(line)
	case hasID && (m.Result != nil || m.Error != nil):
		p.deliver(&m)
	default:
		p.noise(line)
	}
}

// noise is a line that is no message: servers print banners. The first one is worth a warning.
func (p *pipe) noise(line []byte) {
	level := slog.LevelDebug
	if !p.noisy {
		p.noisy, level = true, slog.LevelWarn
	}
	p.log.Log(context.Background(), level, "the server writes to its standard output what is no JSON-RPC; it is skipped")
	p.log.Debug("skipped", "line", string(line[:min(len(line), 200)]))
}

func (p *pipe) deliver(m *message) {
	p.mu.Lock()
	answer := p.pending[strings.Trim(string(m.ID), `"`)]
	p.mu.Unlock()
	if answer == nil {
		return // the request was given up
	}
	response := &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: m.Result}
	if m.Error != nil && string(m.Error) != "null" {
		response.Result, response.Error = nil, decodeError(m.Error)
	}
	select {
	case answer <- response:
	default: // a second answer to the same request
	}
}

// decodeError reads an error object, and takes anything else for the message.
func decodeError(raw json.RawMessage) *mcp.JSONRPCErrorDetails {
	var details mcp.JSONRPCErrorDetails
	if json.Unmarshal(raw, &details) != nil {
		return &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: string(raw)}
	}
	return &details
}

func (p *pipe) notified(line []byte) {
	var n mcp.JSONRPCNotification
	if json.Unmarshal(line, &n) != nil {
		return
	}
	p.mu.Lock()
	notify := p.notify
	p.mu.Unlock()
	if notify != nil {
		notify(n)
	}
}

// serve answers a request of the server. The answer is written beside the read loop, which must go on reading.
func (p *pipe) serve(line []byte) {
	var request transport.JSONRPCRequest
	if json.Unmarshal(line, &request) != nil {
		return
	}
	p.wg.Go(func() {
		if response, err := answerServer(context.Background(), request); err == nil {
			_, _ = p.send(context.Background(), response) // the connection may be gone
		}
	})
}

// requestKey is the text by which an answer finds its request; our ids are whole numbers.
func requestKey(id mcp.RequestId) string {
	if n, ok := id.Value().(int64); ok {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprint(id.Value())
}
