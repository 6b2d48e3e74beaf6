package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxRounds bounds how often in a row a server may ask for more input to one request.
const maxRounds = 10

// call calls a tool and returns the raw result.
func (s *session) call(ctx context.Context, tool *Tool, args json.RawMessage) (json.RawMessage, error) {
	params := map[string]any{"name": tool.Name}
	if len(args) > 0 {
		params["arguments"] = args
	}
	if c := CallerFrom(ctx); c != nil && len(c.Meta) > 0 {
		params["_meta"] = c.Meta
	}
	if tool.Task {
		return s.task(ctx, tool.Name, params)
	}
	return s.answerWithInput(ctx, "tools/call", params, &inFlight{ctx, tool.Name})
}

// answerWithInput sends a request and, as long as the server of a revision without sessions answers that it needs input,
// gets that and sends it again.
func (s *session) answerWithInput(ctx context.Context, method string, params map[string]any, call *inFlight) (json.RawMessage, error) {
	for range maxRounds {
		raw, err := s.request(ctx, method, params, call)
		var rpc *RPCError
		if err == nil || errors.As(err, &rpc) {
			s.answered.Store(true)
		}
		if err != nil || !isModern(s.revision) {
			return raw, noResult(raw, err)
		}
		fields := object(raw)
		if stringMember(fields, "resultType") != string(mcp.ResultTypeInputRequired) {
			return raw, noResult(raw, nil)
		}
		responses, err := s.inputs(ctx, fields["inputRequests"])
		if err != nil {
			return nil, err
		}
		params["inputResponses"] = responses
		delete(params, "requestState")
		if state, ok := fields["requestState"]; ok {
			params["requestState"] = state
		}
	}
	return nil, fmt.Errorf("it asked for input more than %d times", maxRounds)
}

func noResult(raw json.RawMessage, err error) error {
	if err == nil && len(raw) == 0 {
		return errors.New("it answered with neither a result nor an error")
	}
	return err
}

// inputs gets what the server needs.
func (s *session) inputs(ctx context.Context, raw json.RawMessage) (map[string]json.RawMessage, error) {
	var requests map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(raw, &requests); err != nil || len(requests) == 0 {
		return nil, errors.New("it is busy; it wants to be asked again later")
	}
	responses := map[string]json.RawMessage{}
	for key, one := range requests {
		result, failure := s.asked(ctx, one.Method, one.Params)
		if failure != nil {
			return nil, fmt.Errorf("it asked for %s, which could not be had: %s", one.Method, failure.Message)
		}
		responses[key] = result
	}
	return responses, nil
}

const (
	// taskLife is how long a server is asked to keep a task's result.
	taskLife = 10 * time.Minute
	// A server says how often it wants to be asked; within these bounds it gets its way.
	minPoll, defaultPoll, maxPoll = 50 * time.Millisecond, time.Second, 5 * time.Second
)

type taskState struct {
	ID      string `json:"taskId"`
	Status  string `json:"status"`
	Message string `json:"statusMessage"`
	Poll    int64  `json:"pollInterval"`
}

// task calls a tool that can only be called as a task, and follows the task to its end.
func (s *session) task(ctx context.Context, tool string, params map[string]any) (json.RawMessage, error) {
	params["task"] = map[string]any{"ttl": taskLife.Milliseconds()}
	call := &inFlight{ctx, tool}
	raw, err := s.request(ctx, "tools/call", params, call)
	if err != nil {
		return nil, err
	}
	s.answered.Store(true)
	var created struct {
		Task taskState `json:"task"`
	}
	if json.Unmarshal(raw, &created) != nil || created.Task.ID == "" {
		return raw, nil // it made no task of it after all
	}
	state := created.Task
	id := map[string]any{"taskId": state.ID}
	for state.Status == "working" || state.Status == "" {
		if !sleep(ctx, pollInterval(state.Poll)) {
			s.cancelTask(id)
			return nil, ctx.Err()
		}
		raw, err := s.request(ctx, "tasks/get", id, nil)
		if err != nil {
			if ctx.Err() != nil {
				s.cancelTask(id)
			}
			return nil, err
		}
		if err := json.Unmarshal(raw, &state); err != nil {
			return nil, fmt.Errorf("its answer to tasks/get cannot be read: %w", err)
		}
	}
	if state.Status == "cancelled" {
		return nil, fmt.Errorf("the task was cancelled: %s", state.Message)
	}
	// Also of a task that needs input: asking for the result is what makes the server ask for that.
	raw, err = s.request(ctx, "tasks/result", id, call)
	if err != nil && ctx.Err() != nil {
		s.cancelTask(id)
	}
	return raw, err
}

func pollInterval(milliseconds int64) time.Duration {
	if milliseconds <= 0 {
		return defaultPoll
	}
	return min(max(time.Duration(milliseconds)*time.Millisecond, minPoll), maxPoll)
}

func (s *session) cancelTask(id map[string]any) {
	s.wg.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_, _ = s.request(ctx, "tasks/cancel", id, nil) // nobody is left to hear of a failure
	})
}

// hasTasks reports whether the server takes calls of tools as tasks, in the revision that has them in its core.
func (s *session) hasTasks() bool {
	return !isModern(s.revision) && s.offers.Tasks.Requests.Tools.Call != nil
}

func trimUnsent(err error) string {
	return strings.TrimPrefix(err.Error(), errUnsent.Error()+": ")
}
