package remote

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote/internal/capnweb"
)

// DialOptions adjusts Dial. The zero value of a field is its default.
type DialOptions struct {
	// Header goes with the request that opens each session.
	Header http.Header
	// Token is sent as "Authorization: Bearer …".
	Token string
	// TLS configures wss: roots, and a client's certificate. Nil is Go's default.
	TLS *tls.Config

	// Timeout, Outbound, Modules and Limits are those of a request that sets none of its own. Unset, they are not put
	// on the wire, and the daemon's hold.
	Timeout  protocol.Timeout
	Outbound protocol.Outbound
	Modules  map[string]string
	Limits   protocol.Limits

	// RotateAfterExecutions opens a new session after so many executions; the one before it ends with its last
	// call. Default 0, never: a session does not grow with what it carried.
	RotateAfterExecutions int
	// NoReconnect leaves the reopening of a session one attempt.
	NoReconnect bool
	// ReconnectAttempts is how many attempts the reopening of a session has. Default 5: with the default backoff, two
	// seconds, in which a daemon restarts.
	ReconnectAttempts int
	// ReconnectBackoff is the wait after the first attempt; after the n-th it is n times as long. Default 200 ms.
	ReconnectBackoff time.Duration
	// OpenTimeout bounds one attempt to open a session, the handshake included. Default 10 s.
	OpenTimeout time.Duration

	// Session bounds what the daemon can make a session hold.
	Session SessionLimits
	// Logger gets what operators need to know of sessions. Nil discards.
	Logger *slog.Logger
}

// Client is an executor on another machine. It is safe for concurrent use.
type Client struct {
	url     string
	options DialOptions
	log     *slog.Logger
	// address is the host:port of the URL's host that a Balancer chose; "" leaves the choice to the dialer.
	address string
	// broken, when not nil, is told of the end of a session that neither rotation nor Close asked for.
	broken func()

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu         sync.Mutex
	closed     bool
	current    *session
	opening    *opening
	executions int // since the current session was opened
	sessions   sync.WaitGroup
	open       map[*session]bool
}

var _ protocol.HandleExecutor = (*Client)(nil)

// Dial opens a session with a daemon (ws:, wss:, http:, https: or ws+unix:///socket/path:/url/path) and agrees with it
// on the protocol's version. ctx bounds the opening alone. The error is CONNECTION_REJECTED when there is no session to
// be had (with UNAUTHORIZED as its cause when the daemon does not know the token) and PROTOCOL_MISMATCH when the
// versions differ. The text of CONNECTION_REJECTED does not say why; its Cause does.
func Dial(ctx context.Context, url string, options *DialOptions) (*Client, error) {
	c := newClient(url, options)
	s, err := c.openSession(ctx)
	if err != nil {
		c.cancel()
		return nil, err
	}
	c.current = s
	return c, nil
}

// newClient fills in the defaults. The client has no session yet.
func newClient(url string, options *DialOptions) *Client {
	var o DialOptions
	if options != nil {
		o = *options
	}
	if o.ReconnectAttempts <= 0 {
		o.ReconnectAttempts = 5
	}
	if o.NoReconnect {
		o.ReconnectAttempts = 1
	}
	if o.ReconnectBackoff <= 0 {
		o.ReconnectBackoff = 200 * time.Millisecond
	}
	if o.OpenTimeout <= 0 {
		o.OpenTimeout = 10 * time.Second
	}
	o.Header = o.Header.Clone()
	if o.Token != "" {
		if o.Header == nil {
			o.Header = http.Header{}
		}
		o.Header.Set("Authorization", "Bearer "+o.Token)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Client{url: url, options: o, log: o.Logger, open: map[*session]bool{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// errClientClosed answers every call after Close.
func errClientClosed() error {
	return protocol.Errorf(protocol.CodeConnectionBroken, "RemoteExecutor is closed")
}

// Execute runs one program at the other end. In addition to the daemon's errors it gives CONNECTION_BROKEN when the
// session ends under it (the program may have run), and CONNECTION_REJECTED or PROTOCOL_MISMATCH when a new session was
// needed and there is none to be had. When ctx ends, the daemon ends the run, and the result has the ledger of the
// calls that were answered here, without logs.
func (c *Client) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	s, err := c.acquire(ctx)
	if err != nil {
		return nil, err
	}
	return c.executeOn(ctx, s, request)
}

// executeOn runs a program on a session that acquire gave, and settles it.
func (c *Client) executeOn(ctx context.Context, s *session, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	defer c.executed(s)
	r := *request
	c.fillIn(&r)
	wire, err := encodeRequest(&r)
	if err != nil {
		return nil, err
	}
	calls := newCalls(ctx, r.Dispatch)
	args := []any{wire, calls.dispatchArgument(), nil}
	if f := r.Outbound.Func(); f != nil {
		args[2] = calls.outboundArgument(f)
	}
	return c.run(ctx, s, calls, "Executor connection broke during execution", methodExecute, args)
}

// fillIn gives a request the client's own defaults.
func (c *Client) fillIn(r *protocol.ExecuteRequest) {
	if !r.Timeout.IsSet() {
		r.Timeout = c.options.Timeout
	}
	if r.Outbound.Mode() == protocol.OutboundUnset {
		r.Outbound = c.options.Outbound
	}
	if r.Modules == nil {
		r.Modules = c.options.Modules
	}
	r.Limits = r.Limits.Or(c.options.Limits)
}

// run makes a call that ends in a result.
func (c *Client) run(ctx context.Context, s *session, calls *calls, broken, method string, args []any) (*protocol.ExecuteResult, error) {
	pending, err := s.rpc.Main().Start(method, args...)
	if err != nil {
		return nil, s.failure(err, broken)
	}
	answer, err := pending.Wait(ctx)
	switch {
	case err == nil:
		calls.awaitAdmissions()
		defer capnweb.Dispose(answer)
		return decodeResult(answer)
	case ctx.Err() != nil && s.rpc.Err() == nil:
		return calls.canceled(context.Cause(ctx)), nil
	}
	return nil, s.failure(err, broken)
}

const brokeDuringCall = "Executor connection broke during a call"

// InvokeHandle calls a retained function. The execution may have been made over any session.
func (c *Client) InvokeHandle(ctx context.Context, request *protocol.InvokeRequest) (*protocol.ExecuteResult, error) {
	s, err := c.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer s.settle()
	wire, err := encodeInvoke(request)
	if err != nil {
		return nil, err
	}
	calls := newCalls(ctx, request.Dispatch)
	return c.run(ctx, s, calls, brokeDuringCall, methodInvokeHandle, []any{wire, calls.dispatchArgument()})
}

// CloseHandles frees a retained execution.
func (c *Client) CloseHandles(ctx context.Context, executionID string) error {
	s, err := c.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.settle()
	answer, err := s.rpc.Main().Call(ctx, methodCloseHandles, executionID)
	if err == nil {
		capnweb.Dispose(answer)
		return nil
	}
	if ctx.Err() != nil && s.rpc.Err() == nil {
		return context.Cause(ctx)
	}
	return s.failure(err, brokeDuringCall)
}

// Close ends every session, and with it what runs; it waits until nothing of the client is left. Every later call is
// CONNECTION_BROKEN.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.current = nil
	open := make([]*session, 0, len(c.open))
	for s := range c.open {
		open = append(open, s)
	}
	c.mu.Unlock()
	c.cancel()
	for _, s := range open {
		s.rpc.End() // watch waits for it
	}
	c.sessions.Wait()
	return nil
}
