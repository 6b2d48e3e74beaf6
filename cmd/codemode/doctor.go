package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/protocol"
)

func doctorCommand() command {
	return command{
		name:    "doctor",
		usage:   "doctor [--config F]… [--json] [--timeout D]",
		summary: "Check this machine, and every server of a configuration.",
		description: `Runs one program, and says which engine ran it and what its sandbox is. With a configuration: starts each server, and says
which program was found for it, which revision of the protocol it speaks, how many tools it has and how long it took, or why it is
down and what it last wrote to standard error; whose access tokens serve --http takes, and whether their issuers answer; then how much a
client is sent. Globs of the policy, the views, the pins, includeTools
and excludeTools that match nothing are warnings.

Exit code 1 when anything does not work, 2 when the configuration cannot be read.`,
		setup: func(flags *flag.FlagSet) runFunc {
			o := serveOptions{logLevel: "error"}
			flags.Var((*stringList)(&o.files), "config", "a configuration `file`; may be repeated")
			asJSON := flags.Bool("json", false, "one JSON object, for scripts")
			timeout := flags.Duration("timeout", time.Minute, "how long to wait for servers that start")
			return func(ctx context.Context, term terminal, args []string) error {
				if len(args) > 0 {
					return unexpected(args, "--config")
				}
				d, err := o.diagnose(ctx, *timeout)
				if err != nil {
					return err
				}
				if *asJSON {
					err = writeJSONLine(term.out, d)
				} else {
					err = d.print(term)
				}
				if err == nil && !d.OK {
					err = errFailed
				}
				return err
			}
		},
	}
}

// diagnosis is what doctor finds. Its JSON is for scripts: members are added, never renamed.
type diagnosis struct {
	OK       bool              `json:"ok"`
	Version  string            `json:"version"`
	Protocol int               `json:"protocol"`
	Platform string            `json:"platform"`
	Binary   string            `json:"binary"`
	Engine   engineDiagnosis   `json:"engine"`
	Files    []string          `json:"files"`
	Warnings []string          `json:"warnings"`
	Servers  []serverDiagnosis `json:"servers"`
	OAuth    *oauthDiagnosis   `json:"oauth,omitempty"`
	Client   *clientDiagnosis  `json:"client,omitempty"`
}

type engineDiagnosis struct {
	OK bool `json:"ok"`
	// Name is the engine and its version, Sandbox the measures that the worker says are in force.
	Name    string   `json:"name,omitempty"`
	Sandbox []string `json:"sandbox"`
	// TookMs is how long the first program took, the start of a worker process included.
	TookMs int64  `json:"tookMs,omitempty"`
	Error  string `json:"error,omitempty"`
}

type serverDiagnosis struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	File      string `json:"file"`
	Transport string `json:"transport,omitempty"`
	// Command is the file of the program that is started for a stdio server; Tried are the directories that do not have it.
	Command string   `json:"command,omitempty"`
	Tried   []string `json:"tried,omitempty"`
	// State is ready, starting, failed, stopped, or misconfigured for an entry that cannot be read.
	State    string `json:"state"`
	Reason   string `json:"reason,omitempty"`
	Server   string `json:"server,omitempty"`
	Revision string `json:"revision,omitempty"`
	Tools    int    `json:"tools"`
	TookMs   int64  `json:"tookMs,omitempty"`
	// Stderr are the last lines that it wrote there.
	Stderr []string `json:"stderr,omitempty"`
}

// oauthDiagnosis is whose access tokens serve --http takes.
type oauthDiagnosis struct {
	Resource  string            `json:"resource"`
	Audiences []string          `json:"audiences,omitempty"`
	Scopes    []string          `json:"scopes"`
	Issuers   []issuerDiagnosis `json:"issuers"`
	// Views are those that access tokens have by their claims; none is that each has everything.
	Views []string `json:"views"`
}

type issuerDiagnosis struct {
	Issuer string `json:"issuer"`
	// Keys is how many of its keys are of use; Error says why there are none.
	Keys  int    `json:"keys"`
	Error string `json:"error,omitempty"`
}

// clientDiagnosis is what a client is sent, in characters and o200k tokens, beside what it would be sent by the servers
// themselves.
type clientDiagnosis struct {
	DescriptionChars  int `json:"descriptionChars"`
	DescriptionTokens int `json:"descriptionTokens"`
	ServersChars      int `json:"serversChars"`
	ServersTokens     int `json:"serversTokens"`
}

// diagnose looks at everything. The error is that of a configuration that cannot be read.
func (o *serveOptions) diagnose(ctx context.Context, timeout time.Duration) (*diagnosis, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	d := &diagnosis{Version: version(), Protocol: protocol.Version, Platform: runtime.GOOS + "/" + runtime.GOARCH, Binary: self,
		Files: append([]string{}, o.files...), Warnings: []string{}, Servers: []serverDiagnosis{}}
	cfg := &config.Config{}
	if len(o.files) > 0 {
		if cfg, err = config.Load(o.files, &config.Options{Executable: self}); err != nil {
			return nil, usageError{err}
		}
	}
	d.Warnings = append(append(d.Warnings, cfg.Warnings...), cfg.ViewWarnings...)
	d.Engine = diagnoseEngine(ctx)
	if len(o.files) > 0 {
		if err := d.servers(ctx, o, cfg, timeout); err != nil {
			return nil, err
		}
	}
	d.OAuth = diagnoseOAuth(ctx, cfg)
	d.OK = d.Engine.OK && !slices.ContainsFunc(d.Servers, func(s serverDiagnosis) bool { return s.State != "ready" }) &&
		(d.OAuth == nil || !slices.ContainsFunc(d.OAuth.Issuers, func(i issuerDiagnosis) bool { return i.Error != "" }))
	return d, nil
}

// diagnoseOAuth asks each issuer for its keys, as serve --http does; nil is no access tokens.
func diagnoseOAuth(ctx context.Context, cfg *config.Config) *oauthDiagnosis {
	r := cfg.Settings.ResourceServer
	if r == nil {
		return nil
	}
	o := &oauthDiagnosis{Resource: r.Resource, Audiences: r.Audiences, Scopes: append([]string{}, r.Scopes...), Views: []string{}}
	for _, v := range cfg.Settings.Views {
		if v.Claims != nil {
			o.Views = append(o.Views, v.Name)
		}
	}
	asking, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, issuer := range mcpserver.CheckIssuers(asking, r) {
		o.Issuers = append(o.Issuers, issuerDiagnosis{issuer.Issuer, issuer.Keys, issuer.Reason})
	}
	return o
}

// diagnoseEngine runs one program.
func diagnoseEngine(ctx context.Context) (e engineDiagnosis) {
	e.Sandbox = []string{}
	began := time.Now()
	pool, err := executor.New(&executor.Options{Workers: 1, Outbound: protocol.BlockOutbound()})
	if err != nil {
		e.Error = err.Error()
		return e
	}
	defer func() {
		if err := pool.Close(); err != nil && e.Error == "" {
			e.OK, e.Error = false, err.Error()
		}
	}()
	result, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: "async () => 6 * 7"})
	e.TookMs = time.Since(began).Milliseconds()
	status := pool.Status()
	e.Name = status.Engine
	e.Sandbox = append(e.Sandbox, status.Jail...)
	switch {
	case err != nil:
		e.Error = err.Error()
	case result.Failure != nil:
		e.Error = result.Failure.Message
	default:
		e.OK = true
	}
	return e
}

// servers starts the servers of a configuration and looks at each.
func (d *diagnosis) servers(ctx context.Context, o *serveOptions, cfg *config.Config, timeout time.Duration) (err error) {
	heard := &listener{lines: map[string][]string{}}
	server, closeAll, err := o.newServer(ctx, mcpserver.FromConfig(cfg), cfg, slog.New(heard))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	settling, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	server.Settled(settling)
	d.Warnings = append(d.Warnings, server.Unmatched()...)
	for i, status := range server.Servers() {
		d.Servers = append(d.Servers, diagnoseServer(&cfg.Servers[i], &status, heard))
	}
	for _, p := range cfg.Problems {
		d.Servers = append(d.Servers, serverDiagnosis{Name: p.Server, File: p.File, State: "misconfigured", Reason: p.Error()})
	}
	return d.measure(server)
}

func diagnoseServer(s *config.Server, status *mcpserver.ServerStatus, heard *listener) serverDiagnosis {
	one := serverDiagnosis{Name: s.Name, Namespace: s.Namespace, File: s.File, Transport: string(s.Transport), State: status.State,
		Reason: status.Reason, Server: strings.TrimSpace(status.Server + " " + status.Version), Tools: len(status.Tools),
		TookMs: status.StartTook.Milliseconds(), Revision: status.Revision}
	if s.Transport == config.TransportStdio {
		file, tried, _ := mcpserver.ResolveCommand(s) // why there is none is the reason already
		one.Command, one.Tried = s.Redact(file), tried
	}
	if one.State == "starting" && one.Reason == "" {
		one.Reason = "it has not answered yet; --timeout waits longer"
	}
	heard.mu.Lock()
	defer heard.mu.Unlock()
	for _, line := range heard.lines[s.Name] {
		one.Stderr = append(one.Stderr, s.Redact(line))
	}
	return one
}

// measure says how much a client is sent.
func (d *diagnosis) measure(server *mcpserver.Server) (err error) {
	c := &clientDiagnosis{}
	description := server.Description()
	c.DescriptionChars = characters(description)
	if c.DescriptionTokens, err = countTokens(description); err != nil {
		return err
	}
	for _, s := range server.Servers() {
		raw, err := rawList(s)
		if err != nil {
			return err
		}
		tokens, err := countTokens(raw)
		if err != nil {
			return err
		}
		c.ServersChars += characters(raw)
		c.ServersTokens += tokens
	}
	d.Client = c
	return nil
}

// maxHeard is how many lines of a server's standard error are shown.
const maxHeard = 10

// listener is a slog.Handler that keeps what servers write to standard error.
type listener struct {
	attrs []slog.Attr
	root  *listener

	mu    sync.Mutex
	lines map[string][]string
}

// Enabled implements slog.Handler.
func (l *listener) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (l *listener) Handle(_ context.Context, record slog.Record) error {
	values := map[string]string{}
	keep := func(a slog.Attr) bool {
		values[a.Key] = a.Value.String()
		return true
	}
	for _, a := range l.attrs {
		keep(a)
	}
	record.Attrs(keep)
	root := l
	if l.root != nil {
		root = l.root
	}
	root.mu.Lock()
	defer root.mu.Unlock()
	if record.Message == "stderr" {
		name := values["server"]
		lines := append(root.lines[name], values["line"])
		root.lines[name] = lines[max(0, len(lines)-maxHeard):]
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (l *listener) WithAttrs(attrs []slog.Attr) slog.Handler {
	root := l
	if l.root != nil {
		root = l.root
	}
	return &listener{attrs: append(slices.Clone(l.attrs), attrs...), root: root}
}

// WithGroup implements slog.Handler.
func (l *listener) WithGroup(string) slog.Handler { return l }

// print writes the diagnosis for people.
func (d *diagnosis) print(term terminal) error {
	var b strings.Builder
	fmt.Fprintf(&b, "codemode  %s, protocol v%d, %s\n          %s\n", d.Version, d.Protocol, d.Platform, d.Binary)
	if d.Engine.OK {
		fmt.Fprintf(&b, "engine    %s; a program ran, with the start of a worker, in %d ms\n", d.Engine.Name, d.Engine.TookMs)
	} else {
		fmt.Fprintf(&b, "engine    does not work: %s\n", d.Engine.Error)
	}
	if len(d.Engine.Sandbox) > 0 {
		fmt.Fprintf(&b, "sandbox   %s\n", strings.Join(d.Engine.Sandbox, ", "))
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(&b, "warning   %s\n", w)
	}
	for _, s := range d.Servers {
		s.print(&b)
	}
	if d.OAuth != nil {
		d.OAuth.print(&b)
	}
	if c := d.Client; c != nil {
		fmt.Fprintf(&b, "\na client is sent a description of %d characters (%d tokens); the servers' own lists are %d (%d)\n",
			c.DescriptionChars, c.DescriptionTokens, c.ServersChars, c.ServersTokens)
	}
	if len(d.Files) == 0 {
		b.WriteString("servers   none looked at; --config FILE names them\n")
	}
	_, err := fmt.Fprint(term.out, b.String())
	return err
}

func (o *oauthDiagnosis) print(b *strings.Builder) {
	fmt.Fprintf(b, "\noauth     serve --http takes access tokens for %s\n", strings.Join(append([]string{o.Resource}, o.Audiences...), ", "))
	if len(o.Scopes) > 0 {
		fmt.Fprintf(b, "          with the scopes %s\n", strings.Join(o.Scopes, " "))
	}
	if len(o.Views) > 0 {
		fmt.Fprintf(b, "          for the views %s, and for nothing else\n", strings.Join(o.Views, ", "))
	}
	for _, i := range o.Issuers {
		if i.Error != "" {
			fmt.Fprintf(b, "issuer    %s does not work: %s\n", i.Issuer, i.Error)
			continue
		}
		fmt.Fprintf(b, "issuer    %s, keys: %d\n", i.Issuer, i.Keys)
	}
}

func (s *serverDiagnosis) print(b *strings.Builder) {
	fmt.Fprintf(b, "\nserver    %s: %s", s.Name, s.State)
	if s.State == "ready" {
		fmt.Fprintf(b, ", tools: %d, in %d ms", s.Tools, s.TookMs)
	}
	b.WriteString("\n")
	for _, row := range [][2]string{{"why", s.Reason}, {"program", s.Command}, {"looked in", strings.Join(s.Tried, ", ")}, {"is", s.Server}, {"speaks", s.Revision}} {
		if row[1] != "" {
			fmt.Fprintf(b, "          %s %s\n", row[0], row[1])
		}
	}
	for _, line := range s.Stderr {
		fmt.Fprintf(b, "          | %s\n", line)
	}
}
