package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/mcpserver/internal/authority"
)

// ResourceServer says which OAuth access tokens `serve --http` takes from its clients. The noun is OAuth's: a server that takes
// the tokens of an authorization server.
type ResourceServer struct {
	// Issuers are the authorization servers, one at least.
	Issuers []Issuer
	// Resource is the address of our endpoint as clients know it, which a token has to be for, unless it is for one of Audiences.
	Resource  string
	Audiences []string
	// Scopes are what each token has to have.
	Scopes []string
}

// Issuer is an authorization server.
type Issuer struct {
	// URL is its name, as its tokens and its metadata say it.
	URL string
	// Keys is the address of its keys (a JWK Set); empty is what its metadata says.
	Keys string
}

var httpFields = []field{
	{key: "oauth", shape: shapeObject, standard: "no access token is taken", doc: "Take access tokens of authorization servers from clients, beside the token of --token-file and those of views. Counts from the next start.", fields: []field{
		{key: "issuers", shape: shapeCommand, doc: "The authorization servers whose tokens are taken, by their issuer URLs. Tokens are JWTs signed with RS256, ES256 or EdDSA; the keys are found by the issuer's metadata."},
		{key: "resource", shape: shapeString, doc: "The address of the endpoint as clients know it (https://mcp.example/mcp). A token has to be for it (`aud`), and clients are told of it by /.well-known/oauth-protected-resource."},
		{key: "audiences", shape: shapeCommand, standard: "none", doc: "Further values of `aud` that are taken, for authorization servers that do not know resource indicators (RFC 8707)."},
		{key: "scopes", shape: shapeCommand, standard: "none", doc: "Scopes that each token has to have."},
		{key: "keys", shape: shapeMap, standard: "what the issuer's metadata says", doc: "Addresses of JWK Sets by issuer, for those without metadata."},
	}},
}

func (s *Settings) readHTTP(file string, in *node) error {
	return readFields(file, "codemode.http", in, httpFields, func(_ string, value *node) error {
		r, err := readResourceServer(file, value)
		s.ResourceServer = r
		return placedOrNil(err)
	})
}

func readResourceServer(file string, in *node) (*ResourceServer, error) {
	const path = "codemode.http.oauth"
	r := &ResourceServer{}
	keys := map[string]string{}
	err := readFields(file, path, in, httpFields[0].fields, func(key string, value *node) (err error) {
		switch key {
		case "issuers":
			r.Issuers, err = readIssuers(value)
		case "resource":
			r.Resource, err = value.text, checkResource(value.text)
		case "audiences":
			r.Audiences, err = words(value)
		case "scopes":
			r.Scopes, err = words(value)
		case "keys":
			keys, err = readKeys(value)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case r.Issuers == nil:
		return nil, fmt.Errorf("%s %s has no issuers", place(file, in.at), path)
	case r.Resource == "":
		return nil, fmt.Errorf("%s %s has no resource", place(file, in.at), path)
	}
	for i := range r.Issuers {
		r.Issuers[i].Keys = keys[r.Issuers[i].URL]
		delete(keys, r.Issuers[i].URL)
	}
	for issuer := range keys {
		return nil, fmt.Errorf("%s %s.keys has %q, which is none of the issuers", place(file, in.get("keys").at), path, issuer)
	}
	return r, nil
}

func readIssuers(value *node) (issuers []Issuer, err error) {
	list, err := words(value)
	for _, issuer := range list {
		u, wrong := url.Parse(issuer)
		switch {
		case wrong != nil || !authority.Safe(issuer):
			return nil, fmt.Errorf("has %q, which is no https address", issuer)
		case u.User != nil || u.RawQuery != "" || u.Fragment != "":
			return nil, fmt.Errorf("has %q: an issuer has no user, query or fragment", u.Redacted())
		case slices.ContainsFunc(issuers, func(one Issuer) bool { return authority.SameIssuer(one.URL, issuer) }):
			return nil, fmt.Errorf("has %q twice", issuer)
		}
		issuers = append(issuers, Issuer{URL: issuer})
	}
	return issuers, err
}

// checkResource holds an address against what a resource indicator may be (RFC 8707).
func checkResource(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("must be the address of the endpoint as clients know it")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("must be an address without user, query and fragment")
	}
	return nil
}

func readKeys(value *node) (map[string]string, error) {
	keys := map[string]string{}
	if err := mustBe(value, isObject); err != nil {
		return nil, err
	}
	for _, m := range value.members {
		if m.value.kind != isString || !authority.Safe(m.value.text) {
			return nil, fmt.Errorf("has no https address for %q", m.key)
		}
		keys[m.key] = m.value.text
	}
	return keys, nil
}

// words reads texts without spaces, of which a header is made.
func words(value *node) ([]string, error) {
	list, err := oneOrMany(value)
	if err != nil {
		return nil, err
	}
	for _, word := range list {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			return nil, fmt.Errorf("has %q, which is empty or has a character that it may not have", word)
		}
	}
	return list, nil
}
