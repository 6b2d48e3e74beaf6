//go:build cgo && (linux || darwin)

package remote_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

// TestMain makes the test binary its own worker process, for the examples.
func TestMain(m *testing.M) {
	worker.Main()
	beClient()
	os.Exit(m.Run())
}

// startDaemon is the other machine.
func startDaemon() (url string, stop func()) {
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	handler, err := remote.NewHandler(pool, nil)
	if err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(handler)
	return "ws" + strings.TrimPrefix(web.URL, "http"), func() {
		handler.Close()
		web.Close()
		pool.Close()
	}
}

// The program runs at the daemon; its call comes back over the same socket.
func ExampleDial() {
	url, stop := startDaemon()
	defer stop()
	ctx := context.Background()
	there, err := remote.Dial(ctx, url, &remote.DialOptions{Outbound: protocol.BlockOutbound()})
	if err != nil {
		log.Fatal(err)
	}
	defer there.Close()

	result, err := there.Execute(ctx, &protocol.ExecuteRequest{
		Code:      `async () => (await api.add({ a: 40, b: 2 })) / 2`,
		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"add"}}},
		Dispatch: func(_ context.Context, provider, tool, argsJSON string) (string, error) {
			fmt.Println("here:", provider, tool, argsJSON)
			return `{"result":42}`, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", result.Value)
	// Output:
	// here: api add [{"a":40,"b":2}]
	// 21
}

// Several daemons are one executor: each run goes where the fewest are, and to another daemon when one is gone.
func ExampleDialBalancer() {
	first, stopFirst := startDaemon()
	defer stopFirst()
	second, stopSecond := startDaemon()
	ctx := context.Background()
	there, err := remote.DialBalancer(ctx, []string{first, second}, &remote.BalancerOptions{Dial: remote.DialOptions{Outbound: protocol.BlockOutbound()}})
	if err != nil {
		log.Fatal(err)
	}
	defer there.Close()
	stopSecond()
	for range 4 {
		result, err := there.Execute(ctx, &protocol.ExecuteRequest{Code: `async () => 6 * 7`})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s ", result.Value)
	}
	// Output:
	// 42 42 42 42
}

// A daemon that cannot be reached is an error of Dial, with a code.
func ExampleDial_rejected() {
	_, err := remote.Dial(context.Background(), "ws://127.0.0.1:1", nil)
	fmt.Println(errors.Is(err, protocol.CodeConnectionRejected))
	// Output:
	// true
}
