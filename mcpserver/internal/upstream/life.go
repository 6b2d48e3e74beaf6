package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"
)

// Start starts the server in the background, unless it runs, is about to, or has to pause after a failure.
func (u *Upstream) Start() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.session == nil && !time.Now().Before(u.notBefore) {
		u.begin()
	}
}

// Settled waits until the server is not Starting, or ctx ends.
func (u *Upstream) Settled(ctx context.Context) {
	u.mu.Lock()
	attempt := u.attempt
	u.mu.Unlock()
	if attempt == nil {
		return
	}
	select {
	case <-attempt:
	case <-ctx.Done():
	}
}

// begin starts an attempt, with u.mu held; of several callers only the first does.
func (u *Upstream) begin() {
	if u.closed || u.attempt != nil {
		return
	}
	u.status.State = Starting // a reason of before stays until it is known whether this attempt is better
	attempt := make(chan struct{})
	u.attempt = attempt
	u.wg.Go(func() {
		s := u.connect()
		u.options.OnChange()
		close(attempt)
		if s != nil {
			u.options.OnLists()
			u.watch(s)
		}
	})
}

// connect makes one attempt and records its outcome. A session that there is already gives way to the new one, and ends
// once its calls are answered.
func (u *Upstream) connect() *session {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(u.ctx, u.spec.startTimeout, fmt.Errorf("it took longer than %s", u.spec.startTimeout))
	defer cancel()
	s, tools, err := u.openAndList(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.attempt = nil
	u.changes.Add(1)
	if err == nil && u.closed {
		err = errors.New("closed")
		defer s.end()
	}
	if err != nil && u.session != nil && !u.closed {
		u.status.State = Ready
		u.log.Warn("cannot be started anew; the old connection stays", "reason", u.spec.redact(err.Error()))
		return nil
	}
	if err != nil {
		u.down(Failed, err.Error())
		return nil
	}
	if old := u.session; old != nil {
		u.wg.Go(func() { old.retire(u.ctx) })
	}
	u.session = s
	s.follow(u.watched)
	u.status.State, u.status.Reason, u.status.Tools = Ready, "", tools
	u.status.Server, u.status.Version, u.status.StartTook = s.server.Name, s.server.Version, time.Since(began)
	u.status.Revision, u.status.Instructions = cmp.Or(s.speaks, s.revision), s.instructions
	u.status.Resources, u.status.Prompts = s.offers.Resources != nil, s.offers.Prompts != nil
	u.status.Logging = s.offers.Logging != nil && !isModern(s.revision)
	u.log.Debug("the server is ready", "tools", len(tools), "took", u.status.StartTook, "revision", s.revision)
	return s
}

// openAndList tries the ways to the server in turn. When none works, the first one's failure is the one to tell.
func (u *Upstream) openAndList(ctx context.Context) (*session, []Tool, error) {
	var first error
	for _, dial := range u.spec.dial {
		s, tools, err := u.openWith(ctx, dial)
		if err == nil {
			return s, tools, nil
		}
		if first == nil {
			first = err
		}
		if !isOtherTransport(err) {
			break
		}
	}
	return nil, nil, first
}

func (u *Upstream) openWith(ctx context.Context, dial dialer) (*session, []Tool, error) {
	e, err := dial(u.log)
	if err != nil {
		return nil, nil, err
	}
	s, err := open(ctx, e, peer{
		log: u.log, version: u.options.Version, capabilities: u.options.Capabilities(),
		ask: func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *RPCError) {
			return u.options.Ask(ctx, u.spec.Name, method, params)
		},
		hear: func(ctx context.Context, n Notification) { u.options.Hear(ctx, u.spec.Name, n) },
	})
	if err != nil {
		return nil, nil, err
	}
	entries, err := s.list(ctx, "tools/list", "tools")
	if err != nil {
		s.end()
		return nil, nil, err
	}
	u.cache.save(entries, u.log)
	tools, warnings := decodeTools(entries, u.spec.include, u.spec.exclude)
	u.warn(warnings)
	u.mu.Lock()
	u.status.Idle = idle(entries, u.spec.include, u.spec.exclude)
	u.mu.Unlock()
	return s, u.callable(s, tools), nil
}

// callable leaves out the tools that this session cannot call.
func (u *Upstream) callable(s *session, tools []Tool) []Tool {
	return s.mirror(slices.DeleteFunc(tools, func(tool Tool) bool {
		hidden := tool.Task && !s.hasTasks()
		if hidden {
			u.log.Warn("a tool can only be called as a task, which the server does not offer to do for calls; it is left out", "tool", tool.Name)
		}
		return hidden
	}))
}

// retire ends a session once its calls are answered.
func (s *session) retire(ctx context.Context) {
	for s.busy() && sleep(ctx, 20*time.Millisecond) {
	}
	s.end()
}

// Renew connects anew beside the connection that there is, for what was declared to the server has changed. It does
// nothing when there is none.
func (u *Upstream) Renew() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.session != nil {
		u.begin()
	}
}

func (u *Upstream) warn(warnings []string) {
	for _, w := range warnings {
		u.log.Warn(w)
	}
}

// down records that the server does not run, with u.mu held.
func (u *Upstream) down(state State, reason string) {
	if u.closed {
		state, reason = Stopped, "closed"
	}
	reason = u.spec.redact(reason)
	level := slog.LevelWarn
	if u.closed || reason == u.status.Reason { // it was said before
		level = slog.LevelDebug
	}
	u.log.Log(u.ctx, level, "the server is down", "reason", reason)
	u.status.State, u.status.Reason = state, reason
	u.failures++
	u.notBefore = time.Now().Add(pause(u.failures))
}

// pause is the time between a failure and the next start.
func pause(failures int) time.Duration {
	if failures <= 1 {
		return 0
	}
	return min(time.Second<<min(failures-2, 6), time.Minute)
}

// watch follows a session until it is lost or the Upstream closes.
func (u *Upstream) watch(s *session) {
	var due <-chan time.Time
	for {
		select {
		case <-u.ctx.Done():
			return
		case <-s.ctx.Done(): // another session took its place
			return
		case <-s.lost:
			u.drop(s, "")
			return
		case <-s.changed:
			if due == nil {
				due = time.After(debounce)
			}
		case <-due:
			due = nil
			u.refresh(s)
			u.options.OnLists()
		}
	}
}

// refresh lists the tools again.
func (u *Upstream) refresh(s *session) {
	ctx, cancel := context.WithTimeout(u.ctx, u.spec.startTimeout)
	defer cancel()
	entries, err := s.list(ctx, "tools/list", "tools")
	if err != nil {
		u.log.Warn("the server announced new tools, and could not list them; the old list stays", "error", u.spec.redact(err.Error()))
		return
	}
	tools, warnings := decodeTools(entries, u.spec.include, u.spec.exclude)
	tools = u.callable(s, tools)
	u.mu.Lock()
	changed := !reflect.DeepEqual(tools, u.status.Tools)
	u.status.Idle = idle(entries, u.spec.include, u.spec.exclude)
	if changed {
		u.status.Tools = tools
		u.changes.Add(1)
	}
	u.mu.Unlock()
	if changed {
		u.cache.save(entries, u.log)
		u.warn(warnings)
		u.options.OnChange()
	}
}

// drop forgets a session that has ended. What is known of its end counts before reason.
func (u *Upstream) drop(s *session, reason string) {
	if s.why != nil {
		reason = s.why()
	}
	u.mu.Lock()
	current := u.session == s
	if current {
		u.session = nil
		if s.answered.Load() {
			u.failures = 0
		}
		u.down(Stopped, reason)
		u.changes.Add(1)
		u.wg.Go(s.end) // stopping what is left of it takes its time
	}
	u.mu.Unlock()
	if current {
		u.options.OnChange()
	}
}
