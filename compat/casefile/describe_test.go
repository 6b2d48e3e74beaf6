package casefile

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/protocol"
)

// A long string is described as if all of its UTF-16 units were there to be counted and cut.
func TestLongStringsAreDescribedByUnits(t *testing.T) {
	pieces := []string{"a", "é", "€", "𝄞", "\u2028", "plain text ", "😀😀"}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for size := random.IntN(4 * describedString); b.Len() < size; {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		units := utf16.Encode([]rune(text))
		var want any = text
		if len(units) > describedString {
			want = protocol.Object{{Key: "$", Value: "string"}, {Key: "length", Value: len(units)},
				{Key: "head", Value: string(utf16.Decode(units[:describedEnds]))}, {Key: "tail", Value: string(utf16.Decode(units[len(units)-describedEnds:]))}}
		}
		if diff := cmp.Diff(want, describedText(text)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}
