package weburl

import (
	"strconv"
	"strings"
)

// Canonicalise is the encoding callback that the URL Pattern standard has for a component: the canonical
// form of value alone, or false where the standard throws. component is the name of a URL property
// without punctuation, "opaque" for a path without segments, or "ipv6" for part of an IPv6 host; scheme
// says what the host and the default port depend on.
func Canonicalise(component, value, scheme string) (string, bool) {
	if value == "" {
		return "", true
	}
	u := &URL{Scheme: "https", Host: new(string), Port: -1}
	switch component {
	case "protocol":
		parsed, ok := Parse(value+"://dummy.invalid", nil)
		if !ok {
			return "", false
		}
		return parsed.Scheme, true
	case "username", "password":
		return encode(value, userinfoSet), true
	case "hostname":
		if scheme != "" && !isSpecial(scheme) {
			u.Scheme = scheme
		}
		if !u.parseInto(value, hostname) {
			return "", false
		}
		return *u.Host, true
	case "ipv6":
		if strings.Trim(strings.ToLower(value), "0123456789abcdef[]:") != "" {
			return "", false
		}
		return strings.ToLower(value), true
	case "port":
		u.Scheme = scheme
		*u.Host = "dummy.invalid"
		if !u.parseInto(value, port) {
			return "", false
		}
		if u.Port < 0 {
			return "", true
		}
		return strconv.Itoa(u.Port), true
	case "pathname":
		return canonicalPath(u, value)
	case "opaque":
		u.Opaque = new(string)
		ok := u.parseInto(value, opaquePath)
		return *u.Opaque, ok
	case "search":
		u.Query = new(string)
		ok := u.parseInto(value, query)
		return *u.Query, ok
	case "hash":
		u.Fragment = new(string)
		ok := u.parseInto(value, fragment)
		return *u.Fragment, ok
	}
	return "", false
}

// canonicalPath keeps the parser from adding a slash in front of a relative path.
func canonicalPath(u *URL, value string) (string, bool) {
	absolute := strings.HasPrefix(value, "/")
	if !absolute {
		value = "/-" + value
	}
	if !u.parseInto(value, pathStart) {
		return "", false
	}
	if absolute {
		return u.pathname(), true
	}
	return strings.TrimPrefix(u.pathname(), "/-"), true
}

// parseInto runs the parser from a state on u itself.
func (u *URL) parseInto(value string, start state) bool {
	p := &parser{input: runes(value), url: u, state: start, override: start}
	return p.run()
}
