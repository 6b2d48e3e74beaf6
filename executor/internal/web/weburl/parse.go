package weburl

import (
	"slices"
	"strconv"
	"strings"
)

type state int

const (
	noState state = iota
	schemeStart
	scheme
	noScheme
	specialRelativeOrAuthority
	pathOrAuthority
	relative
	relativeSlash
	specialAuthoritySlashes
	specialAuthorityIgnoreSlashes
	authority
	host
	hostname
	port
	file
	fileSlash
	fileHost
	pathStart
	path
	opaquePath
	query
	fragment
)

// eof stands for the end of the input, as in the standard.
const eof rune = -1

// Parse parses input, relative to base when base is not nil.
func Parse(input string, base *URL) (*URL, bool) {
	input = strings.TrimFunc(input, func(r rune) bool { return r <= ' ' })
	p := &parser{input: runes(input), base: base, url: &URL{Port: -1}, state: schemeStart}
	if !p.run() {
		return nil, false
	}
	return p.url, true
}

// runes drops the tabs and line breaks that the parser ignores.
func runes(input string) []rune {
	return slices.DeleteFunc([]rune(input), func(r rune) bool { return r == '\t' || r == '\n' || r == '\r' })
}

// outcome is what a state says after one code point.
type outcome int

const (
	next   outcome = iota // go on with the next code point
	again                 // the same code point in the new state
	done                  // stop, successfully
	failed                // stop: not a URL, or, for a setter, no change
)

// parser is the basic URL parser. override is the state a setter starts in, or noState.
type parser struct {
	input    []rune
	pos      int
	base     *URL
	url      *URL
	state    state
	override state
	buffer   strings.Builder

	seenAt, inBrackets, seenPassword bool
}

func (p *parser) run() bool {
	for ; ; p.pos++ {
		c := eof
		if p.pos < len(p.input) {
			c = p.input[p.pos]
		}
		result := p.step(c)
		for result == again {
			c = eof
			if p.pos >= 0 && p.pos < len(p.input) {
				c = p.input[p.pos]
			}
			result = p.step(c)
		}
		if result == failed {
			return false
		}
		if result == done || p.pos >= len(p.input) {
			return true
		}
	}
}

func (p *parser) step(c rune) outcome {
	switch p.state {
	case schemeStart:
		return p.schemeStartState(c)
	case scheme:
		return p.schemeState(c)
	case noScheme:
		return p.noSchemeState(c)
	case specialRelativeOrAuthority:
		if c == '/' && p.peek(1) == '/' {
			p.state = specialAuthorityIgnoreSlashes
			p.pos++
			return next
		}
		return p.to(relative)
	case pathOrAuthority:
		if c == '/' {
			p.state = authority
			return next
		}
		return p.to(path)
	case relative:
		return p.relativeState(c)
	case relativeSlash:
		return p.relativeSlashState(c)
	case specialAuthoritySlashes:
		p.state = specialAuthorityIgnoreSlashes
		if c == '/' && p.peek(1) == '/' {
			p.pos++
			return next
		}
		return again
	case specialAuthorityIgnoreSlashes:
		if c == '/' || c == '\\' {
			return next
		}
		return p.to(authority)
	case authority:
		return p.authorityState(c)
	case host, hostname:
		return p.hostState(c)
	case port:
		return p.portState(c)
	case file:
		return p.fileState(c)
	case fileSlash:
		return p.fileSlashState(c)
	case fileHost:
		return p.fileHostState(c)
	case pathStart:
		return p.pathStartState(c)
	case path:
		return p.pathState(c)
	case opaquePath:
		return p.opaquePathState(c)
	case query:
		return p.queryState(c)
	}
	return p.fragmentState(c)
}

// to changes the state and looks at the same code point again.
func (p *parser) to(s state) outcome {
	p.state = s
	return again
}

// peek returns the code point n places ahead, or eof.
func (p *parser) peek(n int) rune {
	if p.pos+n < len(p.input) {
		return p.input[p.pos+n]
	}
	return eof
}

// take empties the buffer.
func (p *parser) take() string {
	s := p.buffer.String()
	p.buffer.Reset()
	return s
}

// endsAuthority says whether c ends the authority or host part.
func (p *parser) endsAuthority(c rune) bool {
	return c == eof || c == '/' || c == '?' || c == '#' || c == '\\' && p.url.special()
}

func (p *parser) schemeStartState(c rune) outcome {
	switch {
	case isAlpha(c):
		p.buffer.WriteRune(lower(c))
		p.state = scheme
		return next
	case p.override == noState:
		return p.to(noScheme)
	}
	return failed
}

func (p *parser) schemeState(c rune) outcome {
	switch {
	case isAlpha(c) || isDigit(c) || c == '+' || c == '-' || c == '.':
		p.buffer.WriteRune(lower(c))
		return next
	case c == ':':
		return p.schemeDone()
	case p.override == noState:
		p.buffer.Reset()
		p.pos = 0
		return p.to(noScheme)
	}
	return failed
}

func (p *parser) schemeDone() outcome {
	u, s := p.url, p.take()
	if p.override != noState {
		if u.special() != isSpecial(s) || s == "file" && (u.hasCredentials() || u.Port >= 0) || u.Scheme == "file" && *u.Host == "" {
			return done
		}
		u.Scheme = s
		if u.Port == special[s] {
			u.Port = -1
		}
		return done
	}
	u.Scheme = s
	switch {
	case s == "file":
		p.state = file
	case u.special() && p.base != nil && p.base.Scheme == s:
		p.state = specialRelativeOrAuthority
	case u.special():
		p.state = specialAuthoritySlashes
	case p.peek(1) == '/':
		p.state = pathOrAuthority
		p.pos++
	default:
		u.Opaque = new(string)
		p.state = opaquePath
	}
	return next
}

func (p *parser) noSchemeState(c rune) outcome {
	switch {
	case p.base == nil || p.base.Opaque != nil && c != '#':
		return failed
	case p.base.Opaque != nil:
		u := *p.base
		u.Fragment = new(string)
		*p.url = u
		p.state = fragment
		return next
	case p.base.Scheme != "file":
		return p.to(relative)
	}
	return p.to(file)
}

// inherit copies the authority and path of the base.
func (p *parser) inherit() {
	u, b := p.url, p.base
	u.Username, u.Password, u.Host, u.Port, u.Path, u.Query = b.Username, b.Password, b.Host, b.Port, slices.Clone(b.Path), b.Query
}

func (p *parser) relativeState(c rune) outcome {
	p.url.Scheme = p.base.Scheme
	if c == '/' || c == '\\' && p.url.special() {
		p.state = relativeSlash
		return next
	}
	p.inherit()
	switch c {
	case '?':
		p.url.Query = new(string)
		p.state = query
	case '#':
		p.url.Fragment = new(string)
		p.state = fragment
	case eof:
	default:
		p.url.Query = nil
		p.url.shorten()
		return p.to(path)
	}
	return next
}

func (p *parser) relativeSlashState(c rune) outcome {
	switch {
	case p.url.special() && (c == '/' || c == '\\'):
		p.state = specialAuthorityIgnoreSlashes
		return next
	case c == '/':
		p.state = authority
		return next
	}
	u, b := p.url, p.base
	u.Username, u.Password, u.Host, u.Port = b.Username, b.Password, b.Host, b.Port
	return p.to(path)
}

func (p *parser) authorityState(c rune) outcome {
	switch {
	case c == '@':
		text := p.take()
		if p.seenAt {
			text = "%40" + text
		}
		p.seenAt = true
		p.credentials(text)
	case p.endsAuthority(c):
		text := p.take()
		if p.seenAt && text == "" {
			return failed
		}
		p.pos -= len([]rune(text))
		p.state = host
		return again
	default:
		p.buffer.WriteRune(c)
	}
	return next
}

// credentials appends text, which is before an "@", to the user name and password.
func (p *parser) credentials(text string) {
	if !p.seenPassword {
		name, password, found := strings.Cut(text, ":")
		p.url.Username += encode(name, userinfoSet)
		p.seenPassword = found
		text = password
	}
	p.url.Password += encode(text, userinfoSet)
}

func (p *parser) hostState(c rune) outcome {
	u := p.url
	switch {
	case p.override != noState && u.Scheme == "file":
		return p.to(fileHost)
	case c == ':' && !p.inBrackets:
		if p.buffer.Len() == 0 || p.override == hostname {
			return failed
		}
		parsed, ok := parseHost(p.take(), !u.special())
		if !ok {
			return failed
		}
		u.Host = &parsed
		p.state = port
		return next
	case p.endsAuthority(c):
		if p.buffer.Len() == 0 && (u.special() || p.override != noState && (u.hasCredentials() || u.Port >= 0)) {
			return failed
		}
		parsed, ok := parseHost(p.take(), !u.special())
		if !ok {
			return failed
		}
		u.Host = &parsed
		if p.override != noState {
			return done
		}
		return p.to(pathStart)
	}
	if c == '[' {
		p.inBrackets = true
	} else if c == ']' {
		p.inBrackets = false
	}
	p.buffer.WriteRune(c)
	return next
}

func (p *parser) portState(c rune) outcome {
	switch {
	case isDigit(c):
		p.buffer.WriteRune(c)
		return next
	case !p.endsAuthority(c) && p.override == noState:
		return failed
	}
	if digits := p.take(); digits != "" {
		n, err := strconv.Atoi(digits)
		if err != nil || n > 65535 {
			return failed
		}
		if defaultPort, ok := special[p.url.Scheme]; ok && n == defaultPort {
			n = -1
		}
		p.url.Port = n
		if p.override != noState {
			return done
		}
	}
	if p.override != noState {
		return failed
	}
	return p.to(pathStart)
}

func (p *parser) fileState(c rune) outcome {
	u := p.url
	u.Scheme = "file"
	u.Host = new(string)
	switch {
	case c == '/' || c == '\\':
		p.state = fileSlash
		return next
	case p.base == nil || p.base.Scheme != "file":
		return p.to(path)
	}
	u.Host, u.Path, u.Query = p.base.Host, slices.Clone(p.base.Path), p.base.Query
	switch c {
	case '?':
		u.Query = new(string)
		p.state = query
	case '#':
		u.Fragment = new(string)
		p.state = fragment
	case eof:
	default:
		u.Query = nil
		if startsWithDriveLetter(p.input[p.pos:]) {
			u.Path = nil
		} else {
			u.shorten()
		}
		return p.to(path)
	}
	return next
}

func (p *parser) fileSlashState(c rune) outcome {
	if c == '/' || c == '\\' {
		p.state = fileHost
		return next
	}
	if b := p.base; b != nil && b.Scheme == "file" {
		p.url.Host = b.Host
		if !startsWithDriveLetter(p.input[min(p.pos, len(p.input)):]) && len(b.Path) > 0 && isNormalisedDriveLetter(b.Path[0]) {
			p.url.Path = append(p.url.Path, b.Path[0])
		}
	}
	return p.to(path)
}

func (p *parser) fileHostState(c rune) outcome {
	if c != eof && c != '/' && c != '\\' && c != '?' && c != '#' {
		p.buffer.WriteRune(c)
		return next
	}
	text := p.buffer.String()
	if p.override == noState && isDriveLetter(text) {
		return p.to(path) // the buffer goes on as a path segment
	}
	p.buffer.Reset()
	parsed := ""
	if text != "" {
		var ok bool
		if parsed, ok = parseHost(text, !p.url.special()); !ok {
			return failed
		}
		if parsed == "localhost" {
			parsed = ""
		}
	}
	p.url.Host = &parsed
	if p.override != noState {
		return done
	}
	return p.to(pathStart)
}

func (p *parser) pathStartState(c rune) outcome {
	u := p.url
	switch {
	case u.special():
		p.state = path
		if c != '/' && c != '\\' {
			return again
		}
	case p.override == noState && c == '?':
		u.Query = new(string)
		p.state = query
	case p.override == noState && c == '#':
		u.Fragment = new(string)
		p.state = fragment
	case c != eof:
		p.state = path
		if c != '/' {
			return again
		}
	case p.override != noState && u.Host == nil:
		u.Path = append(u.Path, "")
	}
	return next
}

func (p *parser) pathState(c rune) outcome {
	u := p.url
	slash := c == '/' || c == '\\' && u.special()
	if c != eof && !slash && (p.override != noState || c != '?' && c != '#') {
		encodeRune(&p.buffer, c, pathSet)
		return next
	}
	segment := p.take()
	switch {
	case isDoubleDot(segment):
		u.shorten()
		if !slash {
			u.Path = append(u.Path, "")
		}
	case isSingleDot(segment):
		if !slash {
			u.Path = append(u.Path, "")
		}
	default:
		if u.Scheme == "file" && len(u.Path) == 0 && isDriveLetter(segment) {
			segment = segment[:1] + ":"
		}
		u.Path = append(u.Path, segment)
	}
	if c == '?' {
		u.Query = new(string)
		p.state = query
	} else if c == '#' {
		u.Fragment = new(string)
		p.state = fragment
	}
	return next
}

func isSingleDot(s string) bool { return s == "." || strings.EqualFold(s, "%2e") }

func isDoubleDot(s string) bool {
	switch strings.ToLower(s) {
	case "..", ".%2e", "%2e.", "%2e%2e":
		return true
	}
	return false
}

func (p *parser) opaquePathState(c rune) outcome {
	u := p.url
	switch c {
	case '?', '#', eof:
		*u.Opaque += p.take()
		if c == '?' {
			u.Query = new(string)
			p.state = query
		} else if c == '#' {
			u.Fragment = new(string)
			p.state = fragment
		}
	case ' ':
		if following := p.peek(1); following == '?' || following == '#' {
			p.buffer.WriteString("%20")
		} else {
			p.buffer.WriteByte(' ')
		}
	default:
		encodeRune(&p.buffer, c, c0Set)
	}
	return next
}

func (p *parser) queryState(c rune) outcome {
	set := encodeSet(querySet)
	if p.url.special() {
		set = specialQuerySet
	}
	if c != eof && (c != '#' || p.override != noState) {
		encodeRune(&p.buffer, c, set)
		return next
	}
	*p.url.Query += p.take()
	if c == '#' {
		p.url.Fragment = new(string)
		p.state = fragment
	}
	return next
}

func (p *parser) fragmentState(c rune) outcome {
	if c != eof {
		encodeRune(&p.buffer, c, fragmentSet)
		return next
	}
	*p.url.Fragment += p.take()
	return next
}
