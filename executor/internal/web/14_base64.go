package web

import (
	"encoding/base64"
	"strings"
)

// base64Ops are the ops of 14_base64.js.
func base64Ops() map[string]pureOp {
	return map[string]pureOp{
		"base64Decode": func(args []any) (any, error) {
			bytes, ok := forgivingDecode(args[0].(string))
			if !ok {
				return nil, nil
			}
			return bytes, nil
		},
		"base64Encode": func(args []any) (any, error) { return base64.StdEncoding.EncodeToString(args[0].([]byte)), nil },
	}
}

// forgivingDecode is the Infra standard's forgiving-base64 decode: white space anywhere, optional
// padding, and ignored bits after the last byte.
func forgivingDecode(text string) ([]byte, bool) {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\t\n\f\r ", r) {
			return -1
		}
		return r
	}, text)
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	if strings.Contains(text, "=") {
		return nil, false
	}
	bytes, err := base64.RawStdEncoding.DecodeString(text)
	return bytes, err == nil
}
