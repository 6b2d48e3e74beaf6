package compat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/compat/reference"
)

// hangBound is how long the reference may take over one case. The slowest waits three seconds on an
// idle machine, and a server has one thread.
const hangBound = time.Minute

// Live asks the running reference for the outcomes of a catalogue. Cases that it cannot run, or that do not apply to
// its release, are left out. A case that uses what the reference has no word for is an error, and so is one that it
// never answers: such a case blocks every other and has to say so.
func Live(ctx context.Context, server *reference.Server, cases []*casefile.Case, concurrency int) (*Outcomes, error) {
	byName := make(map[string]*Expected, len(cases))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var errs []error
	parallel(len(cases), concurrency, func(i int) {
		c := cases[i]
		if _, skip := c.SkipOn[server.Release()]; skip || c.NoReference != "" || ctx.Err() != nil {
			return
		}
		e, err := liveOutcome(ctx, server, c)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			errs = append(errs, fmt.Errorf("case %q: %w", c.Name, err))
			cancel(err)
			return
		}
		byName[c.Name] = e
	})
	return &Outcomes{Release: server.Release(), ByName: byName, NewestByName: byName}, errors.Join(errs...)
}

func liveOutcome(ctx context.Context, server *reference.Server, c *casefile.Case) (*Expected, error) {
	request, err := c.ForReference()
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, hangBound)
	defer cancel()
	outcome, err := server.Run(bounded, request)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, fmt.Errorf("no answer within %s", hangBound)
	}
	if err != nil {
		return nil, err
	}
	return parseExpected(outcome)
}
