package main

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The demonstration's data, as the seed document has it.
type (
	demoUser struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	demoOrder struct {
		ID     string `json:"id"`
		UserID string `json:"userId"`
		Total  int    `json:"total"`
		Status string `json:"status"`
	}
)

func demoUsers() []demoUser {
	return []demoUser{{"u1", "Ada"}, {"u2", "Grace"}}
}

func demoOrders() []demoOrder {
	return []demoOrder{{"o1", "u1", 42, "shipped"}, {"o2", "u1", 7, "pending"}, {"o3", "u2", 100, "shipped"}}
}

// newDemoUpstream is an MCP server with two tools over that data.
func newDemoUpstream() *server.MCPServer {
	upstream := server.NewMCPServer("shop", "1.0.0", server.WithToolCapabilities(false))
	upstream.AddTool(
		mcp.NewToolWithRawSchema("listUsers", "Every user this host knows about.",
			json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return jsonText(demoUsers())
		})
	upstream.AddTool(
		mcp.NewToolWithRawSchema("listOrders", "Orders belonging to one user.", json.RawMessage(`{"type":"object","properties":`+
			`{"userId":{"type":"string","description":"The id of the user whose orders to return."}},"required":["userId"],"additionalProperties":false}`)),
		func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			id := request.GetString("userId", "")
			orders := []demoOrder{}
			for _, order := range demoOrders() {
				if order.UserID == id {
					orders = append(orders, order)
				}
			}
			return jsonText(orders)
		})
	return upstream
}

// jsonText is a result as most servers send it: JSON in a text block.
func jsonText(v any) (*mcp.CallToolResult, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultText(string(text)), nil
}
