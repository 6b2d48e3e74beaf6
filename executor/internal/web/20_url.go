package web

import (
	"strings"
	"unicode/utf8"

	"github.com/codemode-go/codemode/executor/internal/web/weburl"
)

// urlOps are the ops of 20_url.js.
func urlOps() map[string]pureOp {
	return map[string]pureOp{
		"urlParse":   urlParse,
		"urlSet":     urlSet,
		"formDecode": func(args []any) (any, error) { return formDecode(args[0].(string)), nil },
		"formEncode": func(args []any) (any, error) { return formEncode(args[0].(string)), nil },
	}
}

func urlParse(args []any) (any, error) {
	var base *weburl.URL
	if len(args) > 1 && args[1] != nil {
		var ok bool
		if base, ok = weburl.Parse(args[1].(string), nil); !ok {
			return nil, nil
		}
	}
	u, ok := weburl.Parse(args[0].(string), base)
	if !ok {
		return nil, nil
	}
	return joinParts(u), nil
}

func urlSet(args []any) (any, error) {
	u, ok := weburl.Parse(args[0].(string), nil)
	if !ok || !u.Set(args[1].(string), args[2].(string)) {
		return nil, nil
	}
	return joinParts(u), nil
}

// joinParts separates the parts by line breaks, which no URL contains.
func joinParts(u *weburl.URL) string {
	p := u.Parts()
	return strings.Join([]string{p.Href, p.Origin, p.Protocol, p.Username, p.Password, p.Host, p.Hostname, p.Port, p.Pathname, p.Search, p.Hash}, "\n")
}

// formDecode decodes one name or value of application/x-www-form-urlencoded.
func formDecode(text string) string {
	bytes := weburl.PercentDecode(strings.ReplaceAll(text, "+", " "))
	decoded, _, _ := decodeUTF8(bytes, false, true)
	return decoded
}

// formEncode encodes one name or value of application/x-www-form-urlencoded.
func formEncode(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, string(utf8.RuneError)) {
		if r == ' ' {
			b.WriteByte('+')
		} else {
			weburl.EncodeForm(&b, r)
		}
	}
	return b.String()
}
