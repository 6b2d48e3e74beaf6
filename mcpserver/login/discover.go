package login

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/authority"
)

// discover finds the authorization server of an MCP server, and the scopes to ask for.
func (s *Store) discover(ctx context.Context, server *config.Server) (*authority.Metadata, []string, error) {
	resource, err := url.Parse(server.URL)
	if err != nil || resource.Host == "" {
		return nil, nil, errors.New("its URL is not one")
	}
	if server.OAuth != nil && server.OAuth.MetadataURL != "" {
		a, err := s.metadata(ctx, server.OAuth.MetadataURL)
		return a, server.OAuth.Scopes, err
	}
	issuer, scopes := resource.Scheme+"://"+resource.Host, []string(nil)
	hinted, wanted := s.challenge(ctx, server.URL)
	for _, address := range append(hinted, aboutResource(resource)...) {
		var document struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
			Scopes   []string `json:"scopes_supported"`
		}
		if authority.Fetch(ctx, s.client, address, &document) != nil || len(document.Servers) == 0 {
			continue
		}
		if !covers(document.Resource, server.URL) {
			return nil, nil, fmt.Errorf("its metadata is about another server, %q", document.Resource)
		}
		issuer, scopes = document.Servers[0], document.Scopes
		break
	}
	if wanted != nil {
		scopes = wanted
	}
	if server.OAuth != nil && server.OAuth.Scopes != nil {
		scopes = server.OAuth.Scopes
	}
	a, err := s.authorityOf(ctx, issuer)
	return a, scopes, err
}

var (
	hintPattern  = regexp.MustCompile(`(?i)\bresource_metadata="?([^",\s]+)`)
	scopePattern = regexp.MustCompile(`(?i)\bscope="([^"]*)"`)
)

// challenge asks the server without a token, for it may say where its metadata is and which scopes it wants.
func (s *Store) challenge(ctx context.Context, address string) (metadata, scopes []string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		return nil, nil
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, nil // the well-known addresses will say why
	}
	response.Body.Close()
	for _, header := range response.Header.Values("WWW-Authenticate") {
		if m := hintPattern.FindStringSubmatch(header); m != nil && sameHost(m[1], address) {
			metadata = append(metadata, m[1])
		}
		if m := scopePattern.FindStringSubmatch(header); m != nil {
			scopes = strings.Fields(m[1])
		}
	}
	return metadata, scopes
}

func sameHost(a, b string) bool {
	one, errA := url.Parse(a)
	two, errB := url.Parse(b)
	return errA == nil && errB == nil && one.Host == two.Host && one.Scheme == two.Scheme
}

// covers reports whether a resource identifier is that of a server, or of what the server is a part of.
func covers(resource, address string) bool {
	return sameHost(resource, address) && strings.HasPrefix(strings.TrimSuffix(address, "/")+"/", strings.TrimSuffix(resource, "/")+"/")
}

// aboutResource lists the addresses of a server's metadata (RFC 9728): that of its path, and that of the whole host.
func aboutResource(u *url.URL) (list []string) {
	base, path := u.Scheme+"://"+u.Host+"/.well-known/oauth-protected-resource", strings.TrimSuffix(u.EscapedPath(), "/")
	if path != "" {
		list = append(list, base+path)
	}
	return append(list, base)
}

// authorityOf reads an issuer's metadata.
func (s *Store) authorityOf(ctx context.Context, issuer string) (*authority.Metadata, error) {
	return authority.Discover(ctx, s.client, issuer, usable)
}

// metadata reads the metadata at an address that the configuration names.
func (s *Store) metadata(ctx context.Context, address string) (*authority.Metadata, error) {
	m, err := authority.Read(ctx, s.client, address, "")
	if err == nil {
		err = usable(address, m)
	}
	return m, err
}

// usable holds metadata against what a login needs. An address to register at that is not safe is as good as none.
func usable(address string, m *authority.Metadata) error {
	for name, endpoint := range map[string]string{"authorization_endpoint": m.Authorization, "token_endpoint": m.Token} {
		if !authority.Safe(endpoint) {
			return fmt.Errorf("%s has no %s that is https", address, name)
		}
	}
	if m.Registration != "" && !authority.Safe(m.Registration) {
		m.Registration = ""
	}
	if m.Challenges != nil && !slices.Contains(m.Challenges, "S256") {
		return fmt.Errorf("%s offers no PKCE with S256, which the protocol demands", address)
	}
	return nil
}
