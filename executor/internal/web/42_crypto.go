package web

import (
	"crypto/rand"
	"math"
)

// maxRandom bounds one request for random bytes.
const maxRandom = 1 << 20

// cryptoOps are the ops of 42_crypto.js.
func cryptoOps() map[string]pureOp {
	return map[string]pureOp{
		"randomBytes": func(args []any) (any, error) {
			n := args[0].(float64)
			if n < 0 || n > maxRandom || n != math.Trunc(n) {
				return nil, &OpError{"RangeError", "The number of random bytes is out of range."}
			}
			bytes := make([]byte, int(n))
			if _, err := rand.Read(bytes); err != nil {
				return nil, err
			}
			return bytes, nil
		},
	}
}
