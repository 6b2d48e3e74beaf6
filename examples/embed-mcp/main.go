// Command embed-mcp puts the code tool into a web service that has an MCP server of its own.
//
// One learns that an MCP server in the same process is an [mcpserver.Upstream] like any other; that [mcpserver.Server]
// is an http.Handler to mount beside the service's own routes, with a token; that the service can run a program itself,
// without a client; and who closes what.
//
//	go run ./examples/embed-mcp
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/mcpserver"
)

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// newStock is the MCP server that the service has: tools a client would otherwise list one by one.
func newStock() *server.MCPServer {
	levels := map[string]int{"bolt": 120, "nut": 3, "washer": 0}
	s := server.NewMCPServer("stock", "1.0.0")
	s.AddTool(mcp.NewTool("parts", mcp.WithDescription("The names of all parts.")),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(`["bolt","nut","washer"]`), nil
		})
	s.AddTool(mcp.NewTool("level", mcp.WithDescription("How many of a part are in stock."), mcp.WithString("part", mcp.Required())),
		func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			part := request.GetString("part", "")
			n, known := levels[part]
			if !known {
				return mcp.NewToolResultError("there is no part " + part), nil
			}
			return mcp.NewToolResultText(fmt.Sprint(n)), nil
		})
	return s
}

// program finds the parts that run low, in one turn of a model and four calls.
//
//go:embed program.js
var program string

func run(ctx context.Context, out io.Writer) error {
	pool, err := executor.New(nil)
	if err != nil {
		return err
	}
	defer pool.Close() // last: the server uses it
	code, err := mcpserver.New(pool, []mcpserver.Upstream{mcpserver.InProcess("stock", newStock())}, nil)
	if err != nil {
		return err
	}
	defer code.Close()
	code.Settled(ctx)

	mux := http.NewServeMux()
	handler, closeStreams := code.Handler(&mcpserver.HTTPOptions{Token: "secret"})
	mux.Handle("/mcp", handler)
	mux.HandleFunc("/low", func(w http.ResponseWriter, r *http.Request) { // the service's own use of the same tool
		outcome, err := code.Call(r.Context(), program)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Write(outcome.Value)
	})
	web := httptest.NewServer(mux)
	defer web.Close()
	defer closeStreams(ctx)

	low, err := get(web.URL + "/low")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "GET /low:", low)
	return askAsClient(ctx, out, web.URL+"/mcp")
}

// askAsClient is the other side: a client that sees one tool.
func askAsClient(ctx context.Context, out io.Writer, url string) error {
	c, err := client.NewStreamableHttpClient(url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer secret"}))
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "client", Version: "1.0.0"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return err
	}
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return err
	}
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: list.Tools[0].Name, Arguments: map[string]any{"code": program}}})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d tool, %q, says: %v\n", len(list.Tools), list.Tools[0].Name, result.Content[0].(mcp.TextContent).Text)
	return nil
}

func get(url string) (string, error) {
	response, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}
