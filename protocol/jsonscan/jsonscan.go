// Package jsonscan looks through JSON text eight bytes at a time.
package jsonscan

import (
	"encoding/binary"
	"math/bits"
)

// Plain is how many bytes text begins with that stand for themselves in a JSON string: none is a quote, a backslash or a
// control character. What is no ASCII is not looked at.
func Plain(text []byte) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	at := 0
	for ; at+8 <= len(text); at += 8 {
		w := binary.LittleEndian.Uint64(text[at:])
		quote, escape := w^(each*'"'), w^(each*'\\')
		// A byte of these has its high bit set where the one of w is below 0x20, a quote, or a backslash. One further up may
		// have it without cause, the first has not.
		special := ((w - each*0x20) &^ w) | ((quote - each) &^ quote) | ((escape - each) &^ escape)
		if special &= high; special != 0 {
			return at + bits.TrailingZeros64(special)/8
		}
	}
	for ; at < len(text); at++ {
		if c := text[at]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return at
}
