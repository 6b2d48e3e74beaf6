package remote

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

func TestDraining(t *testing.T) {
	leftover(t)
	running, finish := make(chan struct{}), make(chan struct{})
	handler, err := NewHandler(&fake{execute: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		close(running)
		<-finish
		return value("1"), nil
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	url := "ws" + strings.TrimPrefix(server.URL, "http")
	idle, busy := dial(t, url, &DialOptions{NoReconnect: true}), dial(t, url, &DialOptions{NoReconnect: true})
	done := make(chan error)
	go func() {
		_, err := busy.Execute(t.Context(), &protocol.ExecuteRequest{})
		done <- err
	}()
	<-running
	drained := make(chan struct{})
	go func() { handler.Drain(context.Background()); close(drained) }()
	idle.mu.Lock()
	gone := idle.current.rpc
	idle.mu.Unlock()
	<-gone.Broken()
	if err := localError(gone.Err()); !errors.Is(err, protocol.CodePoolClosed) {
		t.Errorf("the idle session ended with %v", err)
	}
	if _, err := busy.Execute(t.Context(), &protocol.ExecuteRequest{}); !errors.Is(err, protocol.CodePoolClosed) {
		t.Errorf("a run while draining: %v", err)
	}
	if status := statusOf(t, server.URL+"/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("ready while draining: %d", status)
	}
	if status := statusOf(t, server.URL+"/healthz"); status != http.StatusOK {
		t.Errorf("healthy while draining: %d", status)
	}
	if _, err := Dial(t.Context(), url, nil); !errors.Is(err, protocol.CodeConnectionRejected) {
		t.Errorf("a session while draining: %v", err)
	}
	close(finish)
	if err := <-done; err != nil {
		t.Errorf("the run that was to finish: %v", err)
	}
	<-drained
}

// TestWhoOpensNoWebSocketIsToldWhatThisIs: a person with a browser, or an MCP client with the daemon's address.
func TestWhoOpensNoWebSocketIsToldWhatThisIs(t *testing.T) {
	url, _ := daemon(t, &fake{}, nil)
	response, err := http.Get("http" + strings.TrimPrefix(url, "ws"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(response.Body)
	response.Body.Close()
	if response.StatusCode != http.StatusUpgradeRequired || !strings.Contains(string(text), "this is a codemode daemon") || response.Header.Get("Upgrade") != "websocket" {
		t.Errorf("%d %s", response.StatusCode, text)
	}
}

func statusOf(t *testing.T, url string) int {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// TestTenantsTakeTurns: one has queued twenty runs when the other asks for one, which is the next but one.
func TestTenantsTakeTurns(t *testing.T) {
	s := newSchedule(1)
	greedy, modest := Tenant{Name: "greedy"}.withDefaults(), Tenant{Name: "modest"}.withDefaults()
	leave, err := s.acquire(t.Context(), greedy)
	if err != nil {
		t.Fatal(err)
	}
	order := make(chan string, 30)
	var runs sync.WaitGroup
	ask := func(tenant Tenant) {
		_, before := s.counts()
		runs.Go(func() {
			leave, err := s.acquire(t.Context(), tenant)
			if err != nil {
				t.Error(err)
				return
			}
			order <- tenant.Name
			leave()
		})
		for _, waiting := s.counts(); waiting == before; _, waiting = s.counts() {
			time.Sleep(time.Millisecond)
		}
	}
	for range 20 {
		ask(greedy)
	}
	ask(modest)
	leave()
	runs.Wait()
	if first, second := <-order, <-order; first != "greedy" || second != "modest" {
		t.Errorf("%s, then %s", first, second)
	}
	if running, waiting := s.counts(); running != 0 || waiting != 0 || len(s.lanes) != 0 || len(s.turn) != 0 || s.free != 1 {
		t.Errorf("left: %d running, %d waiting, %+v", running, waiting, s)
	}
}

func TestATenantsPlacesAndQueue(t *testing.T) {
	s := newSchedule(10)
	tenant := Tenant{Name: "a", Concurrency: 1, MaxQueue: 1, QueueTimeout: 20 * time.Millisecond}.withDefaults()
	leave, err := s.acquire(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.acquire(t.Context(), tenant); !errors.Is(err, protocol.CodeQueueTimeout) {
		t.Errorf("a second: %v", err)
	}
	waits, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	patient := tenant
	patient.QueueTimeout = time.Minute
	go func() {
		_, err := s.acquire(waits, patient)
		failed <- err
	}()
	for _, waiting := s.counts(); waiting == 0; _, waiting = s.counts() {
		time.Sleep(time.Millisecond)
	}
	if _, err := s.acquire(t.Context(), tenant); !errors.Is(err, protocol.CodeQueueFull) {
		t.Errorf("a third: %v", err)
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("one that is given up: %v", err)
	}
	other, err := s.acquire(t.Context(), Tenant{Name: "b"}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	other()
	leave()
	if len(s.lanes) != 0 || s.free != 10 {
		t.Errorf("left: %+v", s)
	}
}

func TestMetrics(t *testing.T) {
	leftover(t)
	url, _ := daemon(t, &fake{execute: echo}, nil)
	client := dial(t, url, nil)
	for range 3 {
		if _, err := client.Execute(t.Context(), &protocol.ExecuteRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	response, err := http.Get("http" + strings.TrimPrefix(url, "ws") + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text strings.Builder
	if _, err := fmt.Fprint(&text, readAll(t, response)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"codemode_sessions 1\n", `codemode_runs_total{outcome="value"} 3` + "\n", "codemode_run_seconds_count 3\n", "codemode_run_queue_seconds_bucket{le=\"+Inf\"} 3\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	post, err := http.Post("http"+strings.TrimPrefix(url, "ws"), "text/plain", strings.NewReader("[]"))
	if err != nil {
		t.Fatal(err)
	}
	post.Body.Close()
	if post.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a batch over HTTP: %d", post.StatusCode)
	}
}

// certificates makes an authority, and a server's and a client's certificate of it.
func certificates(t *testing.T) (server, client tls.Certificate, roots *x509.CertPool) {
	t.Helper()
	var authority *x509.Certificate
	var authorityKey *ecdsa.PrivateKey
	make := func(serial int64, name string, ca bool) tls.Certificate {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
			IsCA: ca, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		}
		signer, signerKey := authority, authorityKey
		if ca {
			signer, signerKey = template, key
		}
		der, err := x509.CreateCertificate(rand.Reader, template, signer, &key.PublicKey, signerKey)
		if err != nil {
			t.Fatal(err)
		}
		if ca {
			authorityKey = key
			if authority, err = x509.ParseCertificate(der); err != nil {
				t.Fatal(err)
			}
		}
		return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	}
	make(1, "authority", true)
	roots = x509.NewCertPool()
	roots.AddCert(authority)
	return make(2, "daemon", false), make(3, "alice", false), roots
}

func TestCertificatesOfBothSides(t *testing.T) {
	leftover(t)
	serverCert, clientCert, roots := certificates(t)
	handler, err := NewHandler(&fake{execute: echo}, nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{serverCert}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert}
	server.StartTLS()
	t.Cleanup(func() { handler.Close(); server.Close() })
	url := "wss" + strings.TrimPrefix(server.URL, "https")
	client := dial(t, url, &DialOptions{TLS: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{clientCert}}})
	if _, err := client.Execute(t.Context(), &protocol.ExecuteRequest{}); err != nil {
		t.Error(err)
	}
	soon(t, "the handler has noted its session", func() bool { return len(handler.openSessions()) == 1 })
	if got := handler.openSessions()[0].tenant.Name; got != "certificate CN=alice" {
		t.Errorf("the session is %q's", got)
	}
	for name, config := range map[string]*tls.Config{"no certificate": {RootCAs: roots}, "an authority nobody knows": nil} {
		if _, err := Dial(t.Context(), url, &DialOptions{TLS: config}); !errors.Is(err, protocol.CodeConnectionRejected) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// patient is a response whose connection tells until when it is read from.
type patient struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (p *patient) SetReadDeadline(until time.Time) error {
	p.until = until
	return nil
}

// Whoever begins a body that nobody reads, and does not go on, needs no token for it, and would have the connection for ever.
func TestABodyThatNobodyReadsComesInItsTime(t *testing.T) {
	handler, err := NewHandler(newCounted(), &HandlerOptions{Tokens: &Tokens{read: time.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	defer handler.Close()
	for _, c := range []struct {
		method, path string
		status       int
	}{{http.MethodGet, "/healthz", 200}, {http.MethodPost, "/", 405}, {http.MethodGet, "/", 401}} {
		w := &patient{ResponseRecorder: httptest.NewRecorder()}
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader("{")))
		if w.Code != c.status || w.until.IsZero() || time.Until(w.until) > bodyTime {
			t.Errorf("%s %s: status %d, read from until %v", c.method, c.path, w.Code, w.until)
		}
	}
}
