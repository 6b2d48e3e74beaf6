package weburl

import "strings"

// Set changes the URL as assigning value to the property of that name does; only href can fail.
func (u *URL) Set(property, value string) bool {
	switch property {
	case "href":
		parsed, ok := Parse(value, nil)
		if ok {
			*u = *parsed
		}
		return ok
	case "protocol":
		u.override(value+":", schemeStart)
	case "username":
		if !u.cannotHaveCredentials() {
			u.Username = encode(value, userinfoSet)
		}
	case "password":
		if !u.cannotHaveCredentials() {
			u.Password = encode(value, userinfoSet)
		}
	case "host":
		if u.Opaque == nil {
			u.override(value, host)
		}
	case "hostname":
		if u.Opaque == nil {
			u.override(value, hostname)
		}
	case "port":
		if u.cannotHaveCredentials() {
			break
		}
		if value == "" {
			u.Port = -1
		} else {
			u.override(value, port)
		}
	case "pathname":
		if u.Opaque == nil {
			u.Path = nil
			u.override(value, pathStart)
		}
	case "search":
		u.setSearch(value)
	case "hash":
		u.setHash(value)
	}
	return true
}

func (u *URL) setSearch(value string) {
	if value == "" {
		u.Query = nil
		u.stripTrailingSpaces()
		return
	}
	u.Query = new(string)
	u.override(strings.TrimPrefix(value, "?"), query)
}

func (u *URL) setHash(value string) {
	if value == "" {
		u.Fragment = nil
		u.stripTrailingSpaces()
		return
	}
	u.Fragment = new(string)
	u.override(strings.TrimPrefix(value, "#"), fragment)
}

// stripTrailingSpaces keeps an opaque path from ending in spaces once nothing follows it.
func (u *URL) stripTrailingSpaces() {
	if u.Opaque != nil && u.Query == nil && u.Fragment == nil {
		trimmed := strings.TrimRight(*u.Opaque, " ")
		u.Opaque = &trimmed
	}
}

// override runs the parser from a state on a copy, and keeps the copy unless the parser failed.
// The port alone survives a failure later in the same value, as the standard has it.
func (u *URL) override(value string, start state) {
	changed := *u
	p := &parser{input: runes(value), url: &changed, state: start, override: start}
	if p.run() {
		*u = changed
	} else if start == host && p.state == port {
		u.Host = changed.Host
	}
}
