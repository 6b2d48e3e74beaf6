package stdio

import (
	"context"
	"crypto/rand"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is what mcp-go knows of a client.
type session struct {
	conn          *conn
	id            string
	initialized   atomic.Bool
	negotiated    atomic.Value // of string
	client        atomic.Value // of mcp.Implementation
	capabilities  atomic.Value // of mcp.ClientCapabilities
	logLevel      atomic.Value // of mcp.LoggingLevel
	notifications chan mcp.JSONRPCNotification
	questions     *questions
	streams       streams
}

func newSession(c *conn) *session {
	return &session{conn: c, id: "stdio-" + rand.Text(), notifications: make(chan mcp.JSONRPCNotification, 64), questions: newQuestions()}
}

// SessionID, Initialize, Initialized and NotificationChannel implement server.ClientSession.
func (s *session) SessionID() string                                   { return s.id }
func (s *session) Initialize()                                         { s.initialized.Store(true) }
func (s *session) Initialized() bool                                   { return s.initialized.Load() }
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

// SetProtocolVersion is called by mcp-go with the revision that was agreed on.
func (s *session) SetProtocolVersion(version string) { s.negotiated.Store(version) }

// ProtocolVersion implements server.SessionWithProtocolVersion; it is empty before the client has initialized.
func (s *session) ProtocolVersion() string {
	version, _ := s.negotiated.Load().(string)
	return version
}

// The client's name, version and capabilities, as it initialized with them; with these the session implements
// server.SessionWithClientInfo.
func (s *session) SetClientInfo(client mcp.Implementation)        { s.client.Store(client) }
func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) { s.capabilities.Store(c) }

func (s *session) GetClientInfo() mcp.Implementation {
	client, _ := s.client.Load().(mcp.Implementation)
	return client
}

func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	capabilities, _ := s.capabilities.Load().(mcp.ClientCapabilities)
	return capabilities
}

// SetLogLevel and GetLogLevel implement server.SessionWithLogging; the level is empty until the client has chosen one.
func (s *session) SetLogLevel(level mcp.LoggingLevel) { s.logLevel.Store(level) }
func (s *session) GetLogLevel() mcp.LoggingLevel {
	level, _ := s.logLevel.Load().(mcp.LoggingLevel)
	return level
}

// forward writes what the server says of its own accord, such as that its tools changed.
func (s *session) forward(ctx context.Context) {
	for {
		select {
		case n := <-s.notifications:
			if s.ProtocolVersion() != "" { // a client that initialized hears everything
				s.conn.write(encode(n))
				continue
			}
			for _, one := range s.streams.addressed(n) {
				s.conn.write(encode(one))
			}
		case <-ctx.Done():
			return
		}
	}
}

// Notify sends a notification to the client whose request ctx belongs to, before the answer to that request. It reports
// false when ctx belongs to no client of this package.
func Notify(ctx context.Context, method string, params map[string]any) bool {
	s, ok := server.ClientSessionFromContext(ctx).(*session)
	if !ok {
		return false
	}
	s.conn.write(encode(mcp.JSONRPCNotification{
		JSONRPC:      mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{Method: method, Params: mcp.NotificationParams{AdditionalFields: params}},
	}))
	return true
}
