package web

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"testing"
)

// TestBase64OfAnyLength decodes what the library encodes, short and long, and refuses it with any character spoilt.
func TestBase64OfAnyLength(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	state := NewState()
	for _, length := range []int{0, 1, 2, 3, 4, 100, 12_287, 12_288, 12_289, 50_000, 50_001} {
		data := randomBytes(random, length)
		for _, text := range []string{base64.StdEncoding.EncodeToString(data), base64.RawStdEncoding.EncodeToString(data)} {
			if got, ok := forgivingDecode(state, text); !ok || !bytes.Equal(got, data) {
				t.Errorf("%d bytes: %d, %v", length, len(got), ok)
			}
			if length == 0 {
				continue
			}
			at := random.IntN(len(data))
			for _, wrong := range []byte("*-\x00\xff") {
				spoilt := []byte(text)
				spoilt[at] = wrong
				if _, ok := forgivingDecode(state, string(spoilt)); ok {
					t.Errorf("%d bytes with %q at %d are decoded", length, wrong, at)
				}
			}
			spaced := text[:at] + " \n" + text[at:]
			if got, ok := forgivingDecode(state, spaced); !ok || !bytes.Equal(got, data) {
				t.Errorf("%d bytes with space: %d, %v", length, len(got), ok)
			}
		}
	}
}

// TestEncodedBase64 is held against the library's, for lengths around where the way of encoding changes.
func TestEncodedBase64(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	state := NewState()
	for _, from := range []int{0, longBytes - 2, 60_000} {
		for length := from; length < from+30; length++ {
			data := randomBytes(random, length)
			if got, want := string(encodeBase64(state, data)), base64.StdEncoding.EncodeToString(data); got != want {
				t.Errorf("%d bytes come to %.40q, want %.40q", length, got, want)
			}
		}
	}
}

// TestLenientBase64OfAnyLength decodes either alphabet, with and without padding and with what belongs to neither between.
func TestLenientBase64OfAnyLength(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	state := NewState()
	for _, length := range []int{0, 1, 2, 3, 4, 100, 12_288, 50_000} {
		data := randomBytes(random, length)
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString(data)
			at := random.IntN(length + 1)
			for _, between := range []string{"", "\n", " \x00*é€𝄞\xff"} {
				if got := decodeBase64(state, text[:at]+between+text[at:]); !bytes.Equal(got, data) {
					t.Errorf("%d bytes with %q at %d come to %d", length, between, at, len(got))
				}
			}
		}
	}
}
