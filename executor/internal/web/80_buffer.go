package web

import (
	"encoding/hex"
	"strings"
)

// bufferOps are the ops of 80_buffer.js.
func bufferOps() map[string]Op {
	return map[string]Op{
		"hexEncode": func(s *State, args []any) (any, error) {
			data := args[0].([]byte)
			return Text(hex.AppendEncode(s.room(hex.EncodedLen(len(data))), data)), nil
		},
		"hexDecode":     func(s *State, args []any) (any, error) { return decodeHex(s, args[0].(string)), nil },
		"base64Lenient": func(s *State, args []any) (any, error) { return decodeBase64(s, args[0].(string)), nil },
	}
}

// decodeHex decodes pairs of digits up to the first that is none.
func decodeHex(s *State, text string) []byte {
	size := len(text) / 2
	out := s.room(size)[:size]
	n, err := hex.Decode(out, []byte(text[:size*2]))
	if err != nil {
		return out[:n]
	}
	return out
}

// decodeBase64 decodes either alphabet, skips what belongs to neither, and stops at the padding.
func decodeBase64(s *State, text string) []byte {
	text, _, _ = strings.Cut(text, "=")
	if out, ok := decodeRaw(s, text); ok {
		return out
	}
	text = standardDigits(text)
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	out, ok := decodeRaw(s, text)
	if !ok {
		return nil
	}
	return out
}

// standardDigits are the digits of either alphabet in a text, in those of the standard one.
func standardDigits(text string) string {
	var kept strings.Builder
	kept.Grow(len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case digits[0][c] != noDigit:
			kept.WriteByte(c)
		case c == '-':
			kept.WriteByte('+')
		case c == '_':
			kept.WriteByte('/')
		}
	}
	return kept.String()
}
