package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// names is a name service whose answers a test changes.
type names struct {
	mu        sync.Mutex
	addresses []string
	err       error
	asked     atomic.Int64
}

func (n *names) set(err error, addresses ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.addresses, n.err = addresses, err
}

func (n *names) LookupHost(_ context.Context, host string) ([]string, error) {
	n.asked.Add(1)
	n.mu.Lock()
	defer n.mu.Unlock()
	if host != "daemons.example" {
		return nil, fmt.Errorf("asked for %q", host)
	}
	return n.addresses, n.err
}

// TestEachAddressOfANameIsADaemon: new ones join, those that the name loses finish what they run, and a name service that
// fails changes nothing.
func TestEachAddressOfANameIsADaemon(t *testing.T) {
	leftover(t)
	g := newGate()
	first := newMachine(t, "", g.execute, nil)
	_, port, err := net.SplitHostPort(first.address)
	if err != nil {
		t.Fatal(err)
	}
	probe, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("this machine has one loopback address: %v", err) // macOS
	}
	if err != nil {
		t.Fatal(err)
	}
	probe.Close()
	second := newMachine(t, "127.0.0.2:"+port, nil, nil)

	service := &names{}
	service.set(nil, "127.0.0.1")
	options := quick()
	options.Resolver, options.ResolveEvery = service, 10*time.Millisecond
	b, err := DialBalancer(t.Context(), []string{"dns+ws://daemons.example:" + port + "/path"}, options)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ran := make(chan error, 1)
	go func() {
		_, err := b.Execute(t.Context(), &protocol.ExecuteRequest{})
		ran <- err
	}()
	<-g.entered

	service.set(nil, "127.0.0.1", "127.0.0.2")
	awaitIn(t, b, 2)
	service.set(nil, "127.0.0.2")
	awaitIn(t, b, 1)
	service.set(errors.New("no answer"))
	for asked := service.asked.Load(); service.asked.Load() < asked+3; {
		time.Sleep(time.Millisecond)
	}
	for range 3 {
		if result, err := b.Execute(t.Context(), &protocol.ExecuteRequest{}); err != nil || string(result.Value) != `"`+second.address+`"` {
			t.Errorf("%+v, %v", result, err)
		}
	}
	close(g.open)
	if err := <-ran; err != nil {
		t.Errorf("the run on the daemon whose address is gone: %v", err)
	}
	for range 6000 {
		if len(b.Status()) == 1 && len(first.handler.openSessions()) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("what is gone stays: %+v, %d sessions", b.Status(), len(first.handler.openSessions()))
}

// TestCertificatesAreForTheName, whichever address the connection goes to.
func TestCertificatesAreForTheName(t *testing.T) {
	leftover(t)
	handler, err := NewHandler(&fake{execute: echo}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer handler.Close()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it is not pleased with the second name
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for name, known := range map[string]bool{"example.com": true, "elsewhere.example": false} { // httptest's certificate
		options := quick()
		options.Resolver, options.Dial.TLS = everywhere{}, &tls.Config{RootCAs: roots}
		b, err := DialBalancer(t.Context(), []string{"dns+wss://" + name + ":" + port}, options)
		if known != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		if _, err := b.Execute(t.Context(), &protocol.ExecuteRequest{Code: "x"}); err != nil {
			t.Error(err)
		}
		b.Close()
	}
}

// everywhere is a name service that knows this machine alone.
type everywhere struct{}

func (everywhere) LookupHost(context.Context, string) ([]string, error) {
	return []string{"127.0.0.1"}, nil
}
