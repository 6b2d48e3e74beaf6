package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// reader reads one server's entry.
type reader struct {
	file, name string
	options    Options
	warn       func(format string, args ...any)
	vars       *expander
}

// fieldName maps the spellings of the hosts to ours; empty is a member that is not known.
func fieldName(key string) string {
	switch key {
	case "command", "cmd":
		return "command"
	case "env", "envs", "environment":
		return "env"
	case "url", "serverUrl", "httpUrl", "uri":
		return "url"
	case "headers", "http_headers":
		return "headers"
	case "type", "transport", "transportType":
		return "type"
	case "startTimeout", "startupTimeout", "startup_timeout":
		return "startTimeout"
	case "args", "cwd", "envFile", "inheritEnv", "timeout", "namespace", "includeTools", "excludeTools", "disabled", "enabled":
		return key
	}
	return ""
}

// isHostField knows the members that only concern the host the file was written for, and change nothing about what the
// server may do.
func isHostField(key string) bool {
	switch key {
	case "autoApprove", "alwaysAllow", "alwaysLoad", "autoStart", "description", "name", "title", "icon", "gallery", "version", "dev", "source", "provider", "timeoutMs", "metadata":
		return true
	}
	return false
}

// isOff reports whether the entry is switched off; nothing else of it is then looked at.
func (r *reader) isOff(fields []member) bool {
	off := false
	for _, f := range fields {
		if f.key == "disabled" {
			off = string(f.value) == "true"
		}
		if f.key == "enabled" {
			off = string(f.value) == "false"
		}
	}
	return off
}

// server fills in s, or says what is wrong.
func (r *reader) server(s *Server, fields []member) *Problem {
	raw, isVSCode := map[string]json.RawMessage{}, filepath.Base(filepath.Dir(r.file)) == ".vscode"
	for _, f := range fields {
		switch ours := fieldName(f.key); {
		case ours != "" && string(bytes.TrimSpace(f.value)) != "null":
			raw[ours] = f.value
		case ours == "" && !isHostField(f.key):
			r.warn("%q is not known here; it is ignored", f.key)
		}
	}
	r.vars = &expander{lookup: r.options.LookupEnv, special: r.editorNames(isVSCode)}
	kind, problem := r.transport(raw)
	if problem != nil {
		return problem
	}
	s.Transport = kind
	steps := []func(*Server, map[string]json.RawMessage) *Problem{r.common}
	if kind == TransportStdio {
		steps = append(steps, r.command, r.env, r.dir)
	} else {
		steps = append(steps, r.remote)
	}
	for _, step := range steps {
		if problem := step(s, raw); problem != nil {
			return problem
		}
	}
	s.addSecrets(r.vars.secrets...)
	return nil
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

func (r *reader) problem(field, format string, args ...any) *Problem {
	return &Problem{File: r.file, Server: r.name, Field: field, Message: fmt.Sprintf(format, args...)}
}

// transport decides from "type", or without it from which of "command" and "url" is there.
func (r *reader) transport(raw map[string]json.RawMessage) (Transport, *Problem) {
	_, hasCommand := raw["command"]
	_, hasURL := raw["url"]
	kind := ""
	if value, ok := raw["type"]; ok {
		if kind, ok = text(value); !ok {
			return "", r.problem("type", "must be a string, is %s", kindOf(value))
		}
	}
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(kind)) {
	case "":
		if hasURL == hasCommand {
			return "", r.problem("", "needs either \"command\" (a local server) or \"url\" (a remote one), has %s", map[bool]string{true: "both", false: "neither"}[hasURL])
		}
		if hasURL {
			return TransportHTTP, nil
		}
		return TransportStdio, nil
	case "stdio", "local":
		if !hasCommand {
			return "", r.problem("command", "is missing; a %s server needs it", kind)
		}
		return TransportStdio, nil
	case "http", "streamablehttp", "remote":
		if !hasURL {
			return "", r.problem("url", "is missing; a server of type %s needs it", kind)
		}
		return TransportHTTP, nil
	case "sse":
		return "", r.problem("type", "is \"sse\", the HTTP+SSE transport of 2024, which is not supported yet; most such servers also offer Streamable HTTP, often under /mcp")
	}
	return "", r.problem("type", "is not one of stdio, http, streamable-http")
}

// command reads "command" (a string, or an array that holds the arguments too) and "args".
func (r *reader) command(s *Server, raw map[string]json.RawMessage) (problem *Problem) {
	value := raw["command"]
	if kindOf(value) == "an array" {
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
		return r.problem("command", "is empty")
	}
	args, problem := r.list("args", raw["args"])
	s.Args = append(s.Args, args...)
	return problem
}

// env reads "envFile" and on top of it "env".
func (r *reader) env(s *Server, raw map[string]json.RawMessage) *Problem {
	if value, ok := raw["envFile"]; ok {
		name, problem := r.str("envFile", value)
		if problem != nil {
			return problem
		}
		if s.Env, problem = r.envFile(name); problem != nil {
			return problem
		}
	}
	own, problem := r.variables("env", raw["env"])
	if problem != nil {
		return problem
	}
	s.Env = append(s.Env, own...)
	for _, v := range s.Env {
		if isSecretName(v.Name) {
			s.addSecrets(v.Value)
		}
	}
	if value, ok := raw["inheritEnv"]; ok {
		if json.Unmarshal(value, &s.InheritEnv) != nil {
			return r.problem("inheritEnv", "must be true or false, is %s", kindOf(value))
		}
	}
	return nil
}

// envFile reads lines of NAME=value; "#" starts a comment line, "export " and quotes around a value fall away.
func (r *reader) envFile(name string) ([]Variable, *Problem) {
	data, err := os.ReadFile(r.absolute(name))
	if err != nil {
		return nil, r.problem("envFile", "cannot be read: %v", err)
	}
	var list []Variable
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, r.problem("envFile", "has no NAME=value in its line %d", i+1)
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		list = append(list, Variable{key, value})
	}
	return list, nil
}

func (r *reader) dir(s *Server, raw map[string]json.RawMessage) *Problem {
	if value, ok := raw["cwd"]; ok {
		dir, problem := r.str("cwd", value)
		if problem != nil {
			return problem
		}
		s.Dir = r.absolute(dir)
		if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
			return r.problem("cwd", "is not a directory: %s", s.Dir)
		}
	}
	// A command with a slash in it is a file and not a name to look up.
	if strings.HasPrefix(s.Command, "~/") || s.Command != filepath.Base(s.Command) && !filepath.IsAbs(s.Command) {
		s.Command = r.absolute(s.Command)
	}
	return nil
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

func (r *reader) remote(s *Server, raw map[string]json.RawMessage) (problem *Problem) {
	if s.URL, problem = r.str("url", raw["url"]); problem != nil {
		return problem
	}
	// The parse error would quote the text, which may carry a token.
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return r.problem("url", "is not an http or https URL")
	}
	if password, ok := u.User.Password(); ok {
		s.addSecrets(password)
	}
	for key, values := range u.Query() {
		if isSecretName(key) {
			s.addSecrets(values...)
		}
	}
	s.Headers, problem = r.variables("headers", raw["headers"])
	for _, h := range s.Headers {
		s.addSecrets(h.Value)
	}
	return problem
}

// common reads what both transports have.
func (r *reader) common(s *Server, raw map[string]json.RawMessage) (problem *Problem) {
	if value, ok := raw["namespace"]; ok {
		if s.Namespace, ok = text(value); !ok || !protocol.IsProviderName(s.Namespace) || isTaken(s.Namespace) {
			return r.problem("namespace", "must be an identifier (ASCII letters, digits, _ and $) that programs do not already have")
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

func (r *reader) patterns(field string, raw json.RawMessage) ([]string, *Problem) {
	list, problem := r.list(field, raw)
	for i, pattern := range list {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, r.problem(fmt.Sprintf("%s[%d]", field, i), "is not a pattern: %v", err)
		}
	}
	return list, problem
}

func (r *reader) duration(field string, raw json.RawMessage) (time.Duration, *Problem) {
	if raw == nil {
		return 0, nil
	}
	d, err := parseDuration(raw)
	if err != nil {
		return 0, r.problem(field, "%v", err)
	}
	return d, nil
}

// str reads a string and replaces its variables.
func (r *reader) str(field string, raw json.RawMessage) (string, *Problem) {
	s, ok := text(raw)
	if !ok {
		return "", r.problem(field, "must be a string, is %s", kindOf(raw))
	}
	s, err := r.vars.expand(s)
	if err != nil {
		return "", r.problem(field, "%v", err)
	}
	if strings.ContainsRune(s, 0) {
		return "", r.problem(field, "holds a NUL character")
	}
	return s, nil
}

// scalar reads a string, or a number or boolean by the text it is written with, which people write for ports and flags.
func (r *reader) scalar(field string, raw json.RawMessage) (string, *Problem) {
	switch kindOf(raw) {
	case "a number", "a boolean":
		return string(bytes.TrimSpace(raw)), nil
	}
	return r.str(field, raw)
}

func (r *reader) list(field string, raw json.RawMessage) ([]string, *Problem) {
	if raw == nil {
		return nil, nil
	}
	var items []json.RawMessage
	if kindOf(raw) != "an array" || json.Unmarshal(raw, &items) != nil {
		return nil, r.problem(field, "must be an array of strings, is %s", kindOf(raw))
	}
	list := make([]string, 0, len(items))
	for i, item := range items {
		s, problem := r.scalar(fmt.Sprintf("%s[%d]", field, i), item)
		if problem != nil {
			return nil, problem
		}
		list = append(list, s)
	}
	return list, nil
}

// variables reads an object of strings; null leaves its member out.
func (r *reader) variables(field string, raw json.RawMessage) ([]Variable, *Problem) {
	if raw == nil {
		return nil, nil
	}
	fields, ok := members(raw)
	if !ok {
		return nil, r.problem(field, "must be an object of strings, is %s", kindOf(raw))
	}
	var list []Variable
	for _, f := range fields {
		if kindOf(f.value) == "null" {
			continue
		}
		value, problem := r.scalar(field+"."+f.key, f.value)
		if problem != nil {
			return nil, problem
		}
		if field == "headers" && strings.ContainsAny(value, "\r\n") {
			return nil, r.problem(field+"."+f.key, "holds a line break")
		}
		if f.key == "" || strings.ContainsAny(f.key, "=\x00\r\n") && field == "env" {
			return nil, r.problem(field, "has a name that cannot be one: %q", f.key)
		}
		list = append(list, Variable{f.key, value})
	}
	return list, nil
}
