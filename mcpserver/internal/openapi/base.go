package openapi

import (
	"net/url"
	"strings"
)

// base is where the paths of operations start.
type base struct {
	url *url.URL
	// prefix is the address up to the path of an operation, query what goes before its query.
	prefix, query string
}

func newBase(root *place, configured string) (*base, error) {
	if configured == "" {
		return documentBase(root)
	}
	u, err := url.Parse(configured)
	if err != nil || u.Host == "" {
		return nil, root.fail("has a base URL that is none")
	}
	return baseOf(u), nil
}

func baseOf(u *url.URL) *base {
	bare := *u
	bare.RawQuery, bare.Fragment = "", ""
	return &base{url: u, prefix: strings.TrimRight(bare.String(), "/"), query: u.RawQuery}
}

// documentBase is the first server that a document, path or operation names, its variables at their defaults.
func documentBase(p *place) (*base, error) {
	server := "/"
	at := p
	if servers := p.get("servers").items(); len(servers) > 0 {
		at = servers[0]
		server = at.text("url")
		for _, v := range at.get("variables").members() {
			server = strings.ReplaceAll(server, "{"+v.key+"}", v.text("default"))
		}
	}
	if strings.ContainsAny(server, "{}") {
		return nil, at.fail("has a variable without a default; put the API's address into \"url\"")
	}
	u, err := url.Parse(server)
	if err != nil {
		return nil, at.fail("is no address; put the API's into \"url\"")
	}
	if home := asAddress(p.file.location); home != nil {
		u = home.ResolveReference(u)
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, at.fail("does not say on which host the API is; put its address into \"url\"")
	}
	return baseOf(u), nil
}
