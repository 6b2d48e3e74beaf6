// Package config reads the files in which people already keep their MCP servers.
//
// A [Config] is what one or several files say. A [Server] is one entry that can be started. A [Problem] is one that
// cannot, with the file, the server and the field: a bad server never keeps a good one from running, and a message
// never holds a value, which may be a secret. What is wrong with a whole file is an error of [Load].
//
//	cfg, err := config.Load([]string{"mcp.json"}, nil)
//	if err != nil { … }                  // no such file, not JSON, no servers in it
//	for _, p := range cfg.Problems { log.Println(p) }
//	for _, s := range cfg.Servers { fmt.Println(s.Namespace, s.Transport) }
//
// # Formats
//
// The map of servers is "mcpServers" (Claude Desktop, Claude Code, Cursor, Windsurf), "servers" (VS Code) or
// "context_servers" (Zed); comments, trailing commas and a byte order mark are allowed. An entry has "command", "args",
// "env", "envFile", "cwd" for a child process, or "url" and "headers" for Streamable HTTP. Beside those it may have
// "disabled", "timeout" (of a call), "startTimeout", "namespace", "includeTools", "excludeTools" and "inheritEnv". Relative
// paths start at the file's directory.
//
// In all of these strings ${VAR} and ${env:VAR} are environment variables, ${VAR:-default} has a default, ${input:id} is
// the variable CODEMODE_INPUT_id, ${workspaceFolder}, ${userHome} and ${/} are what the editors make of them, and $$ is a
// dollar sign. A variable that is not set is a problem of its server.
//
// A "codemode" object beside the servers holds our own settings, see [Settings].
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Config is what the files say together.
type Config struct {
	// Servers can be started. They stand in the order of the files.
	Servers []Server
	// Problems are the servers that cannot, in the same order.
	Problems []Problem
	// Warnings are whole sentences about what was read but has no effect.
	Warnings []string
	// Settings is the "codemode" object.
	Settings Settings
}

// Transport is how a server is reached.
type Transport string

const (
	// TransportStdio: a child process that speaks on its standard input and output.
	TransportStdio Transport = "stdio"
	// TransportHTTP: Streamable HTTP.
	TransportHTTP Transport = "http"
)

// Server is one server, with every variable replaced.
type Server struct {
	// Name is the key in the file, Namespace the identifier of programs, File where it was read.
	Name, Namespace, File string
	Transport             Transport

	// Command, Args and Dir start a TransportStdio server. Dir is absolute, or empty for our own.
	Command string
	Args    []string
	Dir     string
	// Env is set in the child on top of a small allow-list of our environment, or of all of it with InheritEnv.
	Env        []Variable
	InheritEnv bool

	// URL and Headers reach a TransportHTTP server.
	URL     string
	Headers []Variable

	// StartTimeout bounds the time until the server is ready, CallTimeout one call; 0 is the default.
	StartTimeout, CallTimeout time.Duration
	// IncludeTools and ExcludeTools are patterns of path.Match over tool names; no IncludeTools means all.
	IncludeTools, ExcludeTools []string

	secrets []string
}

// Variable is a named value: an environment variable or a header.
type Variable struct{ Name, Value string }

// Redact replaces the server's secrets in a text that leaves us: header values, environment values whose name says that
// they are secret, and the values of such variables wherever the entry used them.
func (s *Server) Redact(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}

// Problem is a server that cannot run.
type Problem struct {
	File, Server string
	// Field is the member of the entry that is wrong, with an index or key where there is one: "args[1]", "env.TOKEN".
	// It is empty when the whole entry is.
	Field   string
	Message string
}

func (p Problem) Error() string {
	if p.Field == "" {
		return fmt.Sprintf("%s: server %q: %s", p.File, p.Server, p.Message)
	}
	return fmt.Sprintf("%s: server %q: %s %s", p.File, p.Server, p.Field, p.Message)
}

// Options are the surroundings that a file refers to.
type Options struct {
	// LookupEnv finds an environment variable; nil means os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// Executable is our own program's file. An entry that would start it again is left out with a warning, so that
	// codemode can be pointed at the very file of the host that starts codemode.
	Executable string
}

// Load reads files and merges them: of two servers with one name the later file's counts, with a warning. An error is
// about a whole file and names it.
func Load(files []string, options *Options) (*Config, error) {
	if len(files) == 0 {
		return nil, errors.New("no configuration file was named")
	}
	m := merger{options: resolve(options), place: map[string]int{}}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("cannot read the configuration: %w", err)
		}
		if err := m.add(file, data); err != nil {
			return nil, err
		}
	}
	return m.finish(), nil
}

// Parse reads one file's text. The name is for messages, and relative paths in the text start at its directory.
func Parse(file string, data []byte, options *Options) (*Config, error) {
	m := merger{options: resolve(options), place: map[string]int{}}
	if err := m.add(file, data); err != nil {
		return nil, err
	}
	return m.finish(), nil
}

func resolve(options *Options) Options {
	var o Options
	if options != nil {
		o = *options
	}
	if o.LookupEnv == nil {
		o.LookupEnv = os.LookupEnv
	}
	return o
}

// merger collects entries over several files.
type merger struct {
	options  Options
	entries  []entry
	place    map[string]int
	warnings []string
	settings Settings
}

// entry is one server as it was read: usable, a problem, or switched off.
type entry struct {
	server  Server
	problem *Problem
	off     bool
}

func (m *merger) warn(file, format string, args ...any) {
	m.warnings = append(m.warnings, file+": "+fmt.Sprintf(format, args...))
}

func (m *merger) add(file string, data []byte) error {
	text, err := standardize(data)
	if err == nil {
		if syntax := checkSyntax(text); syntax != nil {
			err = syntax
		}
	}
	if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("%s: not JSON: %w", file, syntax.locate(data))
	}
	top, ok := members(text)
	if !ok {
		return fmt.Errorf("%s: must hold an object, holds %s", file, kindOf(text))
	}
	servers, err := m.topLevel(file, top)
	if err != nil {
		return err
	}
	for _, s := range servers {
		m.put(m.read(file, s))
	}
	return nil
}

// topLevel reads everything but the servers and returns those.
func (m *merger) topLevel(file string, top []member) ([]member, error) {
	var found string
	var servers []member
	for _, t := range top {
		switch t.key {
		case "mcpServers", "servers", "context_servers":
			list, ok := members(t.value)
			if !ok {
				return nil, fmt.Errorf("%s: %q must be an object of servers, is %s", file, t.key, kindOf(t.value))
			}
			if found != "" {
				m.warn(file, "both %q and %q hold servers; both are read", found, t.key)
			}
			found = t.key
			servers = append(servers, list...)
		case "codemode":
			if err := m.settings.read(t.value, func(key string) { m.warn(file, "codemode.%s is not a setting; it is ignored", key) }); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		case "inputs", "$schema":
		default:
			// A host keeps its own settings in the same file, so only a likely slip is worth a line.
			if looksLikeServers(t.key) {
				m.warn(file, "%q is not read; the servers belong under \"mcpServers\"", t.key)
			}
		}
	}
	switch {
	case found == "":
		return nil, fmt.Errorf("%s: has no servers: there is no \"mcpServers\" object (nor \"servers\" or \"context_servers\")", file)
	case len(servers) == 0:
		return nil, fmt.Errorf("%s: has no servers: %q is empty", file, found)
	}
	return servers, nil
}

func looksLikeServers(key string) bool {
	key = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
	return key == "mcpservers" || key == "mcpserver" || key == "server" || key == "servers" || key == "mcp"
}

func (m *merger) put(e entry) {
	if i, ok := m.place[e.server.Name]; ok {
		m.warn(e.server.File, "server %q was already read from %s; this later entry counts", e.server.Name, m.entries[i].server.File)
		m.entries[i] = e
		return
	}
	m.place[e.server.Name] = len(m.entries)
	m.entries = append(m.entries, e)
}

// finish sorts entries into servers and problems; a namespace belongs to the first server that has it.
func (m *merger) finish() *Config {
	config := &Config{Warnings: m.warnings, Settings: m.settings}
	owner := map[string]string{}
	for _, e := range m.entries {
		s := e.server
		if other, taken := owner[s.Namespace]; taken && e.problem == nil && !e.off {
			e.problem = &Problem{File: s.File, Server: s.Name, Message: fmt.Sprintf(
				"would be called %s in programs, and so is server %q; rename one of them or give it a \"namespace\"", s.Namespace, other)}
		}
		switch {
		case e.problem != nil:
			config.Problems = append(config.Problems, *e.problem)
		case !e.off:
			owner[s.Namespace] = s.Name
			config.Servers = append(config.Servers, s)
			if run := config.Settings.Timeout; run > 0 && s.CallTimeout > run {
				config.Warnings = append(config.Warnings, fmt.Sprintf(
					"%s: server %q: timeout (%s) is longer than a whole run may take (codemode.timeout, %s), so the run's always ends first", s.File, s.Name, s.CallTimeout, run))
			}
		}
	}
	return config
}

// read makes an entry of one member of the servers object.
func (m *merger) read(file string, in member) entry {
	r := reader{file: file, name: in.key, options: m.options, warn: func(format string, args ...any) {
		m.warn(file, "server %q: "+format, append([]any{in.key}, args...)...)
	}}
	e := entry{server: Server{Name: in.key, Namespace: Namespace(in.key), File: file}}
	fields, ok := members(in.value)
	if !ok {
		e.problem = &Problem{File: file, Server: in.key, Message: "must be an object, is " + kindOf(in.value)}
		return e
	}
	if e.off = r.isOff(fields); e.off {
		return e
	}
	if in.key == "" {
		e.problem = &Problem{File: file, Server: in.key, Message: "has an empty name"}
		return e
	}
	e.problem = r.server(&e.server, fields)
	if e.problem == nil && m.isSelf(&e.server) {
		r.warn("would start codemode itself again; it is left out")
		e.off = true
	}
	return e
}

func (m *merger) isSelf(s *Server) bool {
	if m.options.Executable == "" || s.Transport != TransportStdio || !filepath.IsAbs(s.Command) {
		return false
	}
	ours, err := filepath.EvalSymlinks(m.options.Executable)
	if err != nil {
		return false
	}
	theirs, err := filepath.EvalSymlinks(s.Command)
	return err == nil && ours == theirs
}

// addSecrets remembers values for Redact; a short one would blank innocent text.
func (s *Server) addSecrets(values ...string) {
	for _, v := range values {
		for _, part := range append(strings.Fields(v), v) {
			if len(part) >= 6 && !strings.EqualFold(part, "Bearer") && !slices.Contains(s.secrets, part) {
				s.secrets = append(s.secrets, part)
			}
		}
	}
	// The longest first, so that a part does not break up the whole.
	slices.SortStableFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}

// text reads a JSON string.
func text(raw json.RawMessage) (string, bool) {
	var s string
	if kindOf(raw) != "a string" || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
