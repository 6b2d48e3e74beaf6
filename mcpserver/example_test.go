package mcpserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/mcpserver"
)

// shop is an MCP server of this process, as an embedding program may have one.
func shop() *server.MCPServer {
	s := server.NewMCPServer("shop", "1.0.0")
	s.AddTool(mcp.NewTool("total", mcp.WithDescription("What a user spent."), mcp.WithString("user", mcp.Required())),
		func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(`{"user":"` + request.GetString("user", "") + `","total":42}`), nil
		})
	return s
}

// newServer puts a code server in front of the shop; end closes it and its pool.
func newServer() (srv *mcpserver.Server, end func()) {
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	srv, err = mcpserver.New(pool, []mcpserver.Upstream{mcpserver.InProcess("shop", shop())}, nil)
	if err != nil {
		log.Fatal(err)
	}
	return srv, func() {
		srv.Close()
		pool.Close()
	}
}

// A program of a host's own, without a client.
func ExampleServer_Call() {
	srv, end := newServer()
	defer end()
	outcome, err := srv.Call(context.Background(), "const { total } = await shop.total({ user: 'ada' })\ntotal * 2")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(outcome.Value))
	// Output:
	// 84
}

func ExampleServer_Servers() {
	srv, end := newServer()
	defer end()
	srv.Settled(context.Background())
	for _, s := range srv.Servers() {
		fmt.Println(s.Namespace, s.State, len(s.Tools), s.Tools[0].Name)
	}
	fmt.Println(srv.Declarations()[0].Text)
	// Output:
	// shop ready 1 total
	// type TotalInput = {
	//     user: string;
	// }
	// type TotalOutput = unknown
	//
	// declare const shop: {
	// 	/**
	// 	 * What a user spent.
	// 	 */
	// 	total: (input: TotalInput) => Promise<TotalOutput>;
	// }
}

// One client on two streams, as a host starts us: a message a line each way.
func ExampleServer_ServeStdio() {
	srv, end := newServer()
	defer end()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- srv.ServeStdio(context.Background(), in, out) }()

	answers := bufio.NewScanner(fromServer)
	ask := func(message string) {
		fmt.Fprintln(toServer, message)
		for answers.Scan() && !strings.Contains(answers.Text(), `"result"`) {
			continue // a notification
		}
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"me","version":"1"}}}`)
	fmt.Fprintln(toServer, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"code","arguments":{"code":"async () => shop.total({ user: 'ada' })"}}}`)
	_, content, _ := strings.Cut(answers.Text(), `"content":`)
	fmt.Println(content)

	go io.Copy(io.Discard, fromServer) // a client reads what comes to its end
	defer out.Close()
	toServer.Close() // the client goes
	fmt.Println("served:", <-served)
	// Output:
	// [{"type":"text","text":"{\n  \"user\": \"ada\",\n  \"total\": 42\n}"}]}}
	// served: <nil>
}

// The same over Streamable HTTP, mounted in a mux of the program's own.
func ExampleServer_Handler() {
	srv, end := newServer()
	defer end()
	handler, closeStreams := srv.Handler(&mcpserver.HTTPOptions{Token: "secret"})
	web := httptest.NewServer(handler)
	defer web.Close()
	defer closeStreams(context.Background())

	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"me","version":"1"}}}`
	for _, token := range []string{"wrong", "secret"} {
		request, _ := http.NewRequest(http.MethodPost, web.URL+"/mcp", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := web.Client().Do(request)
		if err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
		fmt.Println(response.Status)
	}
	// Output:
	// 401 Unauthorized
	// 200 OK
}
