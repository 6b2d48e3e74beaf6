package web

import (
	"strings"

	"github.com/codemode-go/codemode/executor/internal/web/weburl"
)

// fetchOps are the ops of 58_fetch.js.
func fetchOps() map[string]pureOp {
	return map[string]pureOp{
		"dataURLType": func(args []any) (any, error) {
			if contentType, _, ok := parseDataURL(args[0].(string)); ok {
				return contentType, nil
			}
			return nil, nil
		},
		"dataURLBytes": func(args []any) (any, error) {
			if _, bytes, ok := parseDataURL(args[0].(string)); ok {
				return bytes, nil
			}
			return nil, nil
		},
	}
}

// parseDataURL is the Fetch standard's data: URL processor, with workerd's spelling of the default type.
func parseDataURL(url string) (contentType string, bytes []byte, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", nil, false
	}
	rest, _, _ = strings.Cut(rest, "#")
	contentType, data, ok := strings.Cut(rest, ",")
	if !ok {
		return "", nil, false
	}
	contentType = strings.TrimSpace(contentType)
	bytes = weburl.PercentDecode(data)
	if prefix, encoded := cutBase64(contentType); encoded {
		contentType = prefix
		if bytes, ok = forgivingDecode(NewState(), string(bytes)); !ok {
			return "", nil, false
		}
	}
	switch {
	case contentType == "":
		contentType = "text/plain;charset=US-ASCII"
	case strings.HasPrefix(contentType, ";"):
		contentType = "text/plain" + contentType
	}
	return contentType, bytes, true
}

// cutBase64 takes a trailing ";base64" off a media type.
func cutBase64(contentType string) (string, bool) {
	at := strings.LastIndex(contentType, ";")
	if at < 0 || !strings.EqualFold(strings.TrimSpace(contentType[at+1:]), "base64") {
		return contentType, false
	}
	return strings.TrimSpace(contentType[:at]), true
}
