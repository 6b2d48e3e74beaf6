package config

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// reader reads one server's entry.
type reader struct {
	file, name string
	options    Options
	spelling   spelling
	inputs     *node
	warn       func(format string, args ...any)
	vars       *expander
	commands   *commands
	// spelled is the key that a field was written with.
	spelled map[string]string
}

// isOff reports whether the entry is switched off, or is of a kind that only its host has; nothing else of it is then
// looked at. A switch that says neither is a problem: a server that was meant to be off must not run.
func (r *reader) isOff(entry *node) (off bool, problem *Problem) {
	if entry.get("disabled").is("true") || entry.get("enabled").is("false") {
		return true, nil
	}
	for _, field := range []string{"disabled", "enabled"} {
		value := entry.get(field)
		if k := kindOf(value); k != nothing && k != isNull && k != isBoolean {
			return false, r.problem(value, field, "must be true or false, is %s", k)
		}
	}
	if kind := entry.get("type"); kind != nil && (kind.text == "builtin" || kind.text == "platform" || kind.text == "frontend") {
		r.warn("is a part of Goose (type %s); it is left out", kind.text)
		return true, nil
	}
	return false, nil
}

// server fills in s, or says what is wrong.
func (r *reader) server(s *Server, entry *node) *Problem {
	raw := r.fields(entry)
	r.vars = r.expander()
	kind, problem := r.transport(entry, raw)
	if problem != nil {
		return problem
	}
	s.Transport = kind
	r.warnOfIdle(kind, raw)
	steps := []func(*Server, map[string]*node) *Problem{r.common}
	if kind == TransportStdio {
		steps = append(steps, r.command, r.env, r.dir)
	} else {
		steps = append(steps, r.remote, r.credentials)
	}
	for _, step := range steps {
		if problem := step(s, raw); problem != nil {
			return problem
		}
	}
	s.addSecrets(r.vars.secrets...)
	s.identity = r.identity(kind, raw)
	return nil
}

// fields sorts the members by our names for them.
func (r *reader) fields(entry *node) map[string]*node {
	raw := map[string]*node{}
	r.spelled = map[string]string{}
	for _, m := range entry.members {
		known, ok := fieldOf(serverFields, m.key)
		switch {
		case ok && m.value.kind != isNull:
			if earlier, twice := r.spelled[known.key]; twice && earlier == m.key {
				r.warn("%s is there twice; the later one counts", m.key)
			} else if twice {
				r.warn("%s and %s are the same; the later one counts", earlier, m.key)
			}
			raw[known.key], r.spelled[known.key] = m.value, m.key
		case !ok && !slices.Contains(hostFields, m.key):
			r.warn("%q is not known here; it is ignored", m.key)
		}
	}
	if c := raw["command"]; kindOf(c) == isObject { // Zed's older form
		for theirs, ours := range map[string]string{"path": "command", "args": "args", "env": "env"} {
			if value := c.get(theirs); value != nil {
				raw[ours] = value
			}
		}
	}
	return raw
}

// idle are the members that mean nothing to a server of the other kind: of one that is started, and of one that has an address.
var (
	idleOverHTTP = []string{"command", "args", "env", "envFile", "envKeys", "inheritEnv", "cwd"}
	idleOfStdio  = []string{"url", "headers", "envHeaders", "bearerTokenEnv", "headersCommand", "oauth", "openapi", "security"}
)

// warnOfIdle names members that have no effect. Many hosts write empty ones.
func (r *reader) warnOfIdle(kind Transport, raw map[string]*node) {
	idle, with := idleOverHTTP, "command"
	if kind == TransportStdio {
		idle, with = idleOfStdio, "url"
	}
	for _, key := range idle {
		value := raw[key]
		if value == nil || value.kind != isBoolean && value.kind != isNumber && value.text == "" && len(value.members)+len(value.items) == 0 {
			continue
		}
		if key == "security" {
			with = "openapi"
		}
		if key == with { // it is "type" that says which of the two counts
			r.warn("%s is ignored, since the server is one of type %s", r.spelled[key], kind)
			continue
		}
		r.warn("%s goes with %q; it is ignored", r.spelled[key], with)
	}
}

func (r *reader) expander() *expander {
	isVSCode := filepath.Base(filepath.Dir(r.file)) == ".vscode"
	return &expander{lookup: r.options.LookupEnv, special: r.editorNames(isVSCode), inputs: r.inputs, spelling: r.spelling,
		commands: r.commands, absolute: r.absolute}
}

func (r *reader) editorNames(isVSCode bool) map[string]string {
	folder := r.directory()
	if isVSCode || filepath.Base(folder) == ".cursor" {
		folder = filepath.Dir(folder)
	}
	names := map[string]string{
		"workspaceFolder": folder, "workspaceFolderBasename": filepath.Base(folder),
		"pathSeparator": string(filepath.Separator), "/": string(filepath.Separator),
	}
	if home, err := os.UserHomeDir(); err == nil {
		names["userHome"] = home
	}
	return names
}

// directory is where relative paths of the file start.
func (r *reader) directory() string {
	absolute, err := filepath.Abs(filepath.Dir(r.file))
	if err != nil {
		return filepath.Dir(r.file)
	}
	return absolute
}

func (r *reader) problem(at *node, field, format string, args ...any) *Problem {
	p := &Problem{File: r.file, Server: r.name, Field: field, Message: fmt.Sprintf(format, args...)}
	if at != nil {
		p.At = at.at
	}
	return p
}

// transport decides from "type", or without it from which of "command" and "url" is there.
func (r *reader) transport(entry *node, raw map[string]*node) (Transport, *Problem) {
	command, address := raw["command"] != nil, raw["url"] != nil
	written := ""
	if value := raw["type"]; value != nil {
		if written = value.text; value.kind != isString {
			return "", r.problem(value, "type", "must be a string, is %s", value.kind)
		}
	}
	if raw["openapi"] != nil && !command && (written == "" || written == "openapi") {
		return TransportOpenAPI, nil
	}
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(written)) {
	case "":
		if address == command {
			return "", r.problem(entry, "", "needs either \"command\" (a local server) or \"url\" (a remote one), has %s", map[bool]string{true: "both", false: "neither"}[address])
		}
		if address {
			return TransportHTTP, nil
		}
		return TransportStdio, nil
	case "stdio", "local":
		if !command {
			return "", r.problem(entry, "command", "is missing; a %s server needs it", written)
		}
		return TransportStdio, nil
	case "http", "streamablehttp", "remote":
		if !address {
			return "", r.problem(entry, "url", "is missing; a server of type %s needs it", written)
		}
		return TransportHTTP, nil
	case "sse":
		return "", r.problem(raw["type"], "type", "is \"sse\", the HTTP+SSE transport of 2024: write \"http\", which falls back to it for a server that has no Streamable HTTP")
	case "openapi":
		return "", r.problem(entry, "openapi", "is missing; a server of type openapi needs it")
	}
	return "", r.problem(raw["type"], "type", "is not one of stdio, http, streamable-http, openapi")
}

// command reads "command" (a string, or an array that holds the arguments too) and "args".
func (r *reader) command(s *Server, raw map[string]*node) (problem *Problem) {
	value := raw["command"]
	if value.kind == isArray {
		words, problem := r.list("command", value)
		if problem != nil {
			return problem
		}
		if len(words) > 0 {
			s.Command, s.Args = words[0], words[1:]
		}
	} else if s.Command, problem = r.str("command", value); problem != nil {
		return problem
	}
	if strings.TrimSpace(s.Command) == "" {
		return r.problem(value, "command", "is empty")
	}
	args, problem := r.list("args", raw["args"])
	s.Args = append(s.Args, args...)
	return problem
}

func (r *reader) dir(s *Server, raw map[string]*node) *Problem {
	if value := raw["cwd"]; value != nil {
		dir, problem := r.str("cwd", value)
		if problem != nil {
			return problem
		}
		s.Dir = r.absolute(dir)
		if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
			return r.problem(value, "cwd", "is not a directory: %s", r.vars.redact(s.Dir))
		}
	}
	s.Command = r.program(s.Command)
	return nil
}

// program is a command; one with a slash in it is a file and not a name to look up.
func (r *reader) program(command string) string {
	if strings.HasPrefix(command, "~/") || command != filepath.Base(command) && !filepath.IsAbs(command) {
		return r.absolute(command)
	}
	return command
}

// absolute resolves a path of the file.
func (r *reader) absolute(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.directory(), name)
}

func (r *reader) remote(s *Server, raw map[string]*node) (problem *Problem) {
	if s.Transport == TransportOpenAPI {
		if problem := r.openAPI(s, raw); problem != nil || raw["url"] == nil {
			return problem
		}
	} else if raw["security"] != nil {
		r.warn("\"security\" goes with \"openapi\"; it is ignored")
	}
	if s.URL, problem = r.str("url", raw["url"]); problem != nil {
		return problem
	}
	// The parse error would quote the text, which may carry a token.
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return r.problem(raw["url"], "url", "is not an http or https URL")
	}
	s.addURLSecrets(u)
	return nil
}

// common reads what all transports have.
func (r *reader) common(s *Server, raw map[string]*node) (problem *Problem) {
	if value := raw["namespace"]; value != nil {
		if value.kind != isString {
			return r.problem(value, "namespace", "must be a string, is %s", value.kind)
		}
		s.Namespace = value.text
		if would := Namespace(s.Namespace); !protocol.IsProviderName(s.Namespace) || would != s.Namespace {
			return r.problem(value, "namespace", "must be an identifier (ASCII letters, digits, _ and $) that programs do not already have; %s would do", would)
		}
	}
	if s.StartTimeout, problem = r.duration("startTimeout", raw["startTimeout"]); problem != nil {
		return problem
	}
	if s.CallTimeout, problem = r.duration("timeout", raw["timeout"]); problem != nil {
		return problem
	}
	if s.IncludeTools, problem = r.patterns("includeTools", raw["includeTools"]); problem != nil {
		return problem
	}
	s.ExcludeTools, problem = r.patterns("excludeTools", raw["excludeTools"])
	return problem
}

func (r *reader) patterns(field string, value *node) ([]string, *Problem) {
	list, problem := r.list(field, value)
	for i, pattern := range list {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, r.problem(value.items[i], fmt.Sprintf("%s[%d]", field, i), "is not a pattern: %v", err)
		}
	}
	return list, problem
}

// duration reads a bound. A bare number is milliseconds, but seconds where the host's key or habit says so.
func (r *reader) duration(field string, value *node) (time.Duration, *Problem) {
	if value == nil {
		return 0, nil
	}
	spelled := r.spelled[field]
	unit := time.Millisecond
	if strings.HasSuffix(spelled, "_sec") || r.spelling.seconds && !strings.HasSuffix(spelled, "_ms") {
		unit = time.Second
	}
	d, err := parseDuration(value, unit)
	if err != nil {
		return 0, r.problem(value, field, "%v", err)
	}
	return d, nil
}

// str reads a string and replaces its variables.
func (r *reader) str(field string, value *node) (string, *Problem) {
	if kindOf(value) != isString {
		return "", r.problem(value, field, "must be a string, is %s", kindOf(value))
	}
	s, err := r.vars.expand(value.text)
	if err != nil {
		return "", r.problem(value, field, "%v", err)
	}
	if strings.ContainsRune(s, 0) {
		return "", r.problem(value, field, "holds a NUL character")
	}
	return s, nil
}

// scalar reads a string, or a number or boolean by the text it is written with, which people write for ports and flags.
func (r *reader) scalar(field string, value *node) (string, *Problem) {
	if value.kind == isNumber || value.kind == isBoolean {
		return value.text, nil
	}
	return r.str(field, value)
}

func (r *reader) list(field string, value *node) ([]string, *Problem) {
	if value == nil {
		return nil, nil
	}
	if value.kind != isArray {
		return nil, r.problem(value, field, "must be an array of strings, is %s", value.kind)
	}
	list := make([]string, 0, len(value.items))
	for i, item := range value.items {
		s, problem := r.scalar(fmt.Sprintf("%s[%d]", field, i), item)
		if problem != nil {
			return nil, problem
		}
		list = append(list, s)
	}
	return list, nil
}
