package mcpserver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// hammerClient is one HTTP client, as small as may be: hundreds of them are to cost little beside the server.
type hammerClient struct {
	ctx     context.Context
	web     *http.Client
	url     string
	session string
	modern  bool // speaks the revision without sessions
	took    []time.Duration
}

// newHammerClient is one that begins a session with its first run.
func newHammerClient(ctx context.Context, web *http.Client, url string) *hammerClient {
	return &hammerClient{ctx: ctx, web: web, url: url}
}

// run runs a program and returns the text of its answer.
func (c *hammerClient) run(program string) (string, error) {
	if c.session == "" && !c.modern {
		if _, err := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hammer","version":"1"}}}`); err != nil {
			return "", err
		}
	}
	meta := `{}`
	if c.modern {
		meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"hammer","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	began := time.Now()
	raw, err := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"code","arguments":{"code":%s},"_meta":%s}}`, quote(program), meta))
	if err != nil {
		return "", err
	}
	c.took = append(c.took, time.Since(began))
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error json.RawMessage
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", err
	}
	if answer.Error != nil || answer.Result.IsError || len(answer.Result.Content) == 0 {
		return "", fmt.Errorf("answered %s", raw)
	}
	return answer.Result.Content[0].Text, nil
}

// post sends a message and returns the last one of the answer.
func (c *hammerClient) post(body string) ([]byte, error) {
	request, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		request.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.modern {
		for name, value := range map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "code"} {
			request.Header.Set(name, value)
		}
	}
	response, err := c.web.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	c.session = cmp.Or(response.Header.Get("Mcp-Session-Id"), c.session)
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("%s: %s", response.Status, text), err)
	}
	last := text
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
			last = slices.Clone(data)
		}
	}
	return last, nil
}

// The clients of the hammer: many that have one run at a time, and one that has as many as it can.
const (
	hammerClients = 200
	hogRuns       = 20
)

// TestHammerHTTP has two hundred clients and a greedy one run programs for CODEMODE_HAMMER_HTTP (a duration), and prints
// what became of that. It is for make hammer-http, and skips in CI too: a soak has no place in every run.
func TestHammerHTTP(t *testing.T) {
	text := os.Getenv("CODEMODE_HAMMER_HTTP")
	if text == "" {
		t.Skip("CODEMODE_HAMMER_HTTP is not set: a soak is for make hammer-http, and has no place in every run, CI's among them")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("CODEMODE_HAMMER_HTTP: %v", err)
	}
	workers, err := executor.New(&executor.Options{Workers: runtime.GOMAXPROCS(0)})
	if err != nil {
		t.Fatal(err)
	}
	defer workers.Close()
	cfg := configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools("echo")}}, []string{"srv"}, nil)
	s, err := New(workers, FromConfig(cfg), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Settled(t.Context())
	url := listen(t, s, nil)
	transport := &http.Transport{MaxIdleConnsPerHost: 2 * hammerClients}
	defer transport.CloseIdleConnections()
	web := &http.Client{Transport: transport}
	until, stop := context.WithTimeout(t.Context(), length)
	defer stop()

	var all sync.WaitGroup
	clients := make([]*hammerClient, hammerClients)
	for i := range clients {
		clients[i] = newHammerClient(t.Context(), web, url)
		all.Go(func() { clients[i].hammer(t, until, i) })
	}
	hog := newHammerClient(t.Context(), web, url)
	if _, err := hog.run(`async () => 0`); err != nil {
		t.Fatal(err)
	}
	greedy := make([]*hammerClient, hogRuns)
	for i := range greedy {
		greedy[i] = newHammerClient(t.Context(), web, url)
		greedy[i].session = hog.session
		all.Go(func() { greedy[i].hammer(t, until, i) })
	}
	early := memoryLater(until, length/3)
	late := memoryLater(until, length/2)
	all.Wait()
	report(t, length, clients, greedy, early, late)
}

// hammer runs programs until the time is over.
func (c *hammerClient) hammer(t *testing.T, until context.Context, i int) {
	for n := 0; until.Err() == nil; n++ {
		want := fmt.Sprint(i*1_000_000 + n)
		got, err := c.run(`async () => (await srv.echo({a: ` + want + `})).a`)
		if err != nil || got != want {
			t.Errorf("client %d, run %d: %q, %v", i, n, got, err)
			return
		}
		if until.Err() != nil { // what waits at the end is answered to all, whoever's turn it is
			c.took = c.took[:len(c.took)-1]
		}
	}
}

// memoryLater is the heap in use after a while and a collection.
func memoryLater(until context.Context, wait time.Duration) uint64 {
	select {
	case <-time.After(wait):
	case <-until.Done():
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// report prints the hammer's, and fails where memory grew or shares were unfair.
func report(t *testing.T, length time.Duration, clients, greedy []*hammerClient, early, late uint64) {
	var took []time.Duration
	var shares []int
	for _, c := range clients {
		took = append(took, c.took...)
		shares = append(shares, len(c.took))
	}
	hog := 0
	for _, c := range greedy {
		hog += len(c.took)
	}
	slices.Sort(took)
	slices.Sort(shares)
	median := shares[len(shares)/2]
	at := func(part float64) time.Duration { return took[int(part*float64(len(took)-1))].Round(time.Millisecond) }
	fmt.Printf("hammer-http: %d clients and one with %d runs at a time, %s: %d runs (%.0f a second)\n"+
		"runs a client: least %d, median %d, most %d; the greedy one %d\nan answer: p50 %s, p99 %s, most %s\nheap: %.1f MB after a third, %.1f MB at the end; %d goroutines\n",
		len(clients), len(greedy), length, len(took)+hog, float64(len(took)+hog)/length.Seconds(),
		shares[0], median, shares[len(shares)-1], hog, at(0.5), at(0.99), at(1), float64(early)/1e6, float64(late)/1e6, runtime.NumGoroutine())
	const replayable = (hammerClients + 1) * maxEvents * 1000 // what the last answers of all may come to
	if late > early+early/4+8<<20+replayable {
		t.Errorf("the heap grew from %d to %d bytes", early, late)
	}
	if shares[0] < median/2 || shares[len(shares)-1] > 2*median || hog > 2*median {
		t.Error("the shares are unfair")
	}
}
