package capnweb

import "sync"

// promise is a value to come. What waits for it runs in the order in which it began to wait, also what comes while
// the ones before it are being told.
type promise struct {
	mu      sync.Mutex
	settled bool
	telling bool
	value   any
	err     error
	waiting []func()
}

func resolved(value any) *promise { return &promise{settled: true, value: value} }

func rejected(err error) *promise { return &promise{settled: true, err: err} }

// settle ends the promise, once, and tells those who wait. It reports whether it was the one.
func (p *promise) settle(value any, err error) bool {
	p.mu.Lock()
	if p.settled {
		p.mu.Unlock()
		return false
	}
	p.settled, p.telling = true, true
	p.value, p.err = value, err
	for len(p.waiting) > 0 {
		next := p.waiting[0]
		p.waiting = p.waiting[1:]
		p.mu.Unlock()
		next()
		p.mu.Lock()
	}
	p.telling = false
	p.mu.Unlock()
	return true
}

// then calls f once the promise has settled: now, if it has and nobody waits before it.
func (p *promise) then(f func()) {
	p.mu.Lock()
	if !p.settled || p.telling {
		p.waiting = append(p.waiting, f)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	f()
}

// result is what a settled promise came to.
func (p *promise) result() (any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.value, p.err
}
