package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
)

// DefaultAskTimeout is how long a person may take to decide about a call. It ends before a run of DefaultTimeout does, so
// that the program learns of the refusal.
const DefaultAskTimeout = 40 * time.Second

// maxShown bounds what a person is shown of arguments or a program, in characters: a dialog is not a pager, and what is cut
// says so.
const maxShown = 2000

// guard holds calls against a policy, and puts those that a person has to decide about to the client's.
type guard struct {
	policy  *codetool.Policy
	timeout time.Duration
	// code says that programs are shown before they run.
	code bool
	// tool finds the configured name of a server, and what it says of a tool.
	tool func(namespace, tool string) (server string, hints codetool.Hints)
	ask  func(ctx context.Context, message string, choices []string) (choice string, err error)

	mu     sync.Mutex
	always map[string]bool // tools that were allowed for good, while we run
}

// newGuard makes the guard of a configured policy.
func newGuard(p config.Policy) (*guard, error) {
	policy, err := codetool.NewPolicy(p.Rules, p.Default)
	if err != nil {
		return nil, fmt.Errorf("mcpserver: policy: %w", err)
	}
	g := &guard{policy: policy, timeout: p.AskTimeout, code: p.ApproveCode, always: map[string]bool{}}
	if g.timeout <= 0 {
		g.timeout = DefaultAskTimeout
	}
	return g, nil
}

// describedTool finds what a server says of a tool. One that is not known says nothing.
func (s *Server) describedTool(namespace, name string) (server string, hints codetool.Hints) {
	for _, u := range s.upstreams {
		status := u.Status()
		if status.Namespace != namespace {
			continue
		}
		for _, tool := range status.Tools {
			if tool.Name == name {
				return status.Name, codetool.Hints{ReadOnly: &tool.ReadOnly, Destructive: &tool.Destructive}
			}
		}
		return status.Name, codetool.Hints{}
	}
	return namespace, codetool.Hints{}
}

// The choices of a person who is asked about a call.
const (
	once   = "once"
	forRun = "for this run"
	always = "always"
)

// before is authorize, and then what the embedding program asks itself; nil is nothing.
func (g *guard) before(own func(context.Context, codetool.Call) error) func(context.Context, codetool.Call) error {
	return func(ctx context.Context, call codetool.Call) error {
		if err := g.authorize(ctx, call); err != nil || own == nil {
			return err
		}
		return own(ctx, call)
	}
}

// authorize is codetool.Options.Authorize: it is asked at the moment of the call, whichever way the program took.
func (g *guard) authorize(ctx context.Context, call codetool.Call) error {
	server, hints := g.tool(call.Provider, call.Tool)
	call.Provider = server
	decision := g.policy.Decide(ctx, &call, hints)
	switch decision.Action {
	case codetool.Allow:
		return nil
	case codetool.Deny:
		return decision.Denied(&call)
	}
	return g.approve(ctx, &call, decision.Reason)
}

// approve asks a person, unless the answer is known.
func (g *guard) approve(ctx context.Context, call *codetool.Call, reason string) error {
	key := call.Provider + "\x00" + call.Tool
	r := runFrom(ctx)
	turn := r.turn()
	select { // one question at a time: of two like calls the second may be answered by the first
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	g.mu.Lock()
	known := g.always[key]
	g.mu.Unlock()
	if known || r.approved[key] {
		return nil
	}
	message := fmt.Sprintf("A program wants to call %s.%s with\n%s", call.Provider, call.Tool, shown(indented(call.Arguments)))
	if reason != "" {
		message += "\n\n" + reason
	}
	choice, err := g.question(ctx, message, []string{once, forRun, always})
	if err != nil {
		return &codetool.DeniedError{Server: call.Provider, Tool: call.Tool, Why: err.Error()}
	}
	switch choice {
	case forRun:
		if r.approved == nil {
			r.approved = map[string]bool{}
		}
		r.approved[key] = true
	case always:
		g.mu.Lock()
		g.always[key] = true
		g.mu.Unlock()
	}
	return nil
}

// approveCode asks about a whole program. The error is for the model.
func (g *guard) approveCode(ctx context.Context, code string) error {
	if !g.code {
		return nil
	}
	_, err := g.question(ctx, "A model wants to run this program:\n"+shown(code), []string{once})
	if err != nil {
		return fmt.Errorf("the program was not run: %w", err)
	}
	return nil
}

// question puts one question, for as long as a person may take.
func (g *guard) question(ctx context.Context, message string, choices []string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	choice, err := g.ask(limited, message, choices)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return "", fmt.Errorf("nobody answered within %s", g.timeout)
	}
	return choice, err
}

// errCannotAsk is a client through which nobody can be asked.
var errCannotAsk = errors.New("it needs a person's approval, and this client cannot ask anybody (it does not offer elicitation); allow it in the configuration's policy, or use a client that can ask")

// elicit asks through the client of ctx.
func (s *Server) elicit(ctx context.Context, message string, choices []string) (string, error) {
	session, _ := server.ClientSessionFromContext(ctx).(server.SessionWithElicitation)
	info, known := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if session == nil || known && info.GetClientCapabilities().Elicitation == nil {
		return "", errCannotAsk
	}
	result, err := session.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
		Message: message, RequestedSchema: choiceSchema(choices),
	}})
	switch {
	case errors.Is(err, server.ErrElicitationNotSupported):
		return "", errCannotAsk
	case err != nil:
		return "", fmt.Errorf("nobody could be asked: %w", err)
	case result.Action != mcp.ElicitationResponseActionAccept:
		return "", errors.New("the person who was asked refused it")
	}
	content, _ := result.Content.(map[string]any)
	choice, _ := content["allow"].(string)
	for _, c := range choices {
		if c == choice {
			return choice, nil
		}
	}
	return once, nil // accepted without a choice
}

func choiceSchema(choices []string) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{
		"allow": map[string]any{"type": "string", "title": "Allow it", "enum": choices, "default": choices[0]},
	}}
}

func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// shown cuts a text to what a dialog can show. What could pass for something else, control characters and those that turn the
// direction of writing, is shown by its code.
func shown(text string) string {
	var b strings.Builder
	n := 0
	for i, r := range text {
		if n++; n > maxShown {
			fmt.Fprintf(&b, "… (%d more bytes)", len(text)-i)
			break
		}
		if r != '\n' && r != '\t' && (r < ' ' || r == 0x7f || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
