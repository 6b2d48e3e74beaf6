package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote/internal/capnweb"
)

// A session's life, as a client sees it:
//
//	Live ── rotation ──► Retired ── its last call settled ──► Disposed
//	  └──── it broke ──► Broken ─── a new one is opened ────► Disposed
//
// session is one connection with a daemon, and the calls that run on it.
type session struct {
	client *Client
	rpc    *capnweb.Session

	mu      sync.Mutex
	running int // calls of ours
	retired bool
}

// openSession opens a session and shakes hands, within ctx, Close and OpenTimeout.
func (c *Client) openSession(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.OpenTimeout)
	defer cancel()
	stop := context.AfterFunc(c.ctx, cancel)
	defer stop()
	rpc, err := capnweb.Dial(ctx, c.url, &capnweb.DialOptions{Header: c.options.Header, TLS: c.options.TLS, Limits: c.options.Session, Address: c.address})
	if err != nil {
		return nil, c.rejected(err)
	}
	if err := shakeHands(ctx, rpc); err != nil {
		rpc.Close()
		if !errors.Is(err, protocol.CodeProtocolMismatch) {
			err = protocol.Errorf(protocol.CodeConnectionRejected, "Executor handshake with %s failed: %w", shownURL(c.url), err)
		}
		return nil, err
	}
	s := &session{client: c, rpc: rpc}
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.open[s] = true
		c.sessions.Go(s.watch)
	}
	c.mu.Unlock()
	if closed {
		rpc.Close()
		return nil, errClientClosed()
	}
	return s, nil
}

// rejected is the error of a session that could not be opened.
func (c *Client) rejected(err error) error {
	var handshake *capnweb.HandshakeError
	if errors.As(err, &handshake) && (handshake.Status == http.StatusUnauthorized || handshake.Status == http.StatusForbidden) {
		err = protocol.Errorf(protocol.CodeUnauthorized, "%w", handshake)
	}
	return &protocol.Error{Code: protocol.CodeConnectionRejected, Message: "Failed to open WebSocket to " + shownURL(c.url), Cause: err}
}

// shownURL is a URL without the password in it.
func shownURL(text string) string {
	if u, err := url.Parse(text); err == nil && u.User != nil {
		return u.Redacted()
	}
	return text
}

// shakeHands compares the versions before anything else crosses.
func shakeHands(ctx context.Context, rpc *capnweb.Session) error {
	answer, err := rpc.Main().Call(ctx, methodVersion)
	if err != nil {
		return err
	}
	defer capnweb.Dispose(answer)
	var version int
	raw, ok := answer.(json.RawMessage)
	if !ok || json.Unmarshal(raw, &version) != nil {
		return fmt.Errorf("its protocol version is no number")
	}
	return protocol.CheckVersion(protocol.Version, version)
}

// watch waits for the session's end and cleans up after it.
func (s *session) watch() {
	<-s.rpc.Broken()
	s.rpc.Wait()
	c := s.client
	c.mu.Lock()
	delete(c.open, s)
	broke := c.current == s && !c.closed
	c.mu.Unlock()
	if broke && c.broken != nil {
		c.broken()
	}
	c.log.Debug("session ended", slog.String("url", shownURL(c.url)), slog.Any("reason", s.rpc.Err()))
}

// start counts a call, unless the session has ended or is about to.
func (s *session) start() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retired || s.rpc.Err() != nil {
		return false
	}
	s.running++
	return true
}

// settle ends a call's count. A retired session goes with its last, and with the last tool call that was left behind.
func (s *session) settle() {
	s.mu.Lock()
	s.running--
	over := s.retired && s.running == 0
	s.mu.Unlock()
	if over {
		s.rpc.Retire()
	}
}

// retire lets the session end with its last call.
func (s *session) retire() {
	s.mu.Lock()
	s.retired = true
	over := s.running == 0
	s.mu.Unlock()
	if over {
		s.rpc.Retire()
	}
}

// failure is a call's error: that of the session when it has ended, the daemon's otherwise.
func (s *session) failure(err error, broken string) error {
	if s.rpc.Err() != nil {
		return &protocol.Error{Code: protocol.CodeConnectionBroken, Message: broken, Retryable: true, Cause: err}
	}
	return localError(err)
}

// opening is an attempt to have a session that all calls share which need one.
type opening struct {
	done chan struct{}
	err  error
}

// acquire gives a session that a call has been counted on, and opens one when there is none.
func (c *Client) acquire(ctx context.Context) (*session, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("the call never began: %w", err)
	}
	for {
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			return nil, errClientClosed()
		}
		if c.current != nil && c.current.start() {
			s := c.current
			c.mu.Unlock()
			return s, nil
		}
		o := c.opening
		if o == nil {
			o = &opening{done: make(chan struct{})}
			c.opening = o
			before := c.current
			c.sessions.Go(func() { c.reopen(o, before) })
		}
		c.mu.Unlock()
		select {
		case <-o.done:
			if o.err != nil {
				return nil, o.err
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("the call never began: %w", context.Cause(ctx))
		}
	}
}

// reopen opens a session in place of one that ended, with a wait after each attempt that grows by the first.
func (c *Client) reopen(o *opening, before *session) {
	if before != nil {
		before.rpc.End()
	}
	var s *session
	for attempt := 1; ; attempt++ {
		s, o.err = c.openSession(c.ctx)
		if o.err == nil || attempt >= c.options.ReconnectAttempts || hopeless(o.err) {
			break
		}
		c.log.Info("no session yet", slog.String("url", shownURL(c.url)), slog.Int("attempt", attempt), slog.Any("reason", o.err))
		select {
		case <-time.After(time.Duration(attempt) * c.options.ReconnectBackoff):
		case <-c.ctx.Done():
		}
		if c.ctx.Err() != nil {
			break
		}
	}
	c.mu.Lock()
	if c.closed {
		o.err = errClientClosed() // Close disposes of a session that was opened meanwhile
	} else if o.err == nil {
		c.current, c.executions = s, 0
	}
	c.opening = nil
	c.mu.Unlock()
	close(o.done)
}

// hopeless reports whether another attempt would fail like this one.
func hopeless(err error) bool {
	return errors.Is(err, protocol.CodeProtocolMismatch) || errors.Is(err, protocol.CodeUnauthorized)
}

// executed settles an execution and counts it, whether it succeeded or failed; at the bound the session is retired.
func (c *Client) executed(s *session) {
	c.mu.Lock()
	c.executions++
	var retired *session
	if bound := c.options.RotateAfterExecutions; bound > 0 && c.executions >= bound && c.current != nil {
		retired, c.current, c.executions = c.current, nil, 0
	}
	c.mu.Unlock()
	if retired != nil {
		retired.retire()
	}
	s.settle()
}
