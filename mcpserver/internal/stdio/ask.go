package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

// ErrNoClient answers Ask when the context belongs to no client of this package, or the client cannot answer any more.
var ErrNoClient = errors.New("there is no client to ask")

// Ask sends a request to the client whose request ctx belongs to and waits for its answer. The error is a *message.Error
// when the client answered with one. When ctx ends first, the client is told.
func Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	s, ok := server.ClientSessionFromContext(ctx).(*session)
	if !ok {
		return nil, ErrNoClient
	}
	return s.questions.ask(ctx, s.conn, method, params)
}

// questions are our requests to the client that it has not answered.
type questions struct {
	mu      sync.Mutex
	last    int
	waiting map[string]chan *message.Message
	over    chan struct{} // closed when no answer can come any more
}

func newQuestions() *questions {
	return &questions{waiting: map[string]chan *message.Message{}, over: make(chan struct{})}
}

func (q *questions) ask(ctx context.Context, c *conn, method string, params json.RawMessage) (json.RawMessage, error) {
	answered := make(chan *message.Message, 1)
	q.mu.Lock()
	q.last++
	id := fmt.Sprintf("codemode-%d", q.last)
	key, _ := idKey(encode(id))
	q.waiting[key] = answered
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		delete(q.waiting, key)
		q.mu.Unlock()
	}()
	select {
	case <-q.over:
		return nil, ErrNoClient
	default:
	}
	c.write(encode(struct {
		Version string          `json:"jsonrpc"`
		ID      string          `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", id, method, params}))
	select {
	case m := <-answered:
		if m.Error != nil && string(m.Error) != "null" {
			var failure message.Error
			if err := json.Unmarshal(m.Error, &failure); err != nil {
				return nil, &message.Error{Code: message.CodeInternal, Message: "the client answered with an error that cannot be read"}
			}
			return nil, &failure
		}
		return m.Result, nil
	case <-q.over:
		return nil, ErrNoClient
	case <-ctx.Done():
		c.write(encode(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id, "reason": "the run ended"}}))
		return nil, ctx.Err()
	}
}

// answered takes the client's answer; one that nobody waits for is dropped.
func (q *questions) answered(m *message.Message) {
	key, _ := idKey(m.ID)
	q.mu.Lock()
	waiting := q.waiting[key]
	q.mu.Unlock()
	select {
	case waiting <- m:
	default: // nobody waits, or it is the second answer
	}
}

// end is the end of the client's messages.
func (q *questions) end() { close(q.over) }
