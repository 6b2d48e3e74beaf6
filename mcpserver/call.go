package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/internal/stdio"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// progressInterval is how often a client that asked for it hears that its program still runs. Clients give up after
// half a minute of silence and more.
const progressInterval = 5 * time.Second

// handle answers tools/call. Whatever is wrong with the program or the arguments is an answer that the model can read;
// an error would be the protocol's.
func (s *Server) handle(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	code, complaint := s.code(request.Params.RawArguments)
	if complaint != "" {
		return failure("MCP error -32602: Input validation error: Invalid arguments for tool code: " + complaint), nil
	}
	r := &run{}
	ctx = context.WithValue(ctx, runKey{}, r)
	if err := s.guard.approveCode(ctx, code); err != nil {
		return failure("Error: " + err.Error()), nil
	}
	stop := s.reportProgress(ctx, request.Params.Meta, r)
	defer stop()
	s.awaken(ctx, code)
	outcome, err := s.current().Call(ctx, code)
	stop()
	if err != nil {
		return failure("Error: " + err.Error()), nil
	}
	result := s.answer(outcome, r, s.missing(code))
	if outcome.Native != nil && !s.options.Reference {
		result.Meta = usage(outcome.Native)
	}
	return result, nil
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
func (s *Server) code(raw json.RawMessage) (code, complaint string) {
	var args map[string]json.RawMessage
	_ = json.Unmarshal(raw, &args) // what is no object has no members
	value := args["code"]
	if kind := kindOf(value); kind != "string" || json.Unmarshal(value, &code) != nil {
		return "", "Invalid input: expected string, received " + kind + " at code"
	}
	delete(args, "code")
	if len(args) == 0 || s.options.Reference {
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
	ctx = context.WithValue(ctx, runKey{}, &run{})
	if err := s.guard.approveCode(ctx, code); err != nil {
		return nil, err
	}
	s.awaken(ctx, code)
	return s.current().Call(ctx, code)
}

// awaken gives servers that failed another chance, and waits for those still starting that the program may call.
func (s *Server) awaken(ctx context.Context, code string) {
	ctx, cancel := context.WithTimeout(ctx, s.options.StartWait)
	defer cancel()
	for _, u := range s.upstreams {
		if u.Status().State == upstream.Failed {
			u.Start()
		}
	}
	for _, u := range s.upstreams {
		if status := u.Status(); status.State == upstream.Starting && mentions(code, status.Namespace) {
			u.Settled(ctx)
		}
	}
}

// mentions reports whether a program may use a namespace: by its name, or by looking functions up, for which all of them
// have to be known.
func mentions(code, namespace string) bool {
	return hasWord(code, namespace) || strings.Contains(code, codetool.DefaultNamespace+"."+codetool.SearchName) ||
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

// run is what is remembered of one program's calls.
type run struct {
	calls atomic.Int64

	mu         sync.Mutex
	media      []media
	remembered int // bytes of base64, also those that were too many to keep
	asking     chan struct{}
	approved   map[string]bool // what a person allowed for the run; of the one who has the turn
}

// turn holds one of those who want to ask a person.
func (r *run) turn() chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking == nil {
		r.asking = make(chan struct{}, 1)
	}
	return r.asking
}

type runKey struct{}

// runFrom finds the run that a call belongs to. A call without one has nobody to remember for.
func runFrom(ctx context.Context) *run {
	if r, ok := ctx.Value(runKey{}).(*run); ok {
		return r
	}
	return &run{}
}

// reportProgress sends notifications/progress while a program runs, when the client gave a token. The returned function
// ends that, waits for it, and may be called again.
func (s *Server) reportProgress(ctx context.Context, meta *mcp.Meta, r *run) (stop func()) {
	if meta == nil || meta.ProgressToken == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		began := time.Now()
		ticker := time.NewTicker(s.progress)
		defer ticker.Stop()
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				s.notify(ctx, "notifications/progress", map[string]any{
					"progressToken": meta.ProgressToken, "progress": n,
					"message": fmt.Sprintf("running for %s, %d tool calls answered", time.Since(began).Round(time.Second), r.calls.Load()),
				})
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

// notify reaches the client of ctx, whichever transport it is on.
func (s *Server) notify(ctx context.Context, method string, params map[string]any) {
	if !stdio.Notify(ctx, method, params) {
		_ = s.mcp.SendNotificationToClient(ctx, method, params) // progress is best effort
	}
}
