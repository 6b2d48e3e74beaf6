// Package authority reads what OAuth authorization servers say of themselves, for who logs in there and for who takes their
// tokens. [Metadata] is such a document (RFC 8414, or OpenID Connect Discovery); [Addresses] says where an issuer may have it.
package authority

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// maxDocument bounds a document: metadata and sets of keys have a few kilobytes.
const maxDocument = 1 << 20

// Metadata is what we use of an authorization server's document. What the server does not say is empty.
type Metadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Keys          string   `json:"jwks_uri"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	IssInAnswer   bool     `json:"authorization_response_iss_parameter_supported"`
}

// Addresses lists where an issuer's metadata may be: as RFC 8414 has it, and as OpenID Connect does, with the issuer's path
// behind the well-known part or before it. What is at the root is another issuer's.
func Addresses(issuer string) ([]string, error) {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the issuer %q is no URL", issuer)
	}
	base, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	list := []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path}
	if path != "" {
		list = append(list, base+path+"/.well-known/openid-configuration")
	}
	return list, nil
}

// Discover reads an issuer's metadata from the first of its addresses that has what check wants, too.
func Discover(ctx context.Context, client *http.Client, issuer string, check func(address string, m *Metadata) error) (*Metadata, error) {
	addresses, err := Addresses(issuer)
	if err != nil {
		return nil, err
	}
	var first error
	for _, address := range addresses {
		m, err := Read(ctx, client, address, issuer)
		if err == nil {
			err = check(address, m)
		}
		if err == nil {
			return m, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, fmt.Errorf("the authorization server %s says nothing about itself: %w", issuer, first)
}

// Read reads the metadata at an address, which has to be that of the issuer; an empty one is whichever it is of.
func Read(ctx context.Context, client *http.Client, address, issuer string) (*Metadata, error) {
	var m Metadata
	if err := Fetch(ctx, client, address, &m); err != nil {
		return nil, err
	}
	if issuer != "" && !SameIssuer(m.Issuer, issuer) {
		return nil, fmt.Errorf("%s is about another issuer, %q", address, m.Issuer)
	}
	return &m, nil
}

// SameIssuer compares the names of issuers. People leave a slash at the end out.
func SameIssuer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// Safe reports whether an address can be trusted with secrets, and for what it says: https, or this machine.
func Safe(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// NoRedirect is for http.Client.CheckRedirect: it keeps codes and tokens from being carried elsewhere, and documents from
// being another host's.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Fetch reads a JSON document of bounded size from a safe address.
func Fetch(ctx context.Context, client *http.Client, address string, into any) error {
	if !Safe(address) {
		return fmt.Errorf("%s is not https", address)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered HTTP %d", address, response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s was not read to its end: %w", address, err)
	case len(text) > maxDocument:
		return fmt.Errorf("%s is larger than %d bytes", address, maxDocument)
	case json.Unmarshal(text, into) != nil:
		return fmt.Errorf("%s has no JSON of the right form", address)
	}
	return nil
}
