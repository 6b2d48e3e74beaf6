package executor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// enter counts a request in, unless the pool takes none any more.
func (p *Pool) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.drained != nil {
		return errClosed
	}
	p.active++
	return nil
}

func (p *Pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active--; p.active == 0 && p.drained != nil {
		close(p.drained)
	}
}

// ended tells the pool's Metrics of a request.
func (p *Pool) ended(result *protocol.ExecuteResult, err error, queued time.Duration) {
	var wall time.Duration
	if result != nil {
		wall = result.Usage.Wall
	}
	p.options.Metrics.RunEnded(outcomeKind(result, err), queued, wall)
}

// Drain refuses new requests with POOL_CLOSED, waits for those that run or wait to come to their end, or for ctx, and
// closes the pool. It returns ctx's error, wrapped, when requests had to be cut short, and otherwise Close's. Retained
// executions end with it: whoever needs them has a call on them under way.
func (p *Pool) Drain(ctx context.Context) error {
	p.mu.Lock()
	if p.drained == nil {
		p.drained = make(chan struct{})
		if p.active == 0 {
			close(p.drained)
		}
	}
	drained := p.drained
	p.mu.Unlock()
	var cut error
	select {
	case <-drained:
	case <-ctx.Done():
		cut = fmt.Errorf("requests were still under way: %w", ctx.Err())
	}
	return cmp.Or(cut, p.Close())
}
