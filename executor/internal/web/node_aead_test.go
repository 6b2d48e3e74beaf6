package web

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"
)

func sealed(t *testing.T, name string, key, iv, extra, text []byte, tagLength int) []byte {
	t.Helper()
	out, err := aeadSeal([]any{name, key, iv, extra, text, float64(tagLength)})
	if err != nil {
		t.Fatal(err)
	}
	return out.([]byte)
}

// TestAEADVectors has vectors of the documents that the ciphers are of (RFC 8452, RFC 3610, EAX's paper), and of
// ctr-hmac-sha256, which is BoringSSL's own, what the reference gives.
func TestAEADVectors(t *testing.T) {
	sevens := bytes.Repeat([]byte{7}, 64)
	of := func(text string) []byte {
		data, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, test := range []struct {
		name                 string
		key, iv, extra, text []byte
		tagLength            int
		want                 string
	}{
		{"gcm-siv", of("01000000000000000000000000000000"), of("030000000000000000000000"), nil, nil, 16, "dc20e2d83f25705bb49e439eca56de25"},
		{"gcm-siv", of("01000000000000000000000000000000"), of("030000000000000000000000"), nil, of("0100000000000000"), 16, "b5d839330ac7b786578782fff6013b815b287c22493a364c"},
		{"eax", of("233952dee4d5ed5f9b9c6d6ff80ff478"), of("62ec67f9c3a4a407fcb2a8c49031a8b3"), of("6bfb914fd07eae6b"), nil, 16, "e037830e8389f27b025a2d6527e79d01"},
		{"eax", of("91945d3f4dcbee0bf45ef52255f095a4"), of("becaf043b0a23d843194ba972c66debd"), of("fa3bfd4806eb53fa"), of("f7fb"), 16, "19dd5c4c9331049d0bdab0277408f67967e5"},
		{
			"ccm", of("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf"), of("00000003020100a0a1a2a3a4a5"), of("0001020304050607"),
			of("08090a0b0c0d0e0f101112131415161718191a1b1c1d1e"), 8, "588c979a61c663d2f066d0c2c0f989806d5f6b61dac38417e8d12cfdf926e0",
		},
		{
			"ctr-hmac-sha256", sevens[:48], of("030303030303030303030303"), []byte("aad"), []byte("hello world"), 32,
			"c3fc8295c9cb8388d4e6f18c92e4350b5b3f87519bb654ba7eba1d426510bd2e61b6e6183ecfdc953702ec",
		},
	} {
		if got := hex.EncodeToString(sealed(t, test.name, test.key, test.iv, test.extra, test.text, test.tagLength)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// aeadKinds are the ciphers with the lengths of their keys, vectors and tags.
var aeadKinds = []struct {
	name      string
	key, iv   int
	from, to  int
	otherwise func(key []byte) (cipher.AEAD, error)
}{
	{"chacha20-poly1305", 32, 12, 1, 16, chacha20poly1305.New},
	{"chacha20-poly1305", 32, 24, 1, 16, chacha20poly1305.NewX},
	{"eax", 16, 16, 16, 16, nil},
	{"eax", 32, 16, 16, 16, nil},
	{"gcm-siv", 16, 12, 16, 16, nil},
	{"gcm-siv", 32, 12, 16, 16, nil},
	{"gcm-randnonce", 16, 0, 13, 28, nil},
	{"gcm-randnonce", 32, 0, 13, 28, nil},
	{"ccm", 16, 13, 16, 16, nil},
	{"ctr-hmac-sha256", 48, 12, 1, 32, nil},
	{"ctr-hmac-sha256", 64, 12, 1, 32, nil},
}

// TestAEADBack opens what was sealed, of any length and with any tag, and nothing of which one bit is another's.
func TestAEADBack(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	for _, kind := range aeadKinds {
		for range 60 {
			key, iv, extra, text := randomBytes(random, kind.key), randomBytes(random, kind.iv), randomBytes(random, random.IntN(40)), randomBytes(random, random.IntN(100))
			tagLength := kind.from + random.IntN(kind.to-kind.from+1)
			out := sealed(t, kind.name, key, iv, extra, text, tagLength)
			if kind.otherwise != nil {
				c, err := kind.otherwise(key)
				if err != nil {
					t.Fatal(err)
				}
				if want := c.Seal(nil, iv, text, extra); !bytes.Equal(out, want[:len(out)]) {
					t.Fatalf("%s: %x, want %x", kind.name, out, want)
				}
			}
			open := func() any {
				got, err := aeadOpen([]any{kind.name, key, iv, extra, out[:len(text)], out[len(text):]})
				if err != nil {
					t.Fatal(err)
				}
				return got
			}
			if got, ok := open().([]byte); !ok || !bytes.Equal(got, text) {
				t.Fatalf("%s with a tag of %d: %x, want %x", kind.name, tagLength, got, text)
			}
			// A tag of one byte is right by chance, so spoil what a tag of no such length hides.
			if tagLength < kind.from+7 && kind.from < 13 || kind.name == "gcm-randnonce" && tagLength < 20 {
				continue
			}
			spoilt := [][]byte{iv, extra, out}[random.IntN(3)]
			if len(spoilt) == 0 {
				continue
			}
			spoilt[random.IntN(len(spoilt))] ^= 1 << random.IntN(8)
			if got := open(); got != nil {
				t.Fatalf("%s opens what is spoilt", kind.name)
			}
		}
	}
}

// TestCCMOfLongData has extra data whose length takes six bytes, held against RFC 3610's blocks written out, and a text
// whose length has no room.
func TestCCMOfLongData(t *testing.T) {
	key, iv := make([]byte, 16), make([]byte, 13)
	extra := make([]byte, 0xff00)
	out := sealed(t, "ccm", key, iv, extra, []byte("text"), 16)
	if got, err := aeadOpen([]any{"ccm", key, iv, extra, out[:4], out[4:]}); err != nil || !bytes.Equal(got.([]byte), []byte("text")) {
		t.Errorf("opened: %v, %v", got, err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	// B0, the length in six bytes and the data, and the text, each filled up with zeros.
	first := append([]byte{0x40 | 7<<3 | 1}, make([]byte, 15)...)
	first[15] = 4
	head := append([]byte{0xff, 0xfe, 0, 0, 0xff, 0}, extra...)
	sum := cbcMAC(block, make([]byte, 16), first)
	sum = cbcMAC(block, sum, zeroFilled(head))
	sum = cbcMAC(block, sum, zeroFilled([]byte("text")))
	if want := ctrOf(block, append([]byte{1}, make([]byte, 15)...), sum); !bytes.Equal(out[4:], want) {
		t.Errorf("the tag is %x, want %x", out[4:], want)
	}
	if _, err := aeadSeal([]any{"ccm", key, iv, []byte{}, make([]byte, 1<<16), 16.0}); err == nil {
		t.Error("a text of 64 KB is taken")
	}
}
