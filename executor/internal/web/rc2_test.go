package web

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// TestRC2 has the vector of RFC 2268 whose key has 128 effective bits. Keys of other lengths are asked of the reference, in
// compat.
func TestRC2(t *testing.T) {
	key, _ := hex.DecodeString("88bca90e90875a7f0f79c384627bafb2")
	c, err := newRC2(key)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, 8)
	c.Encrypt(out, out)
	if got := hex.EncodeToString(out); got != "2269552ab0f85ca6" {
		t.Errorf("the RFC's block is %s", got)
	}
	if _, err := newRC2(nil); err == nil {
		t.Error("no key is taken for one")
	}
}

func TestRC2Back(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	for range 100 {
		c, err := newRC2(randomBytes(random, 1+random.IntN(150)))
		if err != nil {
			t.Fatal(err)
		}
		text, out, back := randomBytes(random, 8), make([]byte, 8), make([]byte, 8)
		c.Encrypt(out, text)
		if c.Decrypt(back, out); !bytes.Equal(back, text) || bytes.Equal(out, text) {
			t.Fatalf("%x came to %x and back to %x", text, out, back)
		}
	}
}
