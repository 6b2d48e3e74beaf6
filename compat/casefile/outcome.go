package casefile

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// Outcome is what a run came to, in the form in which both sides are compared: everything through JSON, no timing.
type Outcome struct {
	// Result is the value as JSON.stringify renders it in a JavaScript host; nil is undefined.
	Result json.RawMessage
	// Error is the error's text; empty when there is none.
	Error string
	// ErrorJSON is the error where it is no text: a program may throw {message: 404}. Nil otherwise.
	ErrorJSON json.RawMessage
	// Logs are the console lines; nil when the request was refused before anything ran.
	Logs []string
}

// NewOutcome reads the dialect's result. A value that JSON cannot express is an error in the words of JSON.stringify,
// as it would be for the host that renders it.
func NewOutcome(result *dialect.Result) *Outcome {
	o := &Outcome{Error: result.Error, Logs: result.Logs}
	view, err := dialect.JSONView(result.Value)
	if err != nil {
		o.Error = err.Error()
		return o
	}
	o.Result = view
	if failure, err := result.ErrorJSON(); err == nil && failure != nil && failure[0] != '"' {
		o.ErrorJSON = failure
	}
	return o
}

// Line renders the outcome as one line of JSON with a newline: {"result":…,"error":…,"logs":[…]}. A result that is
// undefined, an error that is none and logs that were never taken have no key.
func (o *Outcome) Line() []byte {
	var members protocol.Object
	switch {
	case o.ErrorJSON != nil:
		members = append(members, protocol.Member{Key: "error", Value: o.ErrorJSON})
	case o.Error != "":
		members = append(members, protocol.Member{Key: "error", Value: o.Error})
	}
	if o.Logs != nil {
		logs := make([]any, len(o.Logs))
		for i := range o.Logs {
			logs[i] = o.Logs[i]
		}
		members = append(members, protocol.Member{Key: "logs", Value: logs})
	}
	return line(o.Result, members)
}

// NativeLine renders a native result as one line of JSON with a newline:
//
//	{"result":…,"failure":{kind,name,message,…},"logs":[{level,text}],"executionId":…,"usage":{…},"calls":[…]}
//
// Times are in milliseconds, memory in bytes. The result keeps the tags of bytes and retained functions; undefined, no
// failure and no execution id have no key.
func NativeLine(result *protocol.ExecuteResult) []byte {
	var members protocol.Object
	add := func(key string, value any) { members = append(members, protocol.Member{Key: key, Value: value}) }
	if result.Failure != nil {
		add("failure", nativeFailure(result.Failure))
	}
	logs := []any{}
	for _, l := range result.Logs {
		logs = append(logs, protocol.Object{{Key: "level", Value: string(l.Level)}, {Key: "text", Value: l.Text}})
	}
	add("logs", logs)
	if result.ExecutionID != "" {
		add("executionId", result.ExecutionID)
	}
	u := result.Usage
	add("usage", protocol.Object{
		{Key: "wallMs", Value: u.Wall.Milliseconds()}, {Key: "runMs", Value: u.Run.Milliseconds()},
		{Key: "cpuMs", Value: u.CPU.Milliseconds()}, {Key: "peakMemory", Value: u.PeakMemory},
		{Key: "toolCalls", Value: u.ToolCalls},
	})
	calls := []any{}
	for _, c := range result.Calls {
		call := protocol.Object{
			{Key: "provider", Value: c.Provider}, {Key: "tool", Value: c.Tool},
			{Key: "startMs", Value: c.Start.Milliseconds()}, {Key: "durationMs", Value: c.Duration.Milliseconds()},
			{Key: "outcome", Value: string(c.Outcome)},
		}
		if c.Unheard {
			call = append(call, protocol.Member{Key: "unheard", Value: true})
		}
		calls = append(calls, call)
	}
	add("calls", calls)
	return line(result.Value, members)
}

func nativeFailure(f *protocol.Failure) protocol.Object {
	o := protocol.Object{{Key: "kind", Value: string(f.Kind)}, {Key: "name", Value: f.Name}, {Key: "message", Value: f.Message}}
	add := func(key string, value any) { o = append(o, protocol.Member{Key: key, Value: value}) }
	if f.Stack != "" {
		add("stack", f.Stack)
	}
	if p := f.Position; p != nil {
		position := protocol.Object{{Key: "line", Value: p.Line}, {Key: "column", Value: p.Column}}
		if p.File != "" {
			position = append(protocol.Object{{Key: "file", Value: p.File}}, position...)
		}
		add("position", position)
	}
	if f.Thrown != nil {
		add("thrown", f.Thrown)
	}
	if f.Limit != "" {
		add("limit", f.Limit)
		add("limitValue", f.LimitValue)
	}
	if len(f.Pending) > 0 {
		add("pending", f.Pending)
	}
	return o
}

// line puts a result, whose bytes pass as they are, in front of other members.
func line(result json.RawMessage, members protocol.Object) []byte {
	rest, err := protocol.RenderJSON(members, nil)
	if err != nil { // members are strings and numbers of ours, and JSON that the executor has checked
		panic("casefile: " + err.Error())
	}
	var b bytes.Buffer
	b.WriteByte('{')
	if result != nil {
		b.WriteString(`"result":`)
		b.Write(result)
		if len(members) > 0 {
			b.WriteByte(',')
		}
	}
	b.Write(rest[1:])
	b.WriteByte('\n')
	return b.Bytes()
}

// CompareKeys orders two keys as a JavaScript object lists them: array indexes first, by number. The others keep their
// order, which is what 0 says; sort with it stably.
func CompareKeys(a, b string) int {
	x, xIndex := arrayIndex(a)
	y, yIndex := arrayIndex(b)
	switch {
	case xIndex && yIndex:
		return int(min(max(x-y, -1), 1))
	case xIndex:
		return -1
	case yIndex:
		return 1
	}
	return 0
}

// arrayIndex reads a canonical array index, 0 to 2³²−2.
func arrayIndex(key string) (int64, bool) {
	n, err := strconv.ParseInt(key, 10, 64)
	canonical := err == nil && n >= 0 && n < 1<<32-1 && !strings.HasPrefix(key, "+")
	return n, canonical && strconv.FormatInt(n, 10) == key
}
