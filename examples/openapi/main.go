// Command openapi puts the code tool in front of an HTTP API that has no MCP server, only an OpenAPI document.
//
// One learns that a server entry of a configuration may name a document; that each of its operations is then a function
// with types, and request is there for what the document leaves out; that the login comes from the configuration, which
// the program never sees; that a status of failure is thrown; and that a policy over MCP's annotations holds for HTTP
// methods, too.
//
//	go run ./examples/openapi
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/mcpserver/config"
)

// document describes the API. In a configuration it may also be a file, or an address elsewhere.
//
//go:embed openapi.yaml
var document []byte

// program reorders what runs low, and is refused what would destroy.
//
//go:embed program.js
var program string

// configuration is what one would write into a file. The API's address and key are variables of the environment.
const configuration = `{
  "mcpServers": {
    "stock": {"openapi": "${STOCK_URL}/openapi.yaml", "security": {"key": "${STOCK_KEY}"}}
  },
  "codemode": {"policy": {"rules": [
    {"action": "allow", "tool": "createOrder"},
    {"action": "allow", "tool": "request", "when": "args.method == 'GET'"},
    {"action": "deny", "destructive": true, "reason": "this program may order, and nothing else"}
  ]}}
}`

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	api := httptest.NewServer(newStock("the host's key"))
	defer api.Close()
	environment := map[string]string{"STOCK_URL": api.URL, "STOCK_KEY": "the host's key"}
	cfg, err := config.Parse("codemode.json", []byte(configuration), &config.Options{LookupEnv: func(name string) (string, bool) {
		value, set := environment[name]
		return value, set
	}})
	if err != nil {
		return err
	}
	pool, err := executor.New(nil)
	if err != nil {
		return err
	}
	defer pool.Close() // last: the server uses it
	code, err := mcpserver.New(pool, mcpserver.FromConfig(cfg), mcpserver.OptionsFromConfig(cfg))
	if err != nil {
		return err
	}
	defer code.Close()
	code.Settled(ctx)

	fmt.Fprintln(out, "what the model reads, in short:")
	for _, block := range code.DeclarationsIn(codetool.FormCompact) {
		fmt.Fprintln(out, block.Text)
	}
	outcome, err := code.Call(ctx, program)
	if err != nil {
		return err
	}
	if outcome.Failure != nil {
		return fmt.Errorf("the program failed: %s", outcome.Failure.Message)
	}
	fmt.Fprintln(out, "what the program returns:")
	_, err = fmt.Fprintf(out, "%s\n", outcome.Value)
	return err
}

// stock is the API: parts, and orders of them.
type stock struct {
	key string
	mux *http.ServeMux

	mu     sync.Mutex
	levels map[string]int
}

func newStock(key string) *stock {
	s := &stock{key: key, mux: http.NewServeMux(), levels: map[string]int{"bolt": 120, "nut": 3, "washer": 0}}
	s.mux.HandleFunc("GET /v1/parts", s.parts)
	s.mux.HandleFunc("GET /v1/parts/{name}", s.part)
	s.mux.HandleFunc("POST /v1/orders", order)
	s.mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "open") }) // not in the document
	return s
}

func (s *stock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/openapi.yaml" {
		w.Write(document)
		return
	}
	if r.Header.Get("X-Key") != s.key {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	s.mux.ServeHTTP(w, r)
}

type part struct {
	Name  string `json:"name"`
	Level int    `json:"level"`
}

// parts lists those below a level; without one, all.
func (s *stock) parts(w http.ResponseWriter, r *http.Request) {
	below := 1 << 30
	if text := r.URL.Query().Get("below"); text != "" {
		if _, err := fmt.Sscan(text, &below); err != nil {
			http.Error(w, "below is no number", http.StatusBadRequest)
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []part{}
	for _, name := range []string{"bolt", "nut", "washer"} {
		if level := s.levels[name]; level < below {
			list = append(list, part{name, level})
		}
	}
	answer(w, http.StatusOK, list)
}

func (s *stock) part(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	level, known := s.levels[r.PathValue("name")]
	if !known {
		answer(w, http.StatusNotFound, map[string]string{"error": "there is no part " + r.PathValue("name")})
		return
	}
	answer(w, http.StatusOK, part{r.PathValue("name"), level})
}

func order(w http.ResponseWriter, r *http.Request) {
	var order struct {
		Part   string `json:"part"`
		Amount int    `json:"amount"`
	}
	if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer(w, http.StatusCreated, map[string]any{"id": "order-of-" + order.Part, "part": order.Part, "amount": order.Amount})
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}
