package upstream

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// inProcess is a link to a server of our own process. The server may not ask its client anything.
type inProcess struct{ t *transport.InProcessTransport }

func newInProcess(s *server.MCPServer) *inProcess {
	return &inProcess{transport.NewInProcessTransport(s)}
}

func (p *inProcess) start(ctx context.Context, in inbound) error {
	p.t.SetNotificationHandler(func(n mcp.JSONRPCNotification) {
		params, err := json.Marshal(n.Params)
		if err == nil { // what the server said has a rendering
			in.notification(context.Background(), n.Method, params)
		}
	})
	return p.t.Start(context.WithoutCancel(ctx))
}

func (p *inProcess) request(ctx context.Context, out *outgoing) (json.RawMessage, error) {
	response, err := p.t.SendRequest(ctx, transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(out.id), Method: out.method, Params: out.params,
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case response.Error != nil:
		return nil, &RPCError{Code: response.Error.Code, Message: response.Error.Message}
	}
	return response.Result, nil
}

func (p *inProcess) notify(ctx context.Context, method string, params any) error {
	fields, _ := params.(map[string]any)
	return p.t.SendNotification(ctx, mcp.JSONRPCNotification{
		JSONRPC:      mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{Method: method, Params: mcp.NotificationParams{AdditionalFields: fields}},
	})
}

func (p *inProcess) agreed(string) {}

func (p *inProcess) close() { _ = p.t.Close() } // its Close has no failure
