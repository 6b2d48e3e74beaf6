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

func (p *parser) step(c rune) outcome { return steps[p.state](p, c) }

// steps has what each state does with one code point.
var steps = [...]func(*parser, rune) outcome{
	schemeStart:                   (*parser).schemeStartState,
	scheme:                        (*parser).schemeState,
	noScheme:                      (*parser).noSchemeState,
	specialRelativeOrAuthority:    (*parser).specialRelativeOrAuthorityState,
	pathOrAuthority:               (*parser).pathOrAuthorityState,
	relative:                      (*parser).relativeState,
	relativeSlash:                 (*parser).relativeSlashState,
	specialAuthoritySlashes:       (*parser).specialAuthoritySlashesState,
	specialAuthorityIgnoreSlashes: (*parser).specialAuthorityIgnoreSlashesState,
	authority:                     (*parser).authorityState,
	host:                          (*parser).hostState,
	hostname:                      (*parser).hostState,
	port:                          (*parser).portState,
	file:                          (*parser).fileState,
	fileSlash:                     (*parser).fileSlashState,
	fileHost:                      (*parser).fileHostState,
	pathStart:                     (*parser).pathStartState,
	path:                          (*parser).pathState,
	opaquePath:                    (*parser).opaquePathState,
	query:                         (*parser).queryState,
	fragment:                      (*parser).fragmentState,
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

func (p *parser) specialRelativeOrAuthorityState(c rune) outcome {
	if c != '/' || p.peek(1) != '/' {
		return p.to(relative)
	}
	p.state = specialAuthorityIgnoreSlashes
	p.pos++
	return next
}

func (p *parser) pathOrAuthorityState(c rune) outcome {
	if c != '/' {
		return p.to(path)
	}
	p.state = authority
	return next
}

func (p *parser) specialAuthoritySlashesState(c rune) outcome {
	if c != '/' || p.peek(1) != '/' {
		return p.to(specialAuthorityIgnoreSlashes)
	}
	p.state = specialAuthorityIgnoreSlashes
	p.pos++
	return next
}

func (p *parser) specialAuthorityIgnoreSlashesState(c rune) outcome {
	if c == '/' || c == '\\' {
		return next
	}
	return p.to(authority)
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
