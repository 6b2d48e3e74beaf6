// Package weburl is the URL standard (https://url.spec.whatwg.org): parsing, the setters of the URL
// interface, and serialisation, exactly as browsers and workerd have them and net/url has not.
//
// A URL is the standard's URL record. Parse makes one from a string and an optional base; Set changes
// one part the way the property of that name does; String serialises.
//
//	u, ok := weburl.Parse("../c?x#y", base)
//	u.Set("port", "8080")
//	u.String() // "https://host:8080/c?x#y"
package weburl

import (
	"strconv"
	"strings"
)

// URL is a URL record. Host, Query and Fragment are nil when the standard says null; Port is -1. A URL
// with an opaque path (mailto:, data:) has Opaque set and no segments.
type URL struct {
	Scheme             string
	Username, Password string
	Host               *string
	Port               int
	Path               []string
	Opaque             *string
	Query, Fragment    *string
}

// special maps the special schemes to their default ports; file has none.
var special = map[string]int{"ftp": 21, "file": -1, "http": 80, "https": 443, "ws": 80, "wss": 443}

func isSpecial(scheme string) bool {
	_, ok := special[scheme]
	return ok
}

func (u *URL) special() bool { return isSpecial(u.Scheme) }

func (u *URL) hasCredentials() bool { return u.Username != "" || u.Password != "" }

// cannotHaveCredentials is the standard's "cannot have a username/password/port".
func (u *URL) cannotHaveCredentials() bool {
	return u.Host == nil || *u.Host == "" || u.Scheme == "file"
}

// shorten drops the last path segment, except the drive letter of a file URL.
func (u *URL) shorten() {
	if u.Scheme == "file" && len(u.Path) == 1 && isNormalisedDriveLetter(u.Path[0]) {
		return
	}
	if len(u.Path) > 0 {
		u.Path = u.Path[:len(u.Path)-1]
	}
}

// Parts is a URL cut the way the URL interface's getters cut it.
type Parts struct {
	Href, Origin, Protocol, Username, Password, Host, Hostname, Port, Pathname, Search, Hash string
}

// Parts returns the values of all getters.
func (u *URL) Parts() Parts {
	p := Parts{Href: u.String(), Origin: u.Origin(), Protocol: u.Scheme + ":", Username: u.Username, Password: u.Password, Pathname: u.pathname()}
	if u.Host != nil {
		p.Hostname, p.Host = *u.Host, *u.Host
		if u.Port >= 0 {
			p.Port = strconv.Itoa(u.Port)
			p.Host += ":" + p.Port
		}
	}
	if u.Query != nil && *u.Query != "" {
		p.Search = "?" + *u.Query
	}
	if u.Fragment != nil && *u.Fragment != "" {
		p.Hash = "#" + *u.Fragment
	}
	return p
}

func (u *URL) pathname() string {
	if u.Opaque != nil {
		return *u.Opaque
	}
	var b strings.Builder
	for _, segment := range u.Path {
		b.WriteString("/" + segment)
	}
	return b.String()
}

// Origin serialises the origin; "null" when it is opaque.
func (u *URL) Origin() string {
	switch u.Scheme {
	case "blob":
		if inner, ok := Parse(u.pathname(), nil); ok && (inner.Scheme == "http" || inner.Scheme == "https") {
			return inner.Origin()
		}
	case "ftp", "http", "https", "ws", "wss":
		origin := u.Scheme + "://" + *u.Host
		if u.Port >= 0 {
			origin += ":" + strconv.Itoa(u.Port)
		}
		return origin
	}
	return "null"
}

// String serialises the URL with its fragment.
func (u *URL) String() string {
	var b strings.Builder
	b.WriteString(u.Scheme + ":")
	if u.Host != nil {
		b.WriteString("//")
		if u.hasCredentials() {
			b.WriteString(u.Username)
			if u.Password != "" {
				b.WriteString(":" + u.Password)
			}
			b.WriteString("@")
		}
		b.WriteString(*u.Host)
		if u.Port >= 0 {
			b.WriteString(":" + strconv.Itoa(u.Port))
		}
	} else if u.Opaque == nil && len(u.Path) > 1 && u.Path[0] == "" {
		b.WriteString("/.")
	}
	b.WriteString(u.pathname())
	if u.Query != nil {
		b.WriteString("?" + *u.Query)
	}
	if u.Fragment != nil {
		b.WriteString("#" + *u.Fragment)
	}
	return b.String()
}
