package weburl

import (
	"slices"
	"strings"
)

// The states from the host of a file on: file URLs, paths, query and fragment.

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
	set := querySet
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
