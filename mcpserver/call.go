package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// handle answers tools/call. Whatever is wrong with the program or the arguments is an answer that the model can read;
// an error would be the protocol's.
func (s *Server) handle(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s.meet(ctx)
	if request.Params.RequestState != "" {
		return s.resume(ctx, &request.Params)
	}
	g := s.hold()
	code, complaint := g.code(request.Params.RawArguments)
	if complaint != "" {
		s.release(g)
		return failure("MCP error -32602: Input validation error: Invalid arguments for tool code: " + complaint), nil
	}
	if n, most := int64(len(code)), g.options.Tool.Limits.Or(protocol.DefaultLimits()).SourceBytes; n > most { // before anybody reads it
		s.release(g)
		return failure(fmt.Sprintf("Error: The program's source has %d bytes, too many (limit sourceBytes: %d).", n, most)), nil
	}
	r := newRun()
	r.origin = originOf(ctx, &request)
	if !g.options.Reference {
		r.link = func(what, text string) mcp.Content { return s.pages.keep(ctx, what, text) }
	}
	stop := s.speak(ctx, request.Params.Meta, r)
	defer stop()
	// The run is the connection's, not the request's: a client may be asked something by the answer to its request.
	lasting, end := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), runKey{}, r))
	if person := identityOf(ctx).owner(); person != "" { // whose sessions have one turn together
		lasting = protocol.WithSession(lasting, person)
	} else if r.origin.Session != "" {
		lasting = protocol.WithSession(lasting, r.origin.Session)
	}
	lasting = upstream.WithCaller(lasting, r.origin.trace(s.callerOf(ctx, request.Params.Meta)))
	one := &parked{run: r, owner: identityOf(ctx).owner(), done: make(chan *mcp.CallToolResult, 1), end: end}
	s.wg.Go(func() {
		defer s.release(g)
		defer end()
		defer context.AfterFunc(s.ctx, end)()
		result := s.execute(lasting, g, code, r)
		stop()
		one.done <- result
	})
	return s.attend(ctx, one)
}

// execute runs one program and words its outcome.
func (s *Server) execute(ctx context.Context, g *generation, code string, r *run) *mcp.CallToolResult {
	r.trail = s.newTrail(ctx, g, r, code)
	outcome, err := s.perform(ctx, g, code)
	r.trail.finish(outcome, err)
	if err != nil {
		if g.options.Reference {
			return failure("Error: " + err.Error())
		}
		return failure("Error: " + protocol.Explain(err))
	}
	result := g.answer(outcome, r, g.missing(code))
	if outcome.Native != nil && !g.options.Reference {
		result.Meta = usage(outcome.Native)
	}
	links := g.linksOf(r)
	links.show(result)
	return result
}

// perform runs one program, once a person has agreed where one has to.
func (s *Server) perform(ctx context.Context, g *generation, code string) (*codetool.Outcome, error) {
	if err := s.guard.approveCode(ctx, code); err != nil {
		return nil, err
	}
	g.awaken(ctx, code)
	tool, reading := g.currentWithReading()
	runFrom(ctx).readings = reading
	return tool.Call(ctx, code)
}

// UsageKey is where an answer's _meta says what its run took: {"calls", "wallMs", "cpuMs"}.
const UsageKey = "codemode/usage"

func usage(native *protocol.ExecuteResult) *mcp.Meta {
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &mcp.Meta{AdditionalFields: map[string]any{UsageKey: map[string]any{
		"calls":  native.Usage.ToolCalls,
		"wallMs": milliseconds(native.Usage.Wall),
		"cpuMs":  milliseconds(native.Usage.CPU),
	}}}
}

// code reads the one argument. The complaint is what zod, which checks it in codeMcpServer, would say.
func (g *generation) code(raw json.RawMessage) (code, complaint string) {
	var args map[string]json.RawMessage
	_ = json.Unmarshal(raw, &args) // what is no object has no members
	value := args["code"]
	if kind := kindOf(value); kind != "string" || json.Unmarshal(value, &code) != nil {
		return "", "Invalid input: expected string, received " + kind + " at code"
	}
	delete(args, "code")
	if len(args) == 0 || g.options.Reference {
		return code, ""
	}
	var names []string
	for name := range args {
		names = append(names, fmt.Sprintf("%q", name))
	}
	slices.Sort(names)
	return "", "Unrecognized argument: " + strings.Join(names, ", ") + "; this tool takes code and nothing else"
}

func kindOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "undefined"
	}
	switch raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// Call runs one program as the tool would, without a client.
func (s *Server) Call(ctx context.Context, code string) (*codetool.Outcome, error) {
	s.startAll()
	g := s.hold()
	defer s.release(g)
	r := newRun()
	r.trail = s.newTrail(ctx, g, r, code)
	outcome, err := s.perform(context.WithValue(ctx, runKey{}, r), g, code)
	r.trail.finish(outcome, err)
	return outcome, err
}

// CallTool runs one program and words its outcome as a client would be answered, without a client.
func (s *Server) CallTool(ctx context.Context, code string) *mcp.CallToolResult {
	s.startAll()
	g := s.hold()
	defer s.release(g)
	r := newRun()
	return s.execute(context.WithValue(ctx, runKey{}, r), g, code, r)
}

// awaken gives servers that failed another chance, and waits for those still starting that the program may call.
func (g *generation) awaken(ctx context.Context, code string) {
	ctx, cancel := context.WithTimeout(ctx, g.options.StartWait)
	defer cancel()
	for _, u := range g.upstreams {
		if u.Status().State == upstream.Failed {
			u.Start()
		}
	}
	for _, u := range g.upstreams {
		if status := u.Status(); status.State == upstream.Starting && mentions(code, status.Namespace) {
			u.Settled(ctx)
		}
	}
}

// mentions reports whether a program may use a namespace: by its name, or by looking functions, resources or prompts up, for
// which all of them have to be known.
func mentions(code, namespace string) bool {
	return hasWord(code, namespace) || strings.Contains(code, codetool.DefaultNamespace+"."+listResources) ||
		strings.Contains(code, codetool.DefaultNamespace+"."+listPrompts) || strings.Contains(code, codetool.DefaultNamespace+"."+codetool.SearchName) ||
		strings.Contains(code, codetool.DefaultNamespace+"."+codetool.DescribeName)
}

// hasWord reports whether an identifier occurs in a text other than as a part of another.
func hasWord(text, word string) bool {
	for i := 0; i < len(text); i++ {
		at := strings.Index(text[i:], word)
		if at < 0 {
			return false
		}
		i += at
		end := i + len(word)
		if (i == 0 || !isIdentifierByte(text[i-1])) && (end == len(text) || !isIdentifierByte(text[end])) {
			return true
		}
	}
	return false
}

func isIdentifierByte(b byte) bool {
	return b == '_' || b == '$' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
