package jsonscan_test

import (
	"math/rand/v2"
	"testing"

	"github.com/codemode-go/codemode/protocol/jsonscan"
)

func TestPlainEndsAtTheFirstByteThatIsSpecial(t *testing.T) {
	bytes := []byte{0, 1, 0x1f, ' ', '!', '"', '#', '[', '\\', ']', 'a', 0x7f, 0x80, 0xa0, 0xa2, 0xdc, 0xff}
	for range 100_000 {
		text := make([]byte, rand.IntN(24))
		for i := range text {
			text[i] = 'x'
			if rand.IntN(6) == 0 {
				text[i] = bytes[rand.IntN(len(bytes))]
			}
		}
		want := 0
		for want < len(text) && text[want] >= ' ' && text[want] != '"' && text[want] != '\\' {
			want++
		}
		if got := jsonscan.Plain(text); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	}
}
