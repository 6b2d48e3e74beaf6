package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

// link carries messages to one server and back. It knows JSON-RPC and its transport, and nothing of MCP's methods.
//
// The MCP library's client is not used here: it decodes answers into types that lose member order, digits and unknown
// members, refuses a whole list for one tool, and forgets which request an HTTP failure belongs to.
type link interface {
	// start opens the link. What the server sends by itself goes to in from then on.
	start(ctx context.Context, in inbound) error
	// request sends one request and waits for its answer. The error is an [rpcError] when the server answered with one,
	// wraps errUnsent when nothing of the request can have arrived, and is the context's when that ended.
	request(ctx context.Context, out *outgoing) (json.RawMessage, error)
	// notify sends a notification.
	notify(ctx context.Context, method string, params any) error
	// agreed is told the revision of the protocol before the first request that follows it.
	agreed(revision string)
	// close ends the link, waits, and may be called more than once.
	close()
}

// outgoing is one request.
type outgoing struct {
	id     int64
	method string
	params json.RawMessage
	// headers go along where there is HTTP.
	headers map[string]string
}

// envelope is the request's text.
func (o *outgoing) envelope() ([]byte, error) {
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      int64           `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", o.id, o.method, o.params})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnsent, err)
	}
	return text, nil
}

func notification(method string, params any) ([]byte, error) {
	return json.Marshal(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", method, params})
}

// inbound is what a server may send by itself. The context of a message that came in the stream of a request is that
// request's.
type inbound struct {
	// notification must not block.
	notification func(ctx context.Context, method string, params json.RawMessage)
	// request may take as long as a person does. Its context ends when the server takes the request back.
	request func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *RPCError)
}

// RPCError is a JSON-RPC error, of a server or for one.
type RPCError = message.Error

// decodeError reads an error object, and takes anything else for the message.
func decodeError(raw json.RawMessage) *RPCError {
	var e RPCError
	if json.Unmarshal(raw, &e) != nil {
		return &RPCError{Code: message.CodeInternal, Message: string(raw)}
	}
	return &e
}

// errUnsent is the cause of a request that failed before any of it was written.
var errUnsent = errors.New("the request was not sent")

// maxMessage bounds one message of a server, twice what a program may receive from one call.
const maxMessage = 64 << 20

// tooLarge is an answer above maxMessage.
type tooLarge struct {
	size int64
	// more says that it had not ended at that size.
	more bool
}

func (e *tooLarge) Error() string {
	size := fmt.Sprintf("has %d bytes", e.size)
	if e.more {
		size = fmt.Sprintf("has more than %d bytes", e.size)
	}
	return fmt.Sprintf("its answer %s, and the limit is %d (%d MiB)", size, maxMessage, maxMessage>>20)
}

// unreadable is an answer that is no JSON, or nested deeper than a decoder goes.
type unreadable struct {
	size  int
	cause error
}

func (e *unreadable) Error() string {
	return fmt.Sprintf("its answer of %d bytes cannot be read: %v", e.size, e.cause)
}

// lostAnswer is a request whose connection ended after it was sent.
type lostAnswer struct{ why string }

func (e *lostAnswer) Error() string { return e.why }
