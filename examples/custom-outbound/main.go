// Command custom-outbound gives programs a network of the host's own making.
//
// One learns that [protocol.OutboundVia] hands every request of a program's fetch to a Go function, which may refuse it
// by name, put a credential on it that the program never sees, or answer it from anywhere; that redirects are followed
// by the program's side, so that each hop is asked for again; and that a refusal is an error that the program can catch.
//
//	go run ./examples/custom-outbound
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/protocol"
)

// policy performs the requests of programs: to one host, with one token, and to nobody else.
type policy struct {
	host   *url.URL // where api.example really is
	token  string
	client *http.Client
}

// perform is a protocol.OutboundFunc.
func (p *policy) perform(ctx context.Context, request *http.Request) (*http.Response, error) {
	if request.URL.Host != "api.example" {
		return nil, fmt.Errorf("this host lets programs reach api.example only, not %s", request.URL.Host)
	}
	if request.Method != http.MethodGet {
		return nil, fmt.Errorf("this host lets programs read only: %s is refused", request.Method)
	}
	sent := request.Clone(ctx)
	sent.URL.Scheme, sent.URL.Host, sent.Host = p.host.Scheme, p.host.Host, ""
	sent.RequestURI = ""
	sent.Header.Set("Authorization", "Bearer "+p.token) // in place of whatever the program set
	return p.client.Do(sent)
}

// noRedirects leaves a redirect to the program's side, which asks for the next hop, and so comes through perform again.
func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// program asks for what is allowed, for what moved, and for what is refused.
//
//go:embed program.js
var program string

func run(ctx context.Context, out io.Writer) error {
	api := httptest.NewServer(http.HandlerFunc(serveAPI))
	defer api.Close()
	host, err := url.Parse(api.URL)
	if err != nil {
		return err
	}
	p := &policy{host: host, token: "the host's secret", client: &http.Client{CheckRedirect: noRedirects}}

	pool, err := executor.New(&executor.Options{Outbound: protocol.OutboundVia(p.perform)})
	if err != nil {
		return err
	}
	defer pool.Close()
	result, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: program})
	if err != nil {
		return err
	}
	if result.Failure != nil {
		return fmt.Errorf("the program failed: %s", result.Failure.Message)
	}
	value, err := protocol.DecodeValue(result.Value)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, value)
	return nil
}

// serveAPI is the service behind api.example.
func serveAPI(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Authorization") != "Bearer the host's secret":
		http.Error(w, "who are you?", http.StatusUnauthorized)
	case r.URL.Path == "/moved":
		http.Redirect(w, r, "https://elsewhere.example/orders", http.StatusFound)
	default:
		fmt.Fprint(w, `[{"id":"o1","total":42}]`)
	}
}
