package web

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// bufferOps are the ops of 80_buffer.js.
func bufferOps() map[string]pureOp {
	return map[string]pureOp{
		"hexEncode":     func(args []any) (any, error) { return hex.EncodeToString(args[0].([]byte)), nil },
		"hexDecode":     func(args []any) (any, error) { return decodeHex(args[0].(string)), nil },
		"base64Lenient": func(args []any) (any, error) { return decodeBase64(args[0].(string)), nil },
	}
}

// decodeHex decodes pairs of digits up to the first that is none.
func decodeHex(text string) []byte {
	out := make([]byte, len(text)/2)
	n, err := hex.Decode(out, []byte(text[:len(out)*2]))
	if err != nil {
		return out[:n]
	}
	return out
}

// decodeBase64 decodes either alphabet, skips what belongs to neither, and stops at the padding.
func decodeBase64(text string) []byte {
	text, _, _ = strings.Cut(text, "=")
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '+', r == '/':
			return r
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		}
		return -1
	}, text)
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	out, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return out
}
