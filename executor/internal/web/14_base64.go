package web

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"sync"
)

// base64Ops are the ops of 14_base64.js.
func base64Ops() map[string]Op {
	return map[string]Op{
		"atob": func(s *State, args []any) (any, error) {
			bytes, ok := forgivingDecode(s, args[0].(string))
			if !ok {
				return nil, nil
			}
			return Text(bytes), nil
		},
		"base64Decode": func(s *State, args []any) (any, error) {
			bytes, ok := forgivingDecode(s, args[0].(string))
			if !ok {
				return nil, nil
			}
			return bytes, nil
		},
		"base64Encode": func(s *State, args []any) (any, error) {
			return Text(encodeBase64(s, args[0].([]byte))), nil
		},
	}
}

// forgivingDecode is the Infra standard's forgiving-base64 decode: white space anywhere, optional
// padding, and ignored bits after the last byte.
func forgivingDecode(s *State, text string) ([]byte, bool) {
	if bytes, ok := decodePadded(s, text); ok {
		return bytes, true
	}
	return decodePadded(s, withoutSpace(text))
}

// withoutSpace is text without ASCII white space.
func withoutSpace(text string) string {
	var kept strings.Builder
	kept.Grow(len(text))
	for i := range len(text) {
		switch text[i] {
		case '\t', '\n', '\f', '\r', ' ':
		default:
			kept.WriteByte(text[i])
		}
	}
	return kept.String()
}

func decodePadded(s *State, text string) ([]byte, bool) {
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	return decodeRaw(s, text)
}

// decodeRaw decodes base64 that has nothing but its digits.
func decodeRaw(s *State, text string) ([]byte, bool) {
	size := base64.RawStdEncoding.DecodedLen(len(text))
	out := s.room(size)[:size]
	to := out
	if len(text) >= longBase64 {
		n, ok := decodePairs(to, text)
		if !ok {
			return nil, false
		}
		text, to = text[n/3*4:], to[n:]
	}
	for len(text) >= 4 && len(to) >= 3 {
		word := digits[0][text[0]] | digits[1][text[1]] | digits[2][text[2]] | digits[3][text[3]]
		if word == noDigit {
			return nil, false
		}
		to[0], to[1], to[2] = byte(word>>16), byte(word>>8), byte(word)
		text, to = text[4:], to[3:]
	}
	for i := range len(text) {
		if digits[0][text[i]] == noDigit {
			return nil, false
		}
	}
	_, err := base64.RawStdEncoding.Decode(to, []byte(text))
	return out, err == nil
}

// decodePairs decodes as much of a long text as can be stored eight bytes at a time, six of which stay, and returns how many
// bytes it has come to.
func decodePairs(to []byte, text string) (n int, ok bool) {
	pairs := digitPairs()
	for i := 0; i+16 <= len(text) && n+14 <= len(to); i, n = i+16, n+12 {
		in, out := text[i:i+16], to[n:n+14]
		first, second := uint64(pairs[uint16(in[0])|uint16(in[1])<<8]), uint64(pairs[uint16(in[2])|uint16(in[3])<<8])
		third, fourth := uint64(pairs[uint16(in[4])|uint16(in[5])<<8]), uint64(pairs[uint16(in[6])|uint16(in[7])<<8])
		fifth, sixth := uint64(pairs[uint16(in[8])|uint16(in[9])<<8]), uint64(pairs[uint16(in[10])|uint16(in[11])<<8])
		seventh, eighth := uint64(pairs[uint16(in[12])|uint16(in[13])<<8]), uint64(pairs[uint16(in[14])|uint16(in[15])<<8])
		if first|second|third|fourth|fifth|sixth|seventh|eighth == noPair {
			return 0, false
		}
		binary.BigEndian.PutUint64(out, first<<52|second<<40|third<<28|fourth<<16)
		binary.BigEndian.PutUint64(out[6:], fifth<<52|sixth<<40|seventh<<28|eighth<<16)
	}
	return n, true
}

// encodeBase64 encodes with padding.
func encodeBase64(s *State, data []byte) []byte {
	size := base64.StdEncoding.EncodedLen(len(data))
	out, n := s.room(size)[:size], 0
	if len(data) >= longBytes {
		n = encodePairs(out, data)
	}
	base64.StdEncoding.Encode(out[n/3*4:], data[n:])
	return out
}

// encodePairs encodes as much as can be read eight bytes at a time, six of which count, and returns how many bytes that were.
func encodePairs(to, data []byte) (n int) {
	texts := pairTexts()
	for at := 0; n+14 <= len(data) && at+16 <= len(to); n, at = n+12, at+16 {
		in, out := data[n:n+14], to[at:at+16]
		first, second := binary.BigEndian.Uint64(in), binary.BigEndian.Uint64(in[6:])
		binary.LittleEndian.PutUint64(out, texts[first>>52]|texts[first>>40&0xfff]<<16|texts[first>>28&0xfff]<<32|texts[first>>16&0xfff]<<48)
		binary.LittleEndian.PutUint64(out[8:], texts[second>>52]|texts[second>>40&0xfff]<<16|texts[second>>28&0xfff]<<32|texts[second>>16&0xfff]<<48)
	}
	return n
}

// longBytes is from how many bytes on a table of the texts of all twelve bits pays.
const longBytes = 4 << 10

var pairTexts = sync.OnceValue(func() *[1 << 12]uint64 {
	var table [1 << 12]uint64
	for i := range table {
		table[i] = uint64(alphabet[i>>6]) | uint64(alphabet[i&63])<<8
	}
	return &table
})

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// digits have the bits of each of four characters, and noDigit for what is no digit.
var digits = func() (tables [4][256]uint32) {
	for i := range tables {
		for c := range tables[i] {
			tables[i][c] = noDigit
		}
		for value, c := range []byte(alphabet) {
			tables[i][c] = uint32(value) << (18 - 6*i)
		}
	}
	return tables
}()

const noDigit = 1<<32 - 1

// longBase64 is from how many characters on a table of all pairs pays, which has noPair for what is no pair of digits.
const (
	longBase64 = 16 << 10
	noPair     = 1<<16 - 1
)

var digitPairs = sync.OnceValue(func() *[1 << 16]uint16 {
	var table [1 << 16]uint16
	for i := range table {
		table[i] = noPair
		if high, low := digits[2][i&0xff], digits[3][i>>8]; high|low != noDigit {
			table[i] = uint16(high | low)
		}
	}
	return &table
})
