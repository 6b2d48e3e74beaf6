package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/mcpserver/config"
)

// authority is what an authorization server says of itself (RFC 8414).
type authority struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	IssInAnswer   bool     `json:"authorization_response_iss_parameter_supported"`
}

// maxDocument bounds a metadata document or an answer of an endpoint.
const maxDocument = 1 << 20

// discover finds the authorization server of an MCP server, and the scopes to ask for.
func (s *Store) discover(ctx context.Context, server *config.Server) (*authority, []string, error) {
	resource, err := url.Parse(server.URL)
	if err != nil || resource.Host == "" {
		return nil, nil, errors.New("its URL is not one")
	}
	if server.OAuth != nil && server.OAuth.MetadataURL != "" {
		a, err := s.metadata(ctx, server.OAuth.MetadataURL, "")
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
		if s.get(ctx, address, &document) != nil || len(document.Servers) == 0 {
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

// aboutIssuer lists the addresses of an issuer's metadata: as RFC 8414 has it, and as OpenID Connect does, with the
// issuer's path behind the well-known part or before it. What is at the root is another issuer's.
func aboutIssuer(u *url.URL) []string {
	base, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	list := []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path}
	if path != "" {
		list = append(list, base+path+"/.well-known/openid-configuration")
	}
	return list
}

func (s *Store) authorityOf(ctx context.Context, issuer string) (*authority, error) {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the issuer %q is no URL", issuer)
	}
	var first error
	for _, address := range aboutIssuer(u) {
		a, err := s.metadata(ctx, address, issuer)
		if err == nil {
			return a, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, fmt.Errorf("the authorization server %s says nothing about itself: %w", issuer, first)
}

// metadata reads an authorization server's document, which has to be that of the issuer that was asked for.
func (s *Store) metadata(ctx context.Context, address, issuer string) (*authority, error) {
	var a authority
	if err := s.get(ctx, address, &a); err != nil {
		return nil, err
	}
	if issuer != "" && strings.TrimSuffix(a.Issuer, "/") != strings.TrimSuffix(issuer, "/") {
		return nil, fmt.Errorf("%s is about another issuer, %q", address, a.Issuer)
	}
	for name, endpoint := range map[string]string{"authorization_endpoint": a.Authorization, "token_endpoint": a.Token} {
		if !safe(endpoint) {
			return nil, fmt.Errorf("%s has no %s that is https", address, name)
		}
	}
	if a.Registration != "" && !safe(a.Registration) {
		a.Registration = ""
	}
	if a.Challenges != nil && !slices.Contains(a.Challenges, "S256") {
		return nil, fmt.Errorf("%s offers no PKCE with S256, which the protocol demands", address)
	}
	return &a, nil
}

// safe reports whether secrets may go to an address: https, or this machine.
func safe(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

func (s *Store) get(ctx context.Context, address string, into any) error {
	if !safe(address) {
		return fmt.Errorf("%s is not https", address)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered HTTP %d", address, response.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxDocument)).Decode(into); err != nil {
		return fmt.Errorf("%s has no JSON of the right form", address)
	}
	return nil
}
