package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// A member's life:
//
//	Out ── a session was opened ──► In ── it broke, was refused, or the daemon shuts down ──► Out, for longer each time
//	 └──── its name has lost its address ────┴──► Gone, and closed with its last call
//
// member is one daemon of a balancer, and its client.
type member struct {
	client *Client
	// mark is put behind the ids of what the daemon retains: it is the same in every balancer with this daemon.
	mark string

	ctx    context.Context // ends with the balancer, and when the member is gone
	cancel context.CancelFunc

	// The rest is the balancer's, under its lock.
	up       bool
	gone     bool
	running  int   // calls of ours
	failures int   // since a call last came to its end
	err      error // why it is out
}

// addMember makes a daemon one of the balancer's, and opens a session with it.
func (b *Balancer) addMember(url, address string) {
	key := sha256.Sum256([]byte(url + " " + address))
	m := &member{client: newClient(url, &b.options.Dial), mark: hex.EncodeToString(key[:6])}
	m.client.address = address
	m.client.broken = func() {
		b.eject(m, protocol.Errorf(protocol.CodeConnectionBroken, "the session with %s ended", m.name()))
	}
	m.ctx, m.cancel = context.WithCancel(b.ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		m.cancel()
		m.client.cancel()
		return
	}
	b.members = append(b.members, m)
	b.work.Go(func() { b.readmit(m, 0) })
}

// name is how a daemon is shown.
func (m *member) name() string {
	if m.client.address != "" {
		return shownURL(m.client.url) + " at " + m.client.address
	}
	return shownURL(m.client.url)
}

// changedState tells those who wait; b.mu is held.
func (b *Balancer) changedState() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// eject takes a daemon out until it lets somebody in again.
func (b *Balancer) eject(m *member, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !m.up || m.gone || b.closed {
		return
	}
	m.up, m.err = false, why
	m.failures++
	wait := b.ejection(m)
	b.changedState()
	b.log.Warn("daemon ejected", slog.String("daemon", m.name()), slog.Duration("for", wait), slog.Any("reason", why))
	b.work.Go(func() { b.readmit(m, wait) })
}

// others reports whether a daemon is in beside this one.
func (b *Balancer) others(m *member) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.members, func(other *member) bool { return other != m && other.up })
}

// ejection is how long a daemon stays out that has failed so often; b.mu is held.
func (b *Balancer) ejection(m *member) time.Duration {
	longest := b.options.MaxEjection
	wait := min(b.options.Ejection, longest)
	for n := 1; n < m.failures && wait < longest; n++ {
		wait = min(2*wait, longest)
	}
	if hopeless(m.err) {
		wait = longest
	}
	return wait - rand.N(wait/4+1)
}

// readmit opens a session with a daemon that is out, however long that takes, and lets it in.
func (b *Balancer) readmit(m *member, wait time.Duration) {
	for {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-m.ctx.Done():
			timer.Stop()
			return
		}
		s, err := m.client.acquire(m.ctx)
		if err == nil {
			s.settle()
		}
		b.mu.Lock()
		if m.ctx.Err() != nil {
			b.mu.Unlock()
			return
		}
		b.changedState()
		if err == nil && !m.lost(s) {
			m.up, m.err = true, nil
			b.mu.Unlock()
			b.log.Info("daemon admitted", slog.String("daemon", m.name()))
			return
		}
		if err == nil {
			err = protocol.Errorf(protocol.CodeConnectionBroken, "the session with %s ended", m.name())
		}
		m.err = err
		m.failures++
		wait = b.ejection(m)
		b.mu.Unlock()
		b.log.Info("daemon still out", slog.String("daemon", m.name()), slog.Duration("for", wait), slog.Any("reason", err))
	}
}

// lost reports whether a session ended in the moment in which its daemon was let in: its end has then ejected nobody.
func (m *member) lost(s *session) bool { return s.rpc.Err() != nil }

// proven forgets a daemon's failures once it has brought a run to its end.
func (b *Balancer) proven(m *member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.failures = 0
}

// settle ends a call's count. A daemon that is gone is closed with its last.
func (b *Balancer) settle(m *member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.running--
	b.closeGone(m)
}

// closeGone forgets a daemon that is gone and runs nothing of ours, and closes its client; b.mu is held.
func (b *Balancer) closeGone(m *member) {
	at := slices.Index(b.members, m)
	if m.gone && m.running == 0 && at >= 0 && !b.closed {
		b.members = slices.Delete(b.members, at, at+1)
		b.work.Go(func() { m.client.Close() })
	}
}

// drop takes a daemon out for good, and lets its calls finish; b.mu is held.
func (b *Balancer) drop(m *member) {
	m.up, m.gone = false, true
	m.cancel()
	b.changedState()
	b.log.Info("daemon gone from its name", slog.String("daemon", m.name()))
	b.closeGone(m)
}

// sign puts the daemon's mark behind the id of an execution that it retains.
func (m *member) sign(id string) string { return id + "~" + m.mark }

// keeper finds the daemon that retains an execution, and counts a call on it.
func (b *Balancer) keeper(signed string) (m *member, id string, err error) {
	var mark string
	if at := strings.LastIndexByte(signed, '~'); at >= 0 {
		id, mark = signed[:at], signed[at+1:]
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, "", errClientClosed()
	}
	for _, m := range b.members {
		if m.mark == mark {
			m.running++
			return m, id, nil
		}
	}
	return nil, "", protocol.Errorf(protocol.CodeExecutionUnknown, "there is no retained execution %q", signed)
}

// DaemonStatus is one daemon as a balancer sees it.
type DaemonStatus struct {
	// Name is its URL, without a password, and behind it the address for one of several.
	Name string
	// In says that runs may go to it.
	In bool
	// Running counts the balancer's calls on it.
	Running int
	// Err is why it is out; nil when it is in, or was not tried yet.
	Err error
}

// Status lists the daemons.
func (b *Balancer) Status() []DaemonStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]DaemonStatus, len(b.members))
	for i, m := range b.members {
		list[i] = DaemonStatus{m.name(), m.up, m.running, m.err}
	}
	return list
}
