package remote

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote/internal/capnweb"
)

// encodeResult renders a result. Times are in milliseconds.
func encodeResult(r *protocol.ExecuteResult) capnweb.Object {
	var o capnweb.Object
	if r.Value != nil {
		o = add(o, "result", r.Value)
	}
	if r.ValueKind != "" {
		o = append(o, capnweb.Member{Key: "valueKind", Value: r.ValueKind})
	}
	if r.Failure != nil {
		o = append(o, capnweb.Member{Key: "failure", Value: encodeFailure(r.Failure)})
	}
	logs := make([]wireLog, len(r.Logs))
	for i, l := range r.Logs {
		logs[i] = wireLog{l.Level, l.Text, milliseconds(l.Elapsed)}
	}
	o = append(o, capnweb.Member{Key: "logs", Value: logs})
	if r.ExecutionID != "" {
		o = append(o, capnweb.Member{Key: "executionId", Value: r.ExecutionID})
	}
	u := r.Usage
	o = append(o, capnweb.Member{Key: "usage", Value: wireUsage{milliseconds(u.Wall), milliseconds(u.Run), milliseconds(u.CPU), u.PeakMemory, u.ToolCalls}})
	calls := make([]wireCall, len(r.Calls))
	for i, c := range r.Calls {
		calls[i] = wireCall{c.Provider, c.Tool, milliseconds(c.Start), milliseconds(c.Duration), c.Outcome, c.Unheard}
	}
	o = append(o, capnweb.Member{Key: "calls", Value: calls})
	if len(r.Unhandled) == 0 {
		return o
	}
	unhandled := make([]wireRejection, len(r.Unhandled))
	for i, one := range r.Unhandled {
		unhandled[i] = wireRejection{Name: one.Name, Message: one.Message, Call: one.Call}
		if p := one.Position; p != nil {
			unhandled[i].Position = &wirePosition{p.File, p.Line, p.Column}
		}
	}
	return append(o, capnweb.Member{Key: "unhandled", Value: unhandled})
}

func encodeFailure(f *protocol.Failure) capnweb.Object {
	o := capnweb.Object{{Key: "kind", Value: string(f.Kind)}, {Key: "name", Value: f.Name}, {Key: "message", Value: f.Message}}
	set := func(key string, value any) { o = append(o, capnweb.Member{Key: key, Value: value}) }
	if f.Stack != "" {
		set("stack", f.Stack)
	}
	if p := f.Position; p != nil {
		set("position", wirePosition{p.File, p.Line, p.Column})
	}
	if f.Thrown != nil {
		o = add(o, "thrown", f.Thrown)
	}
	if f.Limit != "" {
		set("limit", f.Limit)
		set("limitValue", f.LimitValue)
	}
	if len(f.Causes) > 0 {
		set("causes", f.Causes)
	}
	if len(f.Pending) > 0 {
		set("pending", f.Pending)
	}
	return o
}

type (
	wireLog struct {
		Level   protocol.Level `json:"level"`
		Text    string         `json:"text"`
		Elapsed float64        `json:"elapsed"`
	}
	wireUsage struct {
		Wall       float64 `json:"wall"`
		Run        float64 `json:"run"`
		CPU        float64 `json:"cpu"`
		PeakMemory int64   `json:"peakMemory"`
		ToolCalls  int     `json:"toolCalls"`
	}
	wireCall struct {
		Provider string               `json:"provider"`
		Tool     string               `json:"tool"`
		Start    float64              `json:"start"`
		Duration float64              `json:"duration"`
		Outcome  protocol.CallOutcome `json:"outcome"`
		Unheard  bool                 `json:"unheard,omitempty"`
	}
	wireRejection struct {
		Name     string        `json:"name,omitempty"`
		Message  string        `json:"message"`
		Call     string        `json:"call,omitempty"`
		Position *wirePosition `json:"position,omitempty"`
	}
	wirePosition struct {
		File   string `json:"file,omitempty"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
	}
	wireFailure struct {
		Kind       protocol.FailureKind `json:"kind"`
		Name       string               `json:"name"`
		Message    string               `json:"message"`
		Stack      string               `json:"stack"`
		Position   *wirePosition        `json:"position"`
		Thrown     json.RawMessage      `json:"thrown"`
		ThrownJSON string               `json:"thrownJson"`
		Limit      string               `json:"limit"`
		LimitValue int64                `json:"limitValue"`
		Pending    []string             `json:"pending"`
		Causes     []string             `json:"causes"`
	}
	wireResult struct {
		ResultJSON  string          `json:"resultJson"`
		ValueKind   string          `json:"valueKind"`
		Failure     *wireFailure    `json:"failure"`
		Logs        []wireLog       `json:"logs"`
		ExecutionID string          `json:"executionId"`
		Usage       wireUsage       `json:"usage"`
		Calls       []wireCall      `json:"calls"`
		Unhandled   []wireRejection `json:"unhandled"`
	}
)

// takeResult takes the program's value out of a result. It may have megabytes, which were looked at when they came in.
func takeResult(v any) (value json.RawMessage, rest capnweb.Object, err error) {
	members, ok := capnweb.Members(v)
	if !ok {
		return nil, nil, invalid("result must be an object")
	}
	for _, m := range members {
		if m.Key != "result" {
			rest = append(rest, m)
		} else if value, err = capnweb.JSON(m.Value); err != nil {
			return nil, nil, invalid("result.result: %v", err)
		}
	}
	return value, rest, nil
}

// decodeResult reads a result of a daemon.
func decodeResult(v any) (*protocol.ExecuteResult, error) {
	var w wireResult
	value, rest, err := takeResult(v)
	if err == nil {
		err = unmarshal("result", rest, &w, 0) // a ledger has as many lines as its run had calls
	}
	if err != nil {
		return nil, fmt.Errorf("the daemon's answer is no result: %w", err)
	}
	r := &protocol.ExecuteResult{Value: value, ValueKind: w.ValueKind, ExecutionID: w.ExecutionID, Failure: w.Failure.failure()}
	if w.ResultJSON != "" {
		r.Value = json.RawMessage(w.ResultJSON)
	}
	if r.Failure != nil {
		r.Value = nil
	}
	for _, l := range w.Logs {
		r.Logs = append(r.Logs, protocol.LogLine{Level: l.Level, Text: l.Text, Elapsed: duration(l.Elapsed)})
	}
	u := w.Usage
	r.Usage = protocol.Usage{Wall: duration(u.Wall), Run: duration(u.Run), CPU: duration(u.CPU), PeakMemory: u.PeakMemory, ToolCalls: u.ToolCalls}
	for _, c := range w.Calls {
		r.Calls = append(r.Calls, protocol.Call{Provider: c.Provider, Tool: c.Tool, Start: duration(c.Start), Duration: duration(c.Duration), Outcome: c.Outcome, Unheard: c.Unheard})
	}
	for _, one := range w.Unhandled {
		r.Unhandled = append(r.Unhandled, protocol.Rejection{Name: one.Name, Message: one.Message, Call: one.Call, Position: one.Position.position()})
	}
	return r, nil
}

func (w *wirePosition) position() *protocol.Position {
	if w == nil {
		return nil
	}
	return &protocol.Position{File: w.File, Line: w.Line, Column: w.Column}
}

func (w *wireFailure) failure() *protocol.Failure {
	if w == nil {
		return nil
	}
	f := &protocol.Failure{Kind: w.Kind, Name: w.Name, Message: w.Message, Stack: w.Stack, Thrown: w.Thrown, Limit: w.Limit, LimitValue: w.LimitValue, Pending: w.Pending, Causes: w.Causes}
	if w.ThrownJSON != "" {
		f.Thrown = json.RawMessage(w.ThrownJSON)
	}
	f.Position = w.Position.position()
	return f
}

// RejectionError is a failure at the other end that carries no code of ours: what an executor, or a function behind it,
// rejected with, in the shape it had there.
type RejectionError struct {
	// Name is the error's name, and Message its text. What was thrown and is no Error has its JSON as Message.
	Name, Message string
	// Props are the error's own properties as JSON, by their names.
	Props map[string]json.RawMessage
}

func (e *RejectionError) Error() string { return e.Message }

// wireError is how one of our errors, or another's, crosses: what has a code is known by it at the other end.
func wireError(err error) error {
	var ours *protocol.Error
	if errors.As(err, &ours) {
		props := capnweb.Object{{Key: "code", Value: string(ours.Code)}, {Key: "retryable", Value: ours.Retryable}}
		return &capnweb.Error{Name: "Error", Message: err.Error(), Props: props}
	}
	var rejection *RejectionError
	if errors.As(err, &rejection) {
		e := &capnweb.Error{Name: rejection.Name, Message: rejection.Message}
		for key, value := range rejection.Props {
			e.Props = append(e.Props, capnweb.Member{Key: key, Value: value})
		}
		return e
	}
	return err
}

// localError rebuilds an error that came over the wire from its code.
func localError(err error) error {
	var thrown capnweb.Thrown
	if errors.As(err, &thrown) {
		return &RejectionError{Message: thrown.Error()}
	}
	var e *capnweb.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, code := range protocol.Codes() {
		if string(code) == e.Code() {
			rebuilt := protocol.Errorf(code, "%s", e.Message)
			if flag, ok := e.Props.Get("retryable"); ok {
				if raw, ok := flag.(json.RawMessage); ok {
					rebuilt.Retryable = string(raw) == "true"
				}
			}
			return rebuilt
		}
	}
	rejection := &RejectionError{Name: e.Name, Message: e.Message, Props: map[string]json.RawMessage{}}
	for _, m := range e.Props {
		if value, err := capnweb.JSON(m.Value); err == nil && value != nil {
			rejection.Props[m.Key] = value
		}
	}
	return rejection
}
