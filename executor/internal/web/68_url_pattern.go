package web

import "github.com/codemode-go/codemode/executor/internal/web/weburl"

// urlPatternOps are the ops of 68_url_pattern.js.
func urlPatternOps() map[string]pureOp {
	return map[string]pureOp{
		"urlComponent": func(args []any) (any, error) {
			if out, ok := weburl.Canonicalise(args[0].(string), args[1].(string), args[2].(string)); ok {
				return out, nil
			}
			return nil, nil
		},
	}
}
