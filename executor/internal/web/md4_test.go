package web

import (
	"encoding"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestMD4 has the texts of RFC 1320.
func TestMD4(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "31d6cfe0d16ae931b73c59d7e0c089c0",
		"a":                             "bde52cb31de33e46245e05fbdbd6fb24",
		"abc":                           "a448017aaf21d8525fc10ae87aa6729d",
		"message digest":                "d9130a8164549fe818874806e1c7014b",
		"abcdefghijklmnopqrstuvwxyz":    "d79e1c308aa5bbcdeea8ed63df412da9",
		strings.Repeat("1234567890", 8): "e33b4ddc9c38f2199c3e7b164fcc0536",
	} {
		h := newMD4()
		h.Write([]byte(text))
		if got := hex.EncodeToString(h.Sum(nil)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestMD4InParts hashes in parts of random lengths, each from the state that the part before left as bytes.
func TestMD4InParts(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 100 {
		data := randomBytes(random, random.IntN(400))
		whole := newMD4()
		whole.Write(data)
		parts := newMD4()
		for rest := data; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			parts.Write(rest[:n])
			rest = rest[n:]
			state, err := parts.(encoding.BinaryMarshaler).MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			parts = newMD4()
			if err := parts.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := hex.EncodeToString(parts.Sum(nil)), hex.EncodeToString(whole.Sum(nil)); got != want {
			t.Fatalf("%d bytes: %s, want %s", len(data), got, want)
		}
	}
	for _, state := range [][]byte{nil, make([]byte, 23), make([]byte, 25), make([]byte, 200)} {
		if err := newMD4().(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err == nil {
			t.Errorf("%d bytes are taken for a state", len(state))
		}
	}
}
