package config

import (
	"os"
	"strings"
)

// env reads "envFile", on top of it "envKeys", and on top of both "env".
func (r *reader) env(s *Server, raw map[string]*node) *Problem {
	if value := raw["envFile"]; value != nil {
		name, problem := r.str("envFile", value)
		if problem != nil {
			return problem
		}
		if s.Env, problem = r.envFile(value, name); problem != nil {
			return problem
		}
	}
	if problem := r.envKeys(s, raw["envKeys"]); problem != nil {
		return problem
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
	if value := raw["inheritEnv"]; value != nil {
		if s.InheritEnv = value.is("true"); value.kind != isBoolean {
			return r.problem(value, "inheritEnv", "must be true or false, is %s", value.kind)
		}
	}
	return nil
}

// envKeys hands variables of ours on by their names.
func (r *reader) envKeys(s *Server, value *node) *Problem {
	names, problem := r.list("envKeys", value)
	if problem != nil {
		return problem
	}
	for i, name := range names {
		set, ok := r.options.LookupEnv(name)
		if !ok {
			return r.problem(value.items[i], "envKeys", "names the environment variable %s, which is not set", name)
		}
		s.Env = append(s.Env, Variable{name, set})
	}
	return nil
}

// envFile reads lines of NAME=value; "#" starts a comment line, "export " and quotes around a value fall away.
func (r *reader) envFile(at *node, name string) ([]Variable, *Problem) {
	data, err := os.ReadFile(r.absolute(name))
	if err != nil {
		return nil, r.problem(at, "envFile", "cannot be read: %s", r.vars.redact(err.Error()))
	}
	var list []Variable
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, r.problem(at, "envFile", "has no NAME=value in its line %d", i+1)
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		list = append(list, Variable{key, value})
	}
	return list, nil
}

// variables reads an object of strings; null leaves its member out.
func (r *reader) variables(field string, value *node) ([]Variable, *Problem) {
	if value == nil {
		return nil, nil
	}
	if value.kind != isObject {
		return nil, r.problem(value, field, "must be an object of strings, is %s", value.kind)
	}
	var list []Variable
	for _, m := range value.members {
		if m.value.kind == isNull {
			continue
		}
		text, problem := r.scalar(field+"."+m.key, m.value)
		if problem != nil {
			return nil, problem
		}
		if field != "env" && strings.ContainsAny(text, "\r\n") {
			return nil, r.problem(m.value, field+"."+m.key, "holds a line break")
		}
		if m.key == "" || strings.ContainsAny(m.key, "=\x00\r\n") && field == "env" {
			return nil, r.problem(m.value, field, "has a name that cannot be one: %q", m.key)
		}
		list = append(list, Variable{m.key, text})
	}
	return list, nil
}

// credentials reads what a remote server is shown of us.
func (r *reader) credentials(s *Server, raw map[string]*node) (problem *Problem) {
	if s.Headers, problem = r.variables("headers", raw["headers"]); problem != nil {
		return problem
	}
	named, problem := r.variables("envHeaders", raw["envHeaders"])
	if problem != nil {
		return problem
	}
	for _, h := range named {
		value, ok := r.options.LookupEnv(h.Value)
		if !ok {
			return r.problem(raw["envHeaders"].get(h.Name), "envHeaders."+h.Name, "names the environment variable %s, which is not set", h.Value)
		}
		s.Headers = append(s.Headers, Variable{h.Name, value})
	}
	if value := raw["bearerTokenEnv"]; value != nil {
		name, problem := r.str("bearerTokenEnv", value)
		if problem != nil {
			return problem
		}
		token, ok := r.options.LookupEnv(name)
		if !ok {
			return r.problem(value, "bearerTokenEnv", "names the environment variable %s, which is not set", name)
		}
		s.Headers = append(s.Headers, Variable{"Authorization", "Bearer " + token})
	}
	for _, h := range s.Headers {
		s.addSecrets(h.Value)
	}
	if value := raw["headersCommand"]; value != nil {
		if s.HeadersCommand, problem = r.str("headersCommand", value); problem != nil {
			return problem
		}
	}
	return r.oauth(s, raw["oauth"])
}

func (r *reader) oauth(s *Server, value *node) (problem *Problem) {
	if value == nil || value.is("false") {
		return nil
	}
	if value.kind != isObject {
		return r.problem(value, "oauth", "must be an object, is %s", value.kind)
	}
	oauth, _ := fieldOf(serverFields, "oauth")
	s.OAuth = &OAuth{}
	for _, m := range value.members {
		known, ok := fieldOf(oauth.fields, m.key)
		switch {
		case !ok:
			r.warn("oauth.%s is not known here; it is ignored", m.key)
		case known.key == "scopes" && m.value.kind == isString: // a list as OAuth writes it
			s.OAuth.Scopes = strings.Fields(m.value.text)
		case known.key == "scopes":
			s.OAuth.Scopes, problem = r.list("oauth.scopes", m.value)
		case known.key == "callbackPort":
			port, err := parseCount(m.value, known.most)
			if err != nil {
				return r.problem(m.value, "oauth.callbackPort", "%v", err)
			}
			s.OAuth.CallbackPort = int(port)
		default:
			text := map[string]*string{"clientId": &s.OAuth.ClientID, "clientSecret": &s.OAuth.ClientSecret, "authServerMetadataUrl": &s.OAuth.MetadataURL}
			*text[known.key], problem = r.str("oauth."+known.key, m.value)
		}
		if problem != nil {
			return problem
		}
	}
	s.addSecrets(s.OAuth.ClientSecret)
	return nil
}
