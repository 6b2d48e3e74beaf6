package config

import (
	"encoding/json"
	"net/url"
)

// Identity says which server this is, as its entry is written: another transport, command, argument, directory or address
// is another server. Variables count by their names and not by their values, so a token that changes makes no other
// server, and neither does a host that comes from a variable. Environment and headers do not count. A Server that was not
// read from a file has the identity of its fields.
func (s *Server) Identity() string {
	if s.identity != "" {
		return s.identity
	}
	text, err := json.Marshal([]any{s.Transport, s.Command, s.Args, s.Dir, s.URL, s.OpenAPI})
	if err != nil { // texts alone
		return ""
	}
	return string(text)
}

// identity is that of an entry that has been read.
func (r *reader) identity(kind Transport, raw map[string]*node) string {
	as := *r
	as.vars = r.expander()
	as.vars.asWritten = true
	s := Server{Transport: kind}
	text := func(field string) (text string) {
		if raw[field] != nil {
			text, _ = as.str(field, raw[field]) // it has been read before
		}
		return text
	}
	if kind == TransportStdio {
		as.command(&s, raw)
		s.Command = as.program(s.Command)
		if s.Dir = text("cwd"); s.Dir != "" {
			s.Dir = as.absolute(s.Dir)
		}
		return s.Identity()
	}
	s.URL = text("url")
	if kind == TransportOpenAPI {
		s.OpenAPI = text("openapi")
		if u, err := url.Parse(s.OpenAPI); err != nil || u.Scheme != "http" && u.Scheme != "https" {
			s.OpenAPI = as.absolute(s.OpenAPI)
		}
	}
	return s.Identity()
}
