package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// BalancerOptions adjusts DialBalancer. The zero value of a field is its default.
type BalancerOptions struct {
	// Dial is for the sessions with each daemon. Its NoReconnect, ReconnectAttempts and ReconnectBackoff have no say: a
	// daemon whose session ends is ejected, and a new session readmits it.
	Dial DialOptions
	// Ejection is how long a daemon stays out after its first failure; each failure that follows doubles it, up to
	// MaxEjection, less up to a quarter by chance, so that many hosts do not come back in one moment. Defaults 200 ms and
	// 30 s: a daemon that restarts is back at once, and one that is gone costs an attempt in half a minute.
	Ejection, MaxEjection time.Duration
	// Patience is how long a run waits when no daemon is in, before CONNECTION_REJECTED. Default 5 s, in which a
	// deployment of one daemon restarts; negative: it does not wait.
	Patience time.Duration
	// ResolveEvery is how often the names of dns+ URLs are looked up. Default 10 s, as a cluster's name service is cached.
	ResolveEvery time.Duration
	// Resolver looks names up. Nil is net.DefaultResolver.
	Resolver Resolver
}

// Resolver looks up the addresses of a name. A *net.Resolver is one.
type Resolver interface {
	LookupHost(ctx context.Context, host string) (addresses []string, err error)
}

// Balancer is an executor on several machines: each run goes to the daemon that has the fewest of this balancer's runs.
// Nothing that was on its way is sent again, but a run that a daemon refused before it began (its queue is full, it shuts
// down, it lost the worker, there is no session to be had) goes to another. A daemon keeps no state but retained executions, and those stay
// where they are: their ids say where. A Balancer is safe for concurrent use.
type Balancer struct {
	options BalancerOptions
	log     *slog.Logger
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	work    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	members []*member
	lookup  error         // why the newest look-up of a name failed
	turn    int           // where the search for the least load begins, so that equals take turns
	changed chan struct{} // closed, and made anew, whenever a member's state has changed
}

var _ protocol.HandleExecutor = (*Balancer)(nil)

// DialBalancer opens sessions with daemons and returns as soon as one of them is there; the others join when they are.
// URLs are Dial's, and of the form dns+ws://name:port/path (dns+wss, dns+http, dns+https): there each address of the name is a
// daemon, looked up again while the balancer lives; with TLS, certificates are for the name. ctx bounds the opening alone. The
// error is CONNECTION_REJECTED when no daemon is there, and PROTOCOL_MISMATCH when the versions of all of them differ.
func DialBalancer(ctx context.Context, urls []string, options *BalancerOptions) (*Balancer, error) {
	if len(urls) == 0 {
		return nil, protocol.Errorf(protocol.CodeInvalidRequest, "urls: there is no daemon to dial")
	}
	b := newBalancer(options)
	for i, text := range urls {
		if slices.Contains(urls[:i], text) {
			b.Close()
			return nil, protocol.Errorf(protocol.CodeInvalidRequest, "urls[%d]: %s stands there twice", i, shownURL(text))
		}
		if err := b.add(ctx, text); err != nil {
			b.Close()
			return nil, err
		}
	}
	if err := b.awaitFirst(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func newBalancer(options *BalancerOptions) *Balancer {
	var o BalancerOptions
	if options != nil {
		o = *options
	}
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{{&o.Ejection, 200 * time.Millisecond}, {&o.MaxEjection, 30 * time.Second}, {&o.ResolveEvery, 10 * time.Second}} {
		if *d.value <= 0 {
			*d.value = d.standard
		}
	}
	if o.Patience == 0 {
		o.Patience = 5 * time.Second
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	o.Dial.NoReconnect = true
	if o.Dial.Logger == nil {
		o.Dial.Logger = slog.New(slog.DiscardHandler)
	}
	b := &Balancer{options: o, log: o.Dial.Logger, changed: make(chan struct{})}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// awaitFirst waits until a daemon is in, or each has been tried.
func (b *Balancer) awaitFirst(ctx context.Context) error {
	for {
		b.mu.Lock()
		failed := b.reasons()
		untried := 0
		for _, m := range b.members {
			if m.up {
				b.mu.Unlock()
				return nil
			}
			if m.err == nil {
				untried++
			}
		}
		changed := b.changed
		b.mu.Unlock()
		if untried == 0 {
			return noDaemon(failed)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return noDaemon(append(failed, context.Cause(ctx)))
		}
	}
}

// reasons says why daemons are out; b.mu is held.
func (b *Balancer) reasons() []error {
	var reasons []error
	if b.lookup != nil {
		reasons = append(reasons, b.lookup)
	}
	for _, m := range b.members {
		if m.err != nil {
			reasons = append(reasons, m.err)
		}
	}
	return reasons
}

// noDaemon is the error of a balancer that none of its daemons lets in: the one that all of them give, or all of them.
func noDaemon(reasons []error) error {
	all := func(code protocol.Code) bool {
		return !slices.ContainsFunc(reasons, func(err error) bool { return !errors.Is(err, code) })
	}
	switch {
	case len(reasons) == 0:
		return protocol.Errorf(protocol.CodeConnectionRejected, "there is no daemon")
	case all(protocol.CodeProtocolMismatch), len(reasons) == 1 && all(protocol.CodeConnectionRejected):
		return reasons[0]
	}
	joined := errors.Join(reasons...)
	return &protocol.Error{Code: protocol.CodeConnectionRejected, Message: fmt.Sprintf("none of the daemons can be reached: %v", joined), Cause: joined}
}

// Execute runs one program on one of the daemons; its errors are those of [Client.Execute]. CONNECTION_REJECTED says that no
// daemon was in, or came in within Patience.
func (b *Balancer) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	var busy []*member
	var refusal error
	patience := time.NewTimer(max(0, b.options.Patience))
	defer patience.Stop()
	for {
		m, err := b.pick(ctx, busy, patience.C)
		if err != nil {
			return nil, err
		}
		if m == nil { // those that are in are busy, or none came in
			return nil, b.refused(refusal)
		}
		result, err := b.executeAt(ctx, m, request)
		switch because := refusalOf(err); {
		case because == nil:
			return result, err
		case because.Code == protocol.CodeQueueFull, because.Code == protocol.CodeWorkerLost:
			busy = append(busy, m)
		default:
			b.eject(m, err)
		}
		refusal = err
	}
}

// executeAt runs a program on the daemon that pick chose.
func (b *Balancer) executeAt(ctx context.Context, m *member, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	defer b.settle(m)
	s, err := m.client.acquire(ctx)
	if err != nil {
		return nil, neverBegan(ctx, err)
	}
	result, err := m.client.executeOn(ctx, s, request)
	if err != nil {
		if errors.Is(err, protocol.CodeWorkerStartFailed) && b.others(m) {
			b.eject(m, err) // failing at once it would have the least load, and draw every run
		}
		return nil, err
	}
	b.proven(m)
	if result.ExecutionID != "" {
		result.ExecutionID = m.sign(result.ExecutionID)
	}
	return result, nil
}

// notBegun marks the error of a run that there was no session for.
type notBegun struct{ error }

func (e notBegun) Unwrap() error { return e.error }

// neverBegan marks the failure to get a session, unless it is that the caller's context ended.
func neverBegan(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return notBegun{err}
}

// refusalOf says why another daemon may be given the run, since this one did not begin it; nil when it may have.
func refusalOf(err error) *protocol.Error {
	var ours *protocol.Error
	if !errors.As(err, &ours) {
		return nil
	}
	var unbegun notBegun
	switch {
	case errors.As(err, &unbegun):
		return ours
	case !ours.Retryable:
		return nil
	}
	switch ours.Code {
	case protocol.CodePoolClosed, protocol.CodeQueueFull, protocol.CodeWorkerLost:
		return ours
	}
	return nil
}

// refused is the error of a run that no daemon took: the last one's, or why none is in.
func (b *Balancer) refused(last error) error {
	var unbegun notBegun
	if last != nil && !errors.As(last, &unbegun) {
		return last
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return noDaemon(b.reasons())
}

// pick counts a run on the daemon with the fewest, of those that are in and not busy. It waits while none is in; nil
// says that it did so in vain, or that all are busy.
func (b *Balancer) pick(ctx context.Context, busy []*member, patience <-chan time.Time) (*member, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("the call never began: %w", err)
		}
		b.mu.Lock()
		if b.closed {
			b.mu.Unlock()
			return nil, errClientClosed()
		}
		least := b.leastLoaded(busy)
		if least != nil {
			least.running++
			b.mu.Unlock()
			return least, nil
		}
		changed := b.changed
		b.mu.Unlock()
		if len(busy) > 0 {
			return nil, nil
		}
		select {
		case <-changed:
		case <-patience:
			return nil, nil
		case <-ctx.Done():
		case <-b.ctx.Done():
		}
	}
}

// leastLoaded chooses; b.mu is held.
func (b *Balancer) leastLoaded(busy []*member) *member {
	var least *member
	b.turn++
	for i := range b.members {
		m := b.members[(b.turn+i)%len(b.members)]
		if m.up && !slices.Contains(busy, m) && (least == nil || m.running < least.running) {
			least = m
		}
	}
	return least
}

// InvokeHandle calls a retained function on the daemon that keeps it, ejected or not: no other one can.
func (b *Balancer) InvokeHandle(ctx context.Context, request *protocol.InvokeRequest) (*protocol.ExecuteResult, error) {
	m, id, err := b.keeper(request.ExecutionID)
	if err != nil {
		return nil, err
	}
	defer b.settle(m)
	r := *request
	r.ExecutionID = id
	result, err := m.client.InvokeHandle(ctx, &r)
	if err == nil && result.ExecutionID != "" {
		result.ExecutionID = m.sign(result.ExecutionID)
	}
	return result, err
}

// CloseHandles frees a retained execution. That of a daemon which is no longer among the balancer's went with it.
func (b *Balancer) CloseHandles(ctx context.Context, executionID string) error {
	m, id, err := b.keeper(executionID)
	if errors.Is(err, protocol.CodeExecutionUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	defer b.settle(m)
	return m.client.CloseHandles(ctx, id)
}

// Close ends every session, and with it what runs; it waits until nothing of the balancer is left. Every later call is
// CONNECTION_BROKEN.
func (b *Balancer) Close() error {
	b.mu.Lock()
	b.closed = true
	members := slices.Clone(b.members)
	b.mu.Unlock()
	b.cancel()
	for _, m := range members {
		m.client.Close()
	}
	b.work.Wait()
	return nil
}
