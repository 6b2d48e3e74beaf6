package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/filelock"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// pins remembers what tools were like when they were first seen, in a file that all of our processes share, and says which have
// changed since.
type pins struct {
	config config.Pins
	log    *slog.Logger

	mu     sync.Mutex
	known  map[string]*pinnedServer // as last read, by pinID
	stamp  string                   // of the file when it was read
	broken error                    // why it could not be
	told   map[string]bool          // what the log has said
	last   map[string]verdict       // by pinID
}

// verdict is what was found out about a list of tools, which upstreams do not change but replace.
type verdict struct {
	tools *upstream.Tool
	n     int
	stamp string
	whys  map[string]string
}

// pinnedServer is one server of the file. Tools has hashes by pinKey; a tool that is gone stays, in case it comes back.
type pinnedServer struct {
	Name  string            `json:"name"`
	Tools map[string]string `json:"tools"`
}

func newPins(c config.Pins, log *slog.Logger) *pins {
	return &pins{config: c, log: log, known: map[string]*pinnedServer{}, told: map[string]bool{}, last: map[string]verdict{}}
}

// lockPatience bounds the wait for another process that writes the file.
const lockPatience = 2 * time.Second

// maxPinned bounds the names of tools that are remembered of one server (about a megabyte of the file, and as many as it
// may list at one time): one that keeps renaming its tools must not fill the disk. Those past it are withheld until a person
// accepts them.
const maxPinned = 20_000

// pinKey is what a tool is called in the file: its name, or for one that is longer than MCP has them its hash.
func pinKey(tool string) string {
	if len(tool) > 128 {
		return "sha256:" + hashOf([]byte(tool))
	}
	return tool
}

// pinID stands for a server as its entry is written: another program under the same name is another server.
func pinID(s *config.Server) string { return s.Name + " " + hashOf([]byte(s.Identity()))[:16] }

// pinOf is the hash of what a model and the policy are told of a tool. The order of a schema's members does not count.
func pinOf(tool *upstream.Tool) string {
	text, err := json.Marshal([]any{tool.Name, tool.Title, tool.Description, ordered(tool.InputSchema), ordered(tool.OutputSchema), tool.ReadOnly, tool.Idempotent, tool.Destructive})
	if err != nil { // they came as JSON
		return "unreadable"
	}
	return hashOf(text)
}

// ordered is JSON as a value that is written with its members in order.
func ordered(raw json.RawMessage) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	return value
}

// withheld says of each tool that may not be called why. A server that nobody has seen before is remembered once it has
// listed its tools itself.
func (p *pins) withheld(id string, status *upstream.Status) map[string]string {
	if id == "" || len(status.Tools) == 0 || !p.config.Has(status.Name, status.Namespace) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refresh()
	if v := p.last[id]; v.tools == &status.Tools[0] && v.n == len(status.Tools) && v.stamp == p.stamp {
		return v.whys
	}
	whys, fresh := p.compare(id, status)
	if fresh && status.State == upstream.Ready {
		if err := p.record(id, status, ""); err != nil {
			p.warn(id, "the tools of a server are not pinned", "server", status.Name, "error", err)
		} else {
			whys, _ = p.compare(id, status) // some may be too many
		}
	}
	for tool, why := range whys {
		p.warn(id+"\x00"+tool+why, "a tool is withheld", "server", status.Name, "tool", tool, "reason", why)
	}
	if !fresh || status.State == upstream.Ready {
		p.last[id] = verdict{&status.Tools[0], len(status.Tools), p.stamp, whys}
	}
	return whys
}

// maxTold bounds what is said of tools, of which a server may have ever new ones.
const maxTold = 1000

// warn says something once.
func (p *pins) warn(key, text string, args ...any) {
	if p.told[key] || len(p.told) > maxTold {
		return
	}
	p.told[key] = true
	if len(p.told) > maxTold {
		text, args = "more was said of tools that are withheld than is logged; `codemode tools` shows them", []any{"limit", "maxTold", "lines", maxTold}
	}
	p.log.Warn(text, args...)
}

// compare holds tools against what is known of them; fresh says that there are some to remember.
func (p *pins) compare(id string, status *upstream.Status) (whys map[string]string, fresh bool) {
	whys = map[string]string{}
	if p.broken != nil { // a guard that knows nothing lets nothing through
		for _, tool := range status.Tools {
			whys[tool.Name] = fmt.Sprintf("what it was like when it was first seen cannot be read (%v); without that file all tools are taken as they are", p.broken)
		}
		return whys, false
	}
	server := p.known[id]
	if server == nil {
		return nil, true
	}
	for i := range status.Tools {
		tool := &status.Tools[i]
		pin, known := server.Tools[pinKey(tool.Name)]
		switch {
		case !known && p.config.WithholdNew:
			whys[tool.Name] = p.why(status.Name, tool.Name, "is new")
		case !known && len(server.Tools) >= maxPinned:
			whys[tool.Name] = p.why(status.Name, tool.Name, fmt.Sprintf("is new, and this server has had %d names of tools (the limit maxPinned)", len(server.Tools)))
		case !known:
			fresh = true
		case pin != pinOf(tool):
			whys[tool.Name] = p.why(status.Name, tool.Name, "has another description or other schemas than when it was first seen")
		}
	}
	return whys, fresh
}

func (p *pins) why(server, tool, what string) string {
	return fmt.Sprintf("it %s, and is withheld until a person accepts it: codemode tools --config FILE --accept %s.%s", what, server, tool)
}

// record remembers the tools of a server that are not known yet, and those that only names as they are now; "" is none, "*"
// all of them. The caller holds p.mu.
func (p *pins) record(id string, status *upstream.Status, only string) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	unlock, err := filelock.Lock(ctx, p.config.File+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if err := p.read(); err != nil { // another process may have written
		return err
	}
	server := p.known[id]
	first := server == nil
	if first {
		server = &pinnedServer{Name: status.Name, Tools: map[string]string{}}
		p.known[id] = server
	}
	for i := range status.Tools {
		tool := &status.Tools[i]
		_, known := server.Tools[pinKey(tool.Name)]
		if only == "*" || only == tool.Name || !known && (first || !p.config.WithholdNew) && len(server.Tools) < maxPinned {
			server.Tools[pinKey(tool.Name)] = pinOf(tool)
		}
	}
	text, err := json.MarshalIndent(map[string]any{"servers": p.known}, "", "\t")
	if err != nil {
		return err
	}
	if err := upstream.ReplaceFile(p.config.File, append(text, '\n')); err != nil {
		return err
	}
	p.stamp = stampOf(p.config.File)
	return nil
}

// refresh reads the file if it has changed.
func (p *pins) refresh() {
	if now := stampOf(p.config.File); now != p.stamp {
		p.broken = p.read()
		p.stamp = now
	}
}

// read reads the file; a missing one has nothing.
func (p *pins) read() error {
	stamp := stampOf(p.config.File)
	data, err := os.ReadFile(p.config.File)
	if errors.Is(err, fs.ErrNotExist) {
		p.known, p.stamp = map[string]*pinnedServer{}, stamp
		return nil
	}
	var content struct {
		Servers map[string]*pinnedServer `json:"servers"`
	}
	if err == nil {
		err = json.Unmarshal(data, &content)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.config.File, err)
	}
	p.known, p.stamp = map[string]*pinnedServer{}, stamp
	for id, server := range content.Servers {
		if server != nil && server.Tools != nil {
			p.known[id] = server
		}
	}
	return nil
}

// stampOf changes when a file does.
func stampOf(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return "missing"
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size())
}

// pinLook is how often a server looks whether another process has accepted a tool.
const pinLook = 2 * time.Second

// followPins has what another process accepts be there without a restart.
func (s *Server) followPins() {
	ticker := time.NewTicker(pinLook)
	defer ticker.Stop()
	last := ""
	for {
		select {
		case <-ticker.C:
		case <-s.ctx.Done():
			return
		}
		file := s.generation().options.Pins.File
		if file == "" {
			continue
		}
		if now := stampOf(file); now != last { // the first time, too: it may have changed since the tools were declared
			last = now
			s.invalidate()
		}
	}
}

// withheldOf are the tools of one upstream that may not be called, and the rest.
func (g *generation) withheldOf(u *upstream.Upstream, status *upstream.Status) (open []upstream.Tool, withheld []codetool.Withheld, note string) {
	whys := g.pins.withheld(g.pinIDs[u], status)
	if len(whys) == 0 {
		return g.toolsOf(status), nil, ""
	}
	var names []string
	for _, tool := range g.toolsOf(status) {
		why, is := whys[tool.Name]
		if !is {
			open = append(open, tool)
			continue
		}
		names = append(names, tool.Name)
		withheld = append(withheld, codetool.Withheld{Name: tool.Name, Refuse: func(ctx context.Context, args json.RawMessage) error {
			return refuse(ctx, status.Name, tool.Name, args, why)
		}})
	}
	if len(names) == 0 { // none of the view's
		return open, nil, ""
	}
	return open, withheld, fmt.Sprintf("withheld, until a person accepts them: %s", shorten(strings.Join(names, ", ")))
}

// refuse is a call that is not made; the audit has it.
func refuse(ctx context.Context, server, tool string, args json.RawMessage, why string) error {
	err := &codetool.DeniedError{Server: server, Tool: tool, Why: why}
	runFrom(ctx).trail.begin(server, tool, args).end(nil, err)
	return err
}

// stillOpen refuses a call of a tool that has changed since the program began, or is no longer one of the view.
func (g *generation) stillOpen(u *upstream.Upstream, tool string) error {
	status := u.Status()
	if g.hides(&status, tool) {
		return &protocol.ToolNotFoundError{Tool: tool}
	}
	if why := g.pins.withheld(g.pinIDs[u], &status)[tool]; why != "" {
		return &codetool.DeniedError{Server: status.Name, Tool: tool, Why: why}
	}
	return nil
}

// ErrNoSuchTool answers Accept for what is not there.
var ErrNoSuchTool = errors.New("there is no such server or tool")

// Accept has a tool be as it is now, withheld or not; the tool "*" is all of the server's. It returns their names. The
// server has to be ready.
func (s *Server) Accept(server, tool string) ([]string, error) {
	g := s.generation()
	for _, u := range g.upstreams {
		status := u.Status()
		if status.Name != server {
			continue
		}
		if status.State != upstream.Ready {
			return nil, fmt.Errorf("server %q is %s: its tools are not known as they are now", server, status.State)
		}
		names := []string{}
		for _, t := range status.Tools {
			if tool == "*" || tool == t.Name {
				names = append(names, t.Name)
			}
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("server %q, tool %q: %w", server, tool, ErrNoSuchTool)
		}
		id := g.pinIDs[u]
		if id == "" || !g.pins.config.Has(server, status.Namespace) {
			return nil, fmt.Errorf("the tools of server %q are not pinned: codemode.pins says so", server)
		}
		g.pins.mu.Lock()
		err := g.pins.record(id, &status, tool)
		g.pins.mu.Unlock()
		s.invalidate()
		slices.Sort(names)
		return names, err
	}
	return nil, fmt.Errorf("server %q: %w", server, ErrNoSuchTool)
}
