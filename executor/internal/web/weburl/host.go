package weburl

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseHost is the host parser: opaque for a scheme that is not special.
func parseHost(input string, opaque bool) (string, bool) {
	if strings.HasPrefix(input, "[") {
		if !strings.HasSuffix(input, "]") {
			return "", false
		}
		address, ok := parseIPv6(input[1 : len(input)-1])
		return "[" + address + "]", ok
	}
	if opaque {
		if strings.ContainsFunc(input, isForbiddenHost) {
			return "", false
		}
		return encode(input, c0Set), true
	}
	domain := strings.ToValidUTF8(string(PercentDecode(input)), string(utf8.RuneError))
	ascii, ok := ToASCII(domain)
	if !ok || strings.ContainsFunc(ascii, isForbiddenDomain) {
		return "", false
	}
	if endsInNumber(ascii) {
		return parseIPv4(ascii)
	}
	return ascii, true
}

func isForbiddenHost(r rune) bool { return strings.ContainsRune("\x00\t\n\r #/:<>?@[\\]^|", r) }

func isForbiddenDomain(r rune) bool {
	return isForbiddenHost(r) || r <= 0x1f || r == '%' || r == 0x7f
}

// endsInNumber says whether the last label makes the host an IPv4 address or nothing.
func endsInNumber(host string) bool {
	parts := strings.Split(host, ".")
	if parts[len(parts)-1] == "" {
		if len(parts) == 1 {
			return false
		}
		parts = parts[:len(parts)-1]
	}
	last := parts[len(parts)-1]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := parseIPv4Number(last)
	return ok
}

// parseIPv4Number reads a decimal, octal (0…) or hexadecimal (0x…) number; too large ones saturate.
func parseIPv4Number(s string) (uint64, bool) {
	if s == "" {
		return 0, false
	}
	base := 10
	switch {
	case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X"):
		s, base = s[2:], 16
	case len(s) >= 2 && s[0] == '0':
		s, base = s[1:], 8
	}
	if s == "" {
		return 0, true
	}
	for i := range len(s) {
		if v := hexValue(s[i]); v < 0 || v >= base {
			return 0, false
		}
	}
	value, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		return math.MaxUint64, true
	}
	return value, true
}

func parseIPv4(host string) (string, bool) {
	parts := strings.Split(host, ".")
	if parts[len(parts)-1] == "" && len(parts) > 1 {
		parts = parts[:len(parts)-1]
	}
	if len(parts) > 4 {
		return "", false
	}
	var address uint64
	for i, part := range parts {
		n, ok := parseIPv4Number(part)
		if !ok {
			return "", false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return "", false
			}
			address |= n << (8 * (3 - i))
		} else {
			if n >= 1<<(8*(5-len(parts))) {
				return "", false
			}
			address |= n
		}
	}
	var out []string
	for shift := 24; shift >= 0; shift -= 8 {
		out = append(out, strconv.Itoa(int(address>>shift&255)))
	}
	return strings.Join(out, "."), true
}

// parseIPv6 parses an address without its brackets and serialises it.
func parseIPv6(s string) (string, bool) {
	var address [8]uint16
	piece, compress, i := 0, -1, 0
	at := func(i int) byte {
		if i < len(s) {
			return s[i]
		}
		return 0
	}
	if at(0) == ':' {
		if at(1) != ':' {
			return "", false
		}
		i, piece, compress = 2, 1, 1
	}
	for i < len(s) {
		if piece == 8 {
			return "", false
		}
		if s[i] == ':' {
			if compress >= 0 {
				return "", false
			}
			i++
			piece++
			compress = piece
			continue
		}
		value, length := 0, 0
		for length < 4 && i < len(s) && hexValue(s[i]) >= 0 {
			value = value<<4 | hexValue(s[i])
			i++
			length++
		}
		if at(i) == '.' {
			if length == 0 || piece > 6 || !parseEmbeddedIPv4(s[i-length:], &address, &piece) {
				return "", false
			}
			break
		}
		if at(i) == ':' {
			i++
			if i == len(s) {
				return "", false
			}
		} else if i < len(s) {
			return "", false
		}
		address[piece] = uint16(value)
		piece++
	}
	if compress >= 0 {
		swaps := piece - compress
		for piece = 7; piece != 0 && swaps > 0; piece-- {
			address[piece], address[compress+swaps-1] = address[compress+swaps-1], address[piece]
			swaps--
		}
	} else if piece != 8 {
		return "", false
	}
	return serialiseIPv6(address), true
}

// parseEmbeddedIPv4 reads the dotted tail of an IPv6 address into two pieces.
func parseEmbeddedIPv4(s string, address *[8]uint16, piece *int) bool {
	parts := strings.Split(s, ".")
	if len(parts) != 4 {
		return false
	}
	for i, part := range parts {
		if part == "" || len(part) > 3 || strings.Trim(part, "0123456789") != "" || len(part) > 1 && part[0] == '0' {
			return false
		}
		n, err := strconv.Atoi(part)
		if err != nil || n > 255 {
			return false
		}
		address[*piece] = address[*piece]<<8 | uint16(n)
		if i == 1 || i == 3 {
			*piece++
		}
	}
	return true
}

func serialiseIPv6(address [8]uint16) string {
	start, length := -1, 1
	for i := 0; i < 8; i++ {
		n := 0
		for i+n < 8 && address[i+n] == 0 {
			n++
		}
		if n > length {
			start, length = i, n
		}
		i += n
	}
	var b strings.Builder
	for i := 0; i < 8; i++ {
		if i == start {
			if i == 0 {
				b.WriteString("::")
			} else {
				b.WriteString(":")
			}
			i += length - 1
			continue
		}
		b.WriteString(strconv.FormatUint(uint64(address[i]), 16))
		if i != 7 {
			b.WriteByte(':')
		}
	}
	return b.String()
}
