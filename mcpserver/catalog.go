package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// quiet is how long changes of upstreams are gathered before clients hear of them.
const quiet = 250 * time.Millisecond

// maxReason bounds what the description says about one server that is down.
const maxReason = 300

// Description is what clients read about the tool as the upstreams are now.
func (s *Server) Description() string { return s.generation().current().Description() }

// DeclarationsIn is Declarations in one of the forms of codetool.
func (s *Server) DeclarationsIn(form codetool.Form) []codetool.Declarations {
	return s.generation().current().DeclarationsIn(form)
}

// Functions declares every function of the upstreams for itself.
func (s *Server) Functions() []codetool.FunctionDeclaration {
	return s.generation().current().Functions()
}

// invalidate is told by upstreams that they changed.
func (s *Server) invalidate() {
	for _, one := range s.served() {
		one.generation().outdate()
		select {
		case one.changed <- struct{}{}:
		default:
		}
	}
}

// publishLoop tells clients of changes, a burst of them once.
func (s *Server) publishLoop() {
	for s.burst(s.changed) {
		s.publish()
	}
}

// burst waits for a change and for those that follow it at once; false is the end of the server.
func (s *Server) burst(changed <-chan struct{}) bool {
	select {
	case <-changed:
	case <-s.ctx.Done():
		return false
	}
	select {
	case <-time.After(quiet):
		return true
	case <-s.ctx.Done():
		return false
	}
}

// publish makes the description the tool's, which notifies the clients, when it is not already.
func (s *Server) publish() {
	g := s.generation()
	if s.root == nil {
		s.warnUnmatched(g)
	}
	description := g.current().Description()
	s.mu.Lock()
	known := s.published == description
	s.published = description
	s.mu.Unlock()
	if !known {
		s.mcp.AddTool(g.definition(description), s.handle)
	}
}

// listed puts the description of this moment into tools/list, so that a client that lists before it hears of a change
// does not get the old one, in the length that the client shows.
func (s *Server) listed(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	s.meet(ctx)
	g := s.generation()
	g.awaitUnknown(ctx)
	for i := range tools {
		tools[i].Description = g.current().DescriptionWithin(g.budget(ctx))
	}
	return tools
}

// listPatience is how long a list waits for servers whose tools nobody has listed before, not even an earlier process: a
// client that takes no notice of changes would never see them. It is less than any known client waits for a list.
const listPatience = 2 * time.Second

func (g *generation) awaitUnknown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	for _, u := range g.upstreams {
		if status := u.Status(); status.State == upstream.Starting && len(status.Tools) == 0 {
			u.Settled(ctx)
		}
	}
}

// budget is how many characters of a description the client of ctx shows. A budget that the caller chose is for all.
func (g *generation) budget(ctx context.Context) int {
	client, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if g.ownBudget && ok && client.GetClientInfo().Name == "claude-code" {
		return shortBudget
	}
	return g.options.Tool.DescriptionBudget
}

// inputSchema is what codeMcpServer lists; closedSchema also says that there is no other argument.
const (
	inputSchema  = `{"type":"object","properties":{"code":{"type":"string","description":"JavaScript async arrow function to execute"}},"required":["code"],"$schema":"http://json-schema.org/draft-07/schema#"}`
	closedSchema = `{"type":"object","properties":{"code":{"type":"string","description":"JavaScript async arrow function to execute"}},"required":["code"],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}`
)

// definition is the tool as tools/list shows it. Its _meta keeps Claude Code from spilling results to a file and from
// loading the only tool late.
func (g *generation) definition(description string) mcp.Tool {
	schema := closedSchema
	if g.options.Reference {
		schema = inputSchema
	}
	tool := mcp.NewToolWithRawSchema("code", description, json.RawMessage(schema))
	tool.Meta = &mcp.Meta{AdditionalFields: map[string]any{
		"anthropic/alwaysLoad":         true,
		"anthropic/maxResultSizeChars": min(2*g.options.ResultChars, 500_000),
	}}
	return tool
}

// providers are the namespaces of programs: one for each upstream, with a note when it cannot be used now, and one with
// nothing but the note for each problem of the configuration.
func (g *generation) providers() []codetool.Provider {
	var list []codetool.Provider
	place := map[string]int{}
	for _, u := range g.upstreams {
		status := u.Status()
		if !g.tellsOf(u, &status) {
			continue
		}
		place[status.Namespace] = len(list)
		open, withheld, why := g.withheldOf(u, &status)
		list = append(list, codetool.Provider{
			Name: status.Namespace, Note: strings.TrimSpace(note(&status) + "\n" + why), Instructions: g.instructionsOf(&status),
			Tools: g.rawTools(u, open), Withheld: withheld,
		})
	}
	for _, p := range g.options.Problems {
		namespace := config.Namespace(p.Server)
		if i, taken := place[namespace]; taken {
			list[i].Note = strings.TrimSpace(list[i].Note + "\n" + problemNote(&p))
			continue
		}
		place[namespace] = len(list)
		list = append(list, codetool.Provider{Name: namespace, Note: problemNote(&p)})
	}
	return g.withReadings(list)
}

func (g *generation) rawTools(u *upstream.Upstream, tools []upstream.Tool) []codetool.RawTool {
	list := make([]codetool.RawTool, 0, len(tools))
	for _, tool := range tools {
		list = append(list, codetool.RawTool{
			Name: tool.Name, Title: tool.Title, Description: tool.Description,
			InputSchema: argumentsSchema(tool.InputSchema), OutputSchema: tool.OutputSchema,
			Call: func(ctx context.Context, args json.RawMessage) (any, error) {
				return callUpstream(ctx, u, tool.Name, args, g.stillOpen)
			},
		})
	}
	return list
}

// argumentsSchema says of a tool whose schema says nothing what the protocol says of all: its arguments are an object.
func argumentsSchema(schema json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	switch text := string(bytes.TrimSpace(schema)); {
	case text == "", text == "null", text == "true", json.Unmarshal(schema, &members) == nil && len(members) == 0:
		return json.RawMessage(`{"type":"object"}`)
	}
	return schema
}

// missing lists what the model should know about servers that a failed program named and that are not there.
func (g *generation) missing(code string) []string {
	var notes []string
	for _, u := range g.upstreams {
		if status := u.Status(); mentions(code, status.Namespace) && g.tellsOf(u, &status) {
			if text := note(&status); text != "" {
				notes = append(notes, text)
			}
		}
	}
	for _, p := range g.options.Problems {
		if mentions(code, config.Namespace(p.Server)) {
			notes = append(notes, problemNote(&p))
		}
	}
	return notes
}

// note says why a server's functions are missing or cannot be called. About one that stopped nothing is to be said: a
// call starts it again.
func note(status *upstream.Status) string {
	switch {
	case status.State == upstream.Failed, status.State == upstream.Starting && status.Reason != "":
		return fmt.Sprintf("server %q is down: %s", status.Name, shorten(status.Reason))
	case status.State == upstream.Starting && status.Tools == nil:
		return fmt.Sprintf("server %q is still starting; its functions are not listed yet", status.Name)
	}
	return ""
}

func problemNote(p *config.Problem) string {
	return fmt.Sprintf("server %q is not available: %s", p.Server, shorten(strings.TrimSpace(p.Field+" "+p.Message)))
}

// shorten makes a reason fit the description.
func shorten(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > maxReason {
		return string(line[:maxReason]) + "…"
	}
	return string(line)
}

// callUpstream is what a program's call of a function does.
func callUpstream(ctx context.Context, u *upstream.Upstream, tool string, args json.RawMessage, check func(*upstream.Upstream, string) error) (any, error) {
	r, began, status := runFrom(ctx), time.Now(), u.Status()
	step := r.trail.take("", status.Name, tool, args)
	if err := check(u, tool); err != nil {
		step.end(nil, err)
		return nil, err
	}
	result, err := u.Call(step.sent(ctx, &status), tool, args)
	r.called(status.Namespace, tool, time.Since(began), err != nil)
	if err != nil {
		step.end(nil, err)
		return nil, err
	}
	r.remember(result)
	r.rememberLinks(status.Namespace, result)
	value, err := upstream.Unwrap(result)
	if err != nil {
		failed := &upstream.ToolError{Text: u.Redact(err.Error())}
		if more := protocol.DataError(nil); errors.As(err, &more) {
			failed.Data = u.RedactData(more.ErrorData())
		}
		err = failed
		step.end(result, err)
		return nil, err
	}
	step.end(result, nil)
	return value, nil
}
