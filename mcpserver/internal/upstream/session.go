package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// protocolVersion is what we offer a server. Asking for it by name spares a server of today the probe for the revision
// without a handshake, on which some exit and some stay silent.
const protocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION

// maxPages bounds a tool list whose cursors never repeat and never end.
const maxPages = 1000

// endpoint is a way to one server: a transport, and what is known about its end.
type endpoint struct {
	transport transport.Interface
	// lost is closed when the connection has ended by itself; nil when that cannot be seen.
	lost <-chan struct{}
	// why says what ended it.
	why func() string
	// close ends it, waits, and may be called more than once.
	close func()
	// changed, of capacity 1, receives when the server's tools may have changed.
	changed chan struct{}
}

// mayHaveChanged has the tools listed again.
func (e *endpoint) mayHaveChanged() {
	select {
	case e.changed <- struct{}{}:
	default: // that is due already
	}
}

// session is one initialised connection.
type session struct {
	*endpoint
	client *client.Client
	log    *slog.Logger
	// answered is set once any call has been answered.
	answered atomic.Bool
	info     mcp.Implementation
}

// open initialises an endpoint, and closes it when that fails.
func open(ctx context.Context, e *endpoint, log *slog.Logger, version string) (*session, error) {
	s := &session{endpoint: e, log: log}
	s.client = client.NewClient(e.transport, client.WithProtocolVersion(protocolVersion))
	s.client.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == mcp.MethodNotificationToolsListChanged {
			e.mayHaveChanged()
		}
	})
	err := s.client.Start(context.WithoutCancel(ctx)) // the connection outlives the start
	if err == nil {
		err = s.initialize(ctx, version)
	}
	if err != nil {
		why := s.explain(ctx, err)
		e.close()
		return nil, why
	}
	return s, nil
}

func (s *session) initialize(ctx context.Context, version string) error {
	result, err := s.client.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: protocolVersion,
		ClientInfo:      mcp.Implementation{Name: "codemode", Version: version},
	}})
	if err != nil {
		return err
	}
	s.info = result.ServerInfo
	return nil
}

// explain turns a failed start into a sentence about the server.
func (s *session) explain(ctx context.Context, err error) error {
	var unsupported mcp.UnsupportedProtocolVersionError
	switch {
	case errors.Is(err, transport.ErrTransportClosed) && s.why != nil:
		return fmt.Errorf("it ended before it was ready: %s", s.why())
	case ctx.Err() != nil:
		return fmt.Errorf("it did not get ready: %w", context.Cause(ctx))
	case errors.As(err, &unsupported):
		return fmt.Errorf("it speaks revision %q of the protocol, which is not known here", unsupported.Version)
	case s.why != nil && s.lost == nil:
		if why := s.why(); why != "" { // HTTP knows more than the client's error says
			return errors.New(why)
		}
	}
	return err
}

// tools lists the server's tools over all pages.
func (s *session) tools(ctx context.Context) ([]json.RawMessage, error) {
	var all []json.RawMessage
	request := mcp.ListToolsRequest{}
	seen := map[string]bool{"": true}
	for range maxPages {
		one, err := s.page(ctx, request)
		if err != nil {
			return nil, err
		}
		all = append(all, one.Tools...)
		cursor := one.cursor()
		if seen[cursor] {
			if cursor != "" {
				s.log.Warn("the server's tool list repeats a cursor; the list ends there", "tools", len(all))
			}
			return all, nil
		}
		seen[cursor] = true
		request.Params.Cursor = mcp.Cursor(cursor)
	}
	s.log.Warn("the server's tool list does not end; the list was cut", "pages", maxPages, "tools", len(all))
	return all, nil
}

func (s *session) page(ctx context.Context, request mcp.ListToolsRequest) (*page, error) {
	ctx, got := withCapture(ctx)
	_, err := s.client.ListToolsByPage(ctx, request)
	switch {
	case got.failure != nil && got.failure.Code == mcp.METHOD_NOT_FOUND:
		return &page{}, nil // a server may have prompts or resources alone
	case got.failure != nil:
		return nil, rpcError(got.failure)
	case got.result == nil:
		return nil, s.explain(ctx, err)
	}
	var one page
	if err := json.Unmarshal(got.result, &one); err != nil {
		return nil, fmt.Errorf("its answer to tools/list has no list of tools: %w", err)
	}
	return &one, nil
}

// call calls a tool and returns the raw result. The error is errUnsent when calling again is safe; what the server
// itself answered is the second kind, and goes to the program as it is.
func (s *session) call(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
	ctx, got := withCapture(ctx)
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, RawArguments: args}}
	_, err := s.client.CallTool(ctx, request)
	switch {
	case got.result != nil:
		s.answered.Store(true)
		return got.result, nil
	case got.failure != nil:
		s.answered.Store(true)
		return nil, rpcError(got.failure)
	case got.unsent:
		return nil, errUnsent
	case err == nil:
		return nil, errors.New("it answered with neither a result nor an error")
	}
	return nil, err
}
