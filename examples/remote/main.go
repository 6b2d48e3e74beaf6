// Command remote runs programs on a daemon, and their tools here.
//
// One learns that [remote.Dial] gives the same protocol.Executor as a pool, so that one line of a host changes; that
// only the program, its calls and their results cross the socket, while functions and credentials stay in this process;
// and how a daemon is closed without losing what it runs. In earnest the daemon is `codemode daemon` on another machine.
//
//	go run ./examples/remote
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

// program asks for orders that only this process has.
//
//go:embed program.js
var program string

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	url, stop, err := startDaemon()
	if err != nil {
		return err
	}
	defer stop()

	// The one line: executor.New(&executor.Options{…}) would run the programs here.
	there, err := remote.Dial(ctx, url, &remote.DialOptions{Outbound: protocol.BlockOutbound(), Token: "secret"})
	if err != nil {
		return err
	}
	tool := codetool.NewTool(there, []codetool.Provider{shop(out)}, nil)
	defer tool.Close() // and with it the session

	outcome, err := tool.Call(ctx, program)
	if err != nil {
		return err // errors.Is(err, protocol.CodeConnectionBroken) when the daemon went away under it
	}
	envelope, err := outcome.Envelope()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n", envelope)
	return nil
}

// shop is the host's: its functions run here, beside what they need.
func shop(out io.Writer) codetool.Provider {
	type ofUser struct {
		UserID string `json:"userId"`
	}
	type order struct {
		Total  int    `json:"total"`
		Status string `json:"status"`
	}
	return codetool.Provider{Tools: []codetool.RawTool{
		codetool.Func("listOrders", "Orders belonging to one user.", func(_ context.Context, in ofUser) ([]order, error) {
			fmt.Fprintf(out, "listOrders ran in the host process for %s\n", in.UserID)
			return []order{{42, "shipped"}, {7, "pending"}}, nil
		}),
	}}
}

// startDaemon is the other machine: a pool behind a handler, which asks for a token.
func startDaemon() (url string, stop func(), err error) {
	tokens, err := writeTokens("host secret\n")
	if err != nil {
		return "", nil, err
	}
	pool, err := executor.New(nil)
	if err != nil {
		return "", nil, err
	}
	handler, err := remote.NewHandler(pool, &remote.HandlerOptions{Tokens: tokens})
	if err != nil {
		pool.Close()
		return "", nil, err
	}
	web := httptest.NewServer(handler)
	return "ws" + strings.TrimPrefix(web.URL, "http"), func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		handler.Drain(ctx) // no new runs; what runs may finish
		handler.Close()
		web.Close()
		pool.Close()
	}, nil
}

// writeTokens makes the file that a daemon is given, a line for each that may connect.
func writeTokens(lines string) (*remote.Tokens, error) {
	file, err := os.CreateTemp("", "tokens")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(lines); err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	return remote.LoadTokens(file.Name())
}
