package config

import (
	"net/url"
	"strings"
)

// openAPI reads what a TransportOpenAPI server has beside its base.
func (r *reader) openAPI(s *Server, raw map[string]*node) (problem *Problem) {
	if s.OpenAPI, problem = r.str("openapi", raw["openapi"]); problem != nil {
		return problem
	}
	switch u, err := url.Parse(s.OpenAPI); {
	case strings.TrimSpace(s.OpenAPI) == "":
		return r.problem(raw["openapi"], "openapi", "is empty")
	case err == nil && (u.Scheme == "http" || u.Scheme == "https"):
		s.addURLSecrets(u)
	default:
		s.OpenAPI = r.absolute(s.OpenAPI)
	}
	if raw["oauth"] != nil {
		r.warn("\"oauth\" goes with MCP servers; give an OpenAPI server its token by \"security\" or \"headers\"")
	}
	if s.Security, problem = r.variables("security", raw["security"]); problem != nil {
		return problem
	}
	for _, v := range s.Security {
		s.addSecrets(v.Value)
		_, password, _ := strings.Cut(v.Value, ":")
		s.addSecrets(password)
	}
	return nil
}

// addURLSecrets remembers what an address holds of secrets.
func (s *Server) addURLSecrets(u *url.URL) {
	if password, ok := u.User.Password(); ok {
		s.addSecrets(password)
	}
	for key, values := range u.Query() {
		if isSecretName(key) {
			s.addSecrets(values...)
		}
	}
}
