package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"net"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// capture is one request's answer as it came over the wire. mcp-go's client decodes answers into types that lose member
// order, digits and unknown members, and refuses a whole list for one tool; with a capture in the context of its call
// the bytes are there whatever the client made of them.
type capture struct {
	// result is the raw result; nil when there was none.
	result json.RawMessage
	// failure is the error the server answered with; nil when there was none.
	failure *mcp.JSONRPCErrorDetails
	// unsent says that nothing of the request can have reached the server.
	unsent bool
}

type captureKey struct{}

// withCapture lets the transport under ctx report to the returned capture.
func withCapture(ctx context.Context) (context.Context, *capture) {
	c := &capture{}
	return context.WithValue(ctx, captureKey{}, c), c
}

// record keeps an answer for the capture in ctx, if there is one.
func record(ctx context.Context, response *transport.JSONRPCResponse, err error) {
	c, ok := ctx.Value(captureKey{}).(*capture)
	if !ok {
		return
	}
	if err != nil || response == nil {
		var dial *net.OpError
		c.unsent = errors.Is(err, errUnsent) || errors.Is(err, transport.ErrSessionTerminated) || errors.As(err, &dial) && dial.Op == "dial"
		return
	}
	c.result, c.failure = response.Result, response.Error
}

// errUnsent is the cause of a request that failed before any of it was written.
var errUnsent = errors.New("the request was not sent")

// inProcessTap records the answers of a server in our own process.
type inProcessTap struct{ *transport.InProcessTransport }

func (t inProcessTap) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := t.InProcessTransport.SendRequest(ctx, request)
	record(ctx, response, err)
	return response, err
}

// answerServer answers a request that a server sends to its client. We declare no capability, so a well-behaved server
// only pings; one that asks for more must not wait for ever.
func answerServer(_ context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	switch request.Method {
	case string(mcp.MethodPing):
		return transport.NewJSONRPCResultResponse(request.ID, json.RawMessage(`{}`)), nil
	case string(mcp.MethodElicitationCreate):
		return transport.NewJSONRPCResultResponse(request.ID, json.RawMessage(`{"action":"decline"}`)), nil
	}
	return transport.NewJSONRPCErrorResponse(request.ID, mcp.METHOD_NOT_FOUND, "Method not found: this client has no "+request.Method, nil), nil
}
