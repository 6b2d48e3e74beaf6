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
// A file is JSON (comments, trailing commas and a byte order mark are allowed), TOML when its name ends in .toml, or YAML
// when it ends in .yaml or .yml. The map of servers is "mcpServers" (Claude Desktop, Claude Code, Cursor, Windsurf, Gemini
// CLI), "servers" (VS Code), "context_servers" (Zed), "mcp_servers" (Codex), "extensions" (Goose) or "mcp" (opencode).
// [Schema] has the members of an entry and the hosts' spellings of them; relative paths start at the file's directory.
//
// In all of their strings ${VAR} and ${env:VAR} are environment variables, ${VAR:-default} has a default, ${input:id} is
// the variable CODEMODE_INPUT_id, ${keychain:service/account} comes from the machine's secret store, ${command:…} from what
// a shell command prints, ${workspaceFolder}, ${userHome} and ${/} are what the editors make of them, and $$ is a dollar
// sign. A variable that has no value is a problem of its server alone.
//
// A "codemode" object beside the servers holds our own settings, see [Settings].
package config

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// Config is what the files say together.
type Config struct {
	// Servers can be started. They stand in the order of the files.
	Servers []Server
	// Problems are the servers that cannot, in the same order.
	Problems []Problem
	// Warnings are whole sentences about what was read but has no effect.
	Warnings []string
	// ViewWarnings are the same about views, which matter to those who serve over HTTP.
	ViewWarnings []string
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
	// TransportOpenAPI: no MCP server, but the operations of an HTTP API.
	TransportOpenAPI Transport = "openapi"
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

	// URL and Headers reach a TransportHTTP server. HeadersCommand is a shell command that prints a JSON object of
	// further headers; OAuth is nil when the entry has none.
	URL            string
	Headers        []Variable
	HeadersCommand string
	OAuth          *OAuth

	// OpenAPI is the absolute file or the address of the document of a TransportOpenAPI server. Its URL is the base of
	// the operations, or empty for the document's own. Security are the values of the document's security schemes by
	// their names.
	OpenAPI  string
	Security []Variable

	// StartTimeout bounds the time until the server is ready, CallTimeout one call; 0 is the default.
	StartTimeout, CallTimeout time.Duration
	// IncludeTools and ExcludeTools are patterns of path.Match over tool names; no IncludeTools means all.
	IncludeTools, ExcludeTools []string

	secrets  []string
	identity string
}

// OAuth is a client that was registered with a server's authorization server beforehand. A field is empty when the entry
// does not say it.
type OAuth struct {
	ClientID, ClientSecret string
	Scopes                 []string
	// CallbackPort is the port of the loopback address that the browser returns to.
	CallbackPort int
	// MetadataURL is where the authorization server's metadata is.
	MetadataURL string
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
	// At is the place of what is wrong.
	At Position
	// Rival is the server that programs call Namespace already, where that is the problem.
	Rival, Namespace string
}

// WithoutRival is the problem for those who are not to know of the other server.
func (p Problem) WithoutRival() Problem {
	if p.Rival != "" {
		p.Rival, p.Message = "", sharesName(p.Namespace, "another server")
	}
	return p
}

func sharesName(namespace, other string) string {
	return fmt.Sprintf("would be called %s in programs, and so is %s; rename one of them or give it a \"namespace\"", namespace, other)
}

func (p Problem) Error() string {
	return fmt.Sprintf("%s server %q: %s", place(p.File, p.At), p.Server, strings.TrimSpace(p.Field+" "+p.Message))
}

// place is a file and a position in it, as compilers write it.
func place(file string, at Position) string {
	if at.Line == 0 {
		return file + ":"
	}
	return fmt.Sprintf("%s:%d:%d:", file, at.Line, at.Column)
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
	m := newMerger(options)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, unreadable(file, err)
		}
		if err := m.add(file, data); err != nil {
			return nil, err
		}
	}
	return m.finish()
}

// unreadable says why a file cannot be read, and what to do. A client starts us in a directory of its own choosing, where a
// relative path that is right in a terminal leads to nothing.
func unreadable(file string, err error) error {
	var where *os.PathError
	if errors.As(err, &where) {
		err = where.Err
	}
	advice := ""
	if info, statErr := os.Stat(file); statErr == nil && info.IsDir() {
		advice = "; name the file in it"
	} else if dir, dirErr := os.Getwd(); dirErr == nil && errors.Is(err, os.ErrNotExist) && !filepath.IsAbs(file) {
		advice = fmt.Sprintf(" (in %s; the full path is right wherever a client starts this)", dir)
	}
	return fmt.Errorf("%s: the configuration cannot be read: %w%s", file, err, advice)
}

// Parse reads one file's text. The name is for messages, and relative paths in the text start at its directory.
func Parse(file string, data []byte, options *Options) (*Config, error) {
	m := newMerger(options)
	if err := m.add(file, data); err != nil {
		return nil, err
	}
	return m.finish()
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
	commands commands
	entries  []entry
	place    map[string]int
	warnings []string
	ofViews  []string
	settings Settings
	files    []string
}

func newMerger(options *Options) *merger {
	return &merger{options: resolve(options), place: map[string]int{}}
}

// entry is one server as it was read: usable, a problem, or switched off.
type entry struct {
	server  Server
	at      Position
	problem *Problem
	off     bool
}

func (m *merger) warn(file, format string, args ...any) {
	m.warnings = append(m.warnings, file+": "+fmt.Sprintf(format, args...))
}

func (m *merger) warnOfViews(file, format string, args ...any) {
	m.ofViews = append(m.ofViews, file+": "+fmt.Sprintf(format, args...))
}

func (m *merger) put(e entry) {
	if i, ok := m.place[e.server.Name]; ok {
		if earlier := m.entries[i]; earlier.server.File == e.server.File {
			m.warnings = append(m.warnings, fmt.Sprintf("%s server %q is there twice; this later entry counts", place(e.server.File, e.at), e.server.Name))
		} else {
			m.warn(e.server.File, "server %q was already read from %s; this later entry counts", e.server.Name, earlier.server.File)
		}
		m.entries[i] = e
		return
	}
	m.place[e.server.Name] = len(m.entries)
	m.entries = append(m.entries, e)
}

// shortRun is what a run is rarely meant to be shorter than: a call or two of a server on another machine.
const shortRun = 100 * time.Millisecond

// finish sorts entries into servers and problems; a namespace belongs to the first server that has it.
func (m *merger) finish() (*Config, error) {
	if len(m.entries) == 0 {
		return nil, fmt.Errorf("%s: has settings and no servers; name a file with servers beside it", strings.Join(m.files, ", "))
	}
	config := &Config{Warnings: m.warnings, ViewWarnings: m.ofViews, Settings: m.settings}
	for _, v := range config.Settings.Views {
		if v.Claims != nil && config.Settings.ResourceServer == nil {
			config.ViewWarnings = append(config.ViewWarnings, fmt.Sprintf("codemode.views: nobody has the view %q by its claims: there is no codemode.http.oauth", v.Name))
		}
	}
	if s := config.Settings; len(s.AllowAddresses) > 0 && s.Outbound != protocol.OutboundInherit {
		config.Warnings = append(config.Warnings, `codemode.allowAddresses opens nothing: programs reach no address at all without "outbound": "inherit"`)
	}
	if run := config.Settings.Timeout; run > 0 && run < shortRun {
		config.Warnings = append(config.Warnings, fmt.Sprintf("codemode.timeout is %s, which few programs end in; a number is in milliseconds, and \"5s\" is five seconds", run))
	}
	owner := map[string]string{}
	for _, e := range m.entries {
		s := e.server
		if other, taken := owner[s.Namespace]; taken && e.problem == nil && !e.off {
			e.problem = &Problem{File: s.File, Server: s.Name, At: e.at, Rival: other, Namespace: s.Namespace, Message: sharesName(s.Namespace, fmt.Sprintf("server %q", other))}
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
	return config, nil
}

// read makes an entry of one member of the servers object.
func (m *merger) read(file string, in found) entry {
	r := reader{file: file, name: in.key, options: m.options, spelling: in.spelling, inputs: in.inputs, commands: &m.commands,
		warn: func(format string, args ...any) {
			m.warn(file, "server %q: "+format, append([]any{in.key}, args...)...)
		}}
	e := entry{server: Server{Name: in.key, Namespace: Namespace(in.key), File: file}, at: in.value.at}
	if in.value.kind != isObject {
		e.problem = r.problem(in.value, "", "must be an object, is %s", in.value.kind)
		return e
	}
	if e.off, e.problem = r.isOff(in.value); e.off || e.problem != nil {
		return e
	}
	if in.key == "" {
		e.problem = r.problem(in.value, "", "has an empty name; programs need one to call it by")
		return e
	}
	e.problem = r.server(&e.server, in.value)
	if e.problem == nil {
		if why := m.itself(&e.server); why != "" {
			r.warn("%s; it is left out", why)
			e.off = true
		}
	}
	return e
}

// itself says how an entry would start codemode again, which would start codemode again; empty when it does not.
func (m *merger) itself(s *Server) string {
	if m.options.Executable == "" || s.Transport != TransportStdio {
		return ""
	}
	command := s.Command
	if !filepath.IsAbs(command) {
		if found, err := exec.LookPath(command); err == nil {
			command = found
		}
	}
	ours, err := filepath.EvalSymlinks(m.options.Executable)
	if err != nil {
		return ""
	}
	if theirs, err := filepath.EvalSymlinks(command); err == nil && ours == theirs {
		return "would start codemode itself again"
	}
	if name := strings.TrimSuffix(filepath.Base(command), ".exe"); name == "codemode" && slices.Contains(s.Args, "serve") {
		return fmt.Sprintf("would start another codemode, %s, which may start this one again", command)
	}
	return ""
}

// addSecrets remembers values for Redact; a short one would blank innocent text.
func (s *Server) addSecrets(values ...string) {
	for _, v := range values {
		for _, part := range append(strings.Fields(v), v) {
			if len(part) < 6 || strings.EqualFold(part, "Bearer") || slices.Contains(s.secrets, part) {
				continue
			}
			for _, form := range SecretForms(part) {
				if !slices.Contains(s.secrets, form) {
					s.secrets = append(s.secrets, form)
				}
			}
		}
	}
	// The longest first, so that a part does not break up the whole.
	slices.SortStableFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}
