package remote

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// machine is a daemon that can be killed, as kill -9 has it, and started again at its address.
type machine struct {
	t        *testing.T
	address  string
	executor protocol.Executor
	options  *HandlerOptions

	handler *Handler
	server  *http.Server
	conns   *keptConns
	served  sync.WaitGroup
	began   atomic.Int64 // executions, over all its lives
}

// keptConns is a listener that knows its connections.
type keptConns struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (k *keptConns) Accept() (net.Conn, error) {
	conn, err := k.Listener.Accept()
	if err == nil {
		k.mu.Lock()
		k.conns = append(k.conns, conn)
		k.mu.Unlock()
	}
	return conn, err
}

// newMachine starts a daemon at an address of this machine ("" for any) that lives until the end of the test. Its executor is
// execute, or says the machine's address.
func newMachine(t *testing.T, address string, execute func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error), options *HandlerOptions) *machine {
	t.Helper()
	if address == "" {
		address = "127.0.0.1:0"
	}
	m := &machine{t: t, address: address, options: options}
	m.executor = &fake{execute: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		m.began.Add(1)
		if execute != nil {
			return execute(ctx, r)
		}
		return value(`"` + m.address + `"`), nil
	}}
	m.start()
	t.Cleanup(m.kill)
	return m
}

func (m *machine) url() string { return "ws://" + m.address }

func (m *machine) start() {
	m.t.Helper()
	var err error
	if m.handler, err = NewHandler(m.executor, m.options); err != nil {
		m.t.Fatal(err)
	}
	listener, err := net.Listen("tcp", m.address)
	if err != nil {
		m.t.Fatal(err)
	}
	m.address = listener.Addr().String()
	m.conns, m.server = &keptConns{Listener: listener}, &http.Server{Handler: m.handler}
	m.served.Go(func() { _ = m.server.Serve(m.conns) })
}

// kill ends the connections without a word, and then what is left of the handler.
func (m *machine) kill() {
	if m.server == nil {
		return
	}
	m.conns.Close()
	m.conns.mu.Lock()
	for _, conn := range m.conns.conns {
		conn.Close()
	}
	m.conns.mu.Unlock()
	_ = m.handler.Close()
	_ = m.server.Close()
	m.served.Wait()
	m.server = nil
}

// quick are options for tests: ejections are short.
func quick() *BalancerOptions {
	return &BalancerOptions{Ejection: 5 * time.Millisecond, MaxEjection: 50 * time.Millisecond}
}

// balance dials machines, and waits until each is in.
func balance(t *testing.T, options *BalancerOptions, machines ...*machine) *Balancer {
	t.Helper()
	urls := make([]string, len(machines))
	for i, m := range machines {
		urls[i] = m.url()
	}
	b, err := DialBalancer(t.Context(), urls, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	awaitIn(t, b, len(machines))
	return b
}

// awaitIn waits until so many daemons are in.
func awaitIn(t *testing.T, b *Balancer, want int) {
	t.Helper()
	for range 6000 {
		in := 0
		for _, s := range b.Status() {
			if s.In {
				in++
			}
		}
		if in == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%d daemons are never in: %+v", want, b.Status())
}
