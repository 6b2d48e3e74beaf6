package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

// Clients of the revisions without sessions are asked by the answer to their call: it says what input is required, and
// the client calls again with that. In between, the program waits.

const (
	// maxParked bounds the runs that wait for their client to come back.
	maxParked = 64
	// parkedFor is how long a run waits for that: a person may have to think, and a client may be gone.
	parkedFor = 10 * time.Minute
	// questionKey is the name of the one question in an answer.
	questionKey = "question"
)

// pendingQuestion is asked by the answer to a call.
type pendingQuestion struct {
	request mcp.InputRequest
	answer  chan json.RawMessage
}

// ask puts a question into the answer to the client's call and waits until the client has come back with what it said.
func (r *run) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	text, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil {
		return nil, err
	}
	q := &pendingQuestion{answer: make(chan json.RawMessage, 1)}
	if err := json.Unmarshal(text, &q.request); err != nil {
		return nil, &message.Error{Code: message.CodeInvalidParams, Message: "Invalid params: " + method + " has parameters of another form"}
	}
	select {
	case r.questions <- q:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// parking keeps the runs whose clients have to come back.
type parking struct {
	mu   sync.Mutex
	runs map[string]*parked
}

// parked is a run that goes on between its client's calls.
type parked struct {
	run      *run
	question *pendingQuestion
	owner    string                   // whose it is, see identity.owner
	done     chan *mcp.CallToolResult // of capacity 1
	end      context.CancelFunc
	expiry   *time.Timer
}

// park keeps a run under a handle that nobody can guess; ok is false when too many wait already.
func (p *parking) park(one *parked) (handle string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.runs) >= maxParked {
		return "", false
	}
	handle = rand.Text()
	p.runs[handle] = one
	one.expiry = time.AfterFunc(parkedFor, func() {
		if _, ok := p.take(handle, one.owner); ok {
			one.end()
		}
	})
	return handle, true
}

// take finds a run of the owner's again, once.
func (p *parking) take(handle, owner string) (*parked, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.runs[handle]
	if one == nil || one.owner != owner {
		return nil, false
	}
	delete(p.runs, handle)
	one.expiry.Stop()
	return one, true
}

// clear ends all that wait.
func (p *parking) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for handle, one := range p.runs {
		one.expiry.Stop()
		one.end()
		delete(p.runs, handle)
	}
}

// attend waits for a run's end, or for a question of it, which makes the answer that asks for input.
func (s *Server) attend(ctx context.Context, one *parked) (*mcp.CallToolResult, error) {
	stop := context.AfterFunc(ctx, one.end)
	select {
	case result := <-one.done:
		stop()
		return result, nil
	case one.question = <-one.run.questions:
	}
	if !stop() {
		return nil, ctx.Err()
	}
	handle, ok := s.parking.park(one)
	if !ok {
		one.end()
		return failure(fmt.Sprintf("Error: %d programs wait for input already", maxParked)), nil
	}
	return &mcp.CallToolResult{
		Result: mcp.Result{ResultType: mcp.ResultTypeInputRequired},
		MultiRoundTripResult: mcp.MultiRoundTripResult{
			InputRequests: mcp.InputRequests{questionKey: one.question.request}, RequestState: handle,
		},
	}, nil
}

// resume goes on with a run whose client has come back.
func (s *Server) resume(ctx context.Context, params *mcp.CallToolParams) (*mcp.CallToolResult, error) {
	one, ok := s.parking.take(params.RequestState, identityOf(ctx).owner())
	if !ok {
		return failure("Error: this program no longer waits for input; run it again"), nil
	}
	raw := json.RawMessage("null")
	if given, ok := params.InputResponses[questionKey]; ok {
		if text, err := json.Marshal(given); err == nil { // it came as JSON
			raw = text
		}
	}
	stop := s.speak(ctx, params.Meta, one.run)
	defer stop()
	one.question.answer <- raw
	return s.attend(ctx, one)
}
