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

// openAPIReference is the section of docs/configuration.md on servers that are HTTP APIs.
const openAPIReference = `## An HTTP API as a server

An entry with ` + "`openapi`" + ` needs no MCP server: each operation of the document becomes one function, with types.

` + "```json" + `
{"mcpServers": {"pets": {
  "openapi": "./petstore.yaml",
  "url": "https://pets.example/v1",
  "security": {"api_key": "${PETS_KEY}"},
  "excludeTools": ["request"]
}}}
` + "```" + `

- The document is JSON or YAML of OpenAPI 3.0 or 3.1, a file beside the configuration or an address. Its ` + "`$ref`" + `s may lead to files
  beside a file, and from an address to the same host. It is read again when its files change; one at an
  address is asked for every five minutes (by ETag and Last-Modified, where its host has them). A new one that cannot be used changes nothing.
- ` + "`url`" + ` (or ` + "`baseUrl`" + `) is where the paths start. Without it that is the document's first server, with its variables
  at their defaults: then the document says where the login goes, so name the address when the document is not yours.
- ` + "`security`" + ` has values for the document's security schemes by their names: a key, a bearer token (also of oauth2 and openIdConnect), or
  ` + "`user:password`" + ` for basic authentication. A value goes along with the operations that ask for its scheme; when the document asks
  nowhere, with all. ` + "`headers`, `bearerTokenEnv` and `headersCommand`" + ` go along with every request. A program sees none of them, and cannot
  set what they set.
- Parameters are members of the one argument, by their names; of two with one name, the one in the path has it and the other is
  ` + "`query_name`, `header_name` or `cookie_name`. The body is the member `body` (`requestBody` where a parameter is called that)" + `: a value for
  JSON and forms, a text for text, base64 for other bytes. A file of a form is base64, or ` + "`{data, filename, contentType}`" + `.
- JSON comes back as its value, text as a string, no body as null; images, sounds and other bytes as the content blocks of MCP. A status
  other than 2xx is thrown with the status and the beginning of the body.
- Operations have the annotations of MCP that policies ask for: GET and HEAD are read-only, DELETE is destructive, PUT and DELETE are idempotent.
- ` + "`request({method, path, query, headers, body})`" + ` is for what the document leaves out, and returns ` + "`{status, headers, body}`" + `. It stays below
  the base, and may destroy as annotations have it. It reaches whatever the login may: where a policy has rules on single functions, take
  it away by ` + "`excludeTools`, or have rules on its `args.method` and `args.path`" + `. One path has many spellings (` + "`/a`, `//a`, `/%61`, `/a?`" + `),
  so let the rules allow some paths and deny the rest.
- Nothing leaves the API's host: operations that the document puts on another host are left out, and a redirect to one is an error.
- A document has 32 MiB at most, one answer 24 MiB, the types of one function 32 KiB (of all together 16 MiB; what is past that is
  open). What is wrong with the document disables the server alone, what is wrong with an operation that operation, and both are
  told with file, line and JSON pointer.
`
