package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/stdio"
	"github.com/codemode-go/codemode/protocol"
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
	ask  func(ctx context.Context, message string, choices []string) (choice string, err error)

	allowed allowed // beyond a run

	mu sync.Mutex // policy, timeout, code
}

// adopt takes the policy of another configuration, at once for all calls. What a person allowed stays allowed.
func (g *guard) adopt(other *guard) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.policy, g.timeout, g.code = other.policy, other.timeout, other.code
}

// rules is what holds now.
func (g *guard) rules() (policy *codetool.Policy, timeout time.Duration, code bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.policy, g.timeout, g.code
}

// newGuard makes the guard of a configured policy.
func newGuard(p config.Policy) (*guard, error) {
	policy, err := codetool.NewPolicy(p.Rules, p.Default)
	if err != nil {
		return nil, fmt.Errorf("mcpserver: policy: %w", err)
	}
	g := &guard{policy: policy, timeout: p.AskTimeout, code: p.ApproveCode, allowed: allowed{of: map[server.ClientSession][]string{}}}
	if g.timeout <= 0 {
		g.timeout = DefaultAskTimeout
	}
	return g, nil
}

// describedTool finds the configured name of a server, and what it says of a tool. One that is not known says nothing. It is
// the generation of the call that knows: a run may call servers that are in the configuration no more.
func (g *generation) describedTool(namespace, name string) (server string, hints codetool.Hints) {
	for _, u := range g.upstreams {
		status := u.Status()
		if status.Namespace != namespace {
			continue
		}
		for _, tool := range g.toolsOf(&status) {
			if tool.Name == name {
				return status.Name, codetool.Hints{ReadOnly: &tool.ReadOnly, Destructive: &tool.Destructive, Names: []string{tool.Identifier}}
			}
		}
		reads := methods[name] != "" || name == listResources || name == listPrompts
		return status.Name, codetool.Hints{ReadOnly: &reads}
	}
	return namespace, codetool.Hints{}
}

// The choices of a person who is asked about a call.
const (
	once       = "once"
	forRun     = "for this run"
	forSession = "for this session" // the client's; of one that has one
)

// before is authorize for the calls of a generation's programs, and then what the embedding program asks itself; nil is
// nothing.
func (g *guard) before(of *generation, own func(context.Context, codetool.Call) error) func(context.Context, codetool.Call) error {
	return func(ctx context.Context, call codetool.Call) error {
		server, hints := of.describedTool(call.Provider, call.Tool)
		method, _ := ctx.Value(methodKey{}).(string)
		step := runFrom(ctx).trail.beginMethod(method, server, call.Tool, call.Arguments)
		decision, err := g.authorize(ctx, call, server, hints)
		step.decided(decision)
		if err == nil && own != nil {
			err = own(ctx, call)
		}
		if err != nil {
			step.end(nil, err)
			return err
		}
		step.letThrough()
		return nil
	}
}

// authorize is codetool.Options.Authorize: it is asked at the moment of the call, whichever way the program took.
func (g *guard) authorize(ctx context.Context, call codetool.Call, server string, hints codetool.Hints) (codetool.Decision, error) {
	call.Provider = server
	policy, _, _ := g.rules()
	decision := policy.Decide(ctx, &call, hints)
	switch decision.Action {
	case codetool.Allow:
		return decision, nil
	case codetool.Deny:
		return decision, decision.Denied(&call)
	}
	return decision, g.approve(ctx, &call, decision.Reason)
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
	if g.allowed.has(ctx, key) || r.approved[key] {
		return nil
	}
	name := strings.ReplaceAll(shown(call.Provider+"."+call.Tool), "\n", `\n`)
	message := fmt.Sprintf("A program wants to call %s with\n%s", name, shown(indented(call.Arguments)))
	if reason != "" {
		message += "\n\n" + reason
	}
	choices := []string{once, forRun}
	if g.allowed.knows(ctx) {
		choices = append(choices, forSession)
	}
	choice, err := g.question(ctx, message, choices)
	if err != nil {
		return &codetool.DeniedError{Server: call.Provider, Tool: call.Tool, Why: err.Error()}
	}
	switch choice {
	case forRun:
		if r.approved == nil {
			r.approved = map[string]bool{}
		}
		r.approved[key] = true
	case forSession:
		g.allowed.add(ctx, key)
	}
	return nil
}

// approveCode asks about a whole program. The error is for the model.
func (g *guard) approveCode(ctx context.Context, code string) error {
	if _, _, code := g.rules(); !code {
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
	_, timeout, _ := g.rules()
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	choice, err := g.ask(limited, message, choices)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return "", fmt.Errorf("nobody answered within %s", timeout)
	}
	return choice, err
}

// errCannotAsk is a client through which nobody can be asked.
var errCannotAsk = errors.New("it needs a person's approval, and this client cannot ask anybody (it does not offer elicitation); allow it in the configuration's policy, or use a client that can ask")

// elicit asks through the client of ctx, while the run's clock stands.
func (s *Server) elicit(ctx context.Context, message string, choices []string) (string, error) {
	if _, can := capabilitiesOf(ctx)["elicitation"]; !can {
		return "", errCannotAsk
	}
	params, err := json.Marshal(map[string]any{"message": message, "requestedSchema": choiceSchema(choices)})
	if err != nil {
		return "", err
	}
	release := protocol.HoldClock(ctx)
	defer release()
	r, _ := ctx.Value(runKey{}).(*run)
	raw, err := s.question(ctx, r, "elicitation/create", params)
	var answer struct {
		Action  string
		Content struct{ Allow string }
	}
	switch {
	case errors.Is(err, stdio.ErrNoClient):
		return "", errCannotAsk
	case err != nil:
		return "", fmt.Errorf("nobody could be asked: %w", err)
	case json.Unmarshal(raw, &answer) != nil || answer.Action != "accept":
		return "", errors.New("the person who was asked refused it")
	}
	if slices.Contains(choices, answer.Content.Allow) {
		return answer.Content.Allow, nil
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

// shown cuts a text to what a dialog can show. What has no look of its own could make it pass for something else, such as
// control characters, line ends that are none in JavaScript, and those that turn the direction of writing: it is shown by its
// code.
func shown(text string) string {
	var b strings.Builder
	n := 0
	for i, r := range text {
		if n++; n > maxShown {
			fmt.Fprintf(&b, "… (%d more bytes)", len(text)-i)
			break
		}
		switch {
		case r == '\n' || r == '\t' || unicode.IsGraphic(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
