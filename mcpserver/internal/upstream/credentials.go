package upstream

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/codemode-go/codemode/mcpserver/config"
)

// configured are the headers of a configuration and, where that has no Authorization, the token of a login.
type configured struct {
	server *config.Server
	auth   Authorizer // nil knows no logins
}

func credentialsOf(s *config.Server, auth Authorizer) credentials { return &configured{s, auth} }

func (c *configured) headers(ctx context.Context, fresh bool) (map[string]string, error) {
	headers, own := map[string]string{}, false
	for _, h := range c.server.Headers {
		headers[h.Name] = h.Value
		own = own || strings.EqualFold(h.Name, "Authorization")
	}
	if own || c.auth == nil {
		if fresh {
			return nil, errNoFresh
		}
		return headers, nil
	}
	token, err := c.auth.Token(ctx, c.server, fresh)
	switch {
	case err != nil:
		return nil, err
	case token != "":
		headers["Authorization"] = "Bearer " + token
	case fresh:
		return nil, errNoFresh
	}
	return headers, nil
}

func (c *configured) hint(*http.Response) string {
	login := ""
	if c.auth != nil {
		login = fmt.Sprintf("run `codemode auth %s`, or ", c.server.Name)
	}
	return login + `put its token into "headers", for example {"Authorization": "Bearer ${TOKEN}"}`
}
