package web

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// inParts runs a cipher over a text in parts of random lengths.
func inParts(t *testing.T, random *rand.Rand, name, mode string, encrypt bool, key, iv, extra, text, tag []byte, padding bool) (out []byte, final []byte, err error) {
	t.Helper()
	state, err := cipherBegin([]any{name, mode, key, iv})
	if err == nil && extra != nil {
		half := random.IntN(len(extra) + 1)
		for _, part := range [][]byte{extra[:half], extra[half:]} {
			if state, err = cipherExtra([]any{name, key, state, part}); err != nil {
				break
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for first := true; first || len(text) > 0; first = false {
		n := random.IntN(min(50, len(text)) + 1)
		got, err := cipherUpdate([]any{name, mode, encrypt, key, state, bytes.Clone(text[:n]), padding})
		if err != nil {
			t.Fatal(err)
		}
		data := got.([]byte)
		length := 2 + int(data[0])<<8 + int(data[1])
		state, out, text = data[2:length], append(out, data[length:]...), text[n:]
	}
	last, err := cipherFinal([]any{name, mode, encrypt, key, state, padding, tag})
	if err != nil {
		return out, nil, err
	}
	return out, last.([]byte), nil
}

func randomBytes(random *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(random.Uint32())
	}
	return out
}

// TestGCMInPartsIsGCM compares what parts of random lengths give with the library's Seal, with initialization vectors of
// any length: those of other than 12 bytes make a counter that may wrap.
func TestGCMInPartsIsGCM(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		key, iv := randomBytes(random, 16+8*random.IntN(3)), randomBytes(random, 1+random.IntN(40))
		if random.IntN(2) == 0 {
			iv = iv[:min(12, len(iv))]
		}
		extra, text := randomBytes(random, random.IntN(70)), randomBytes(random, random.IntN(200))
		block, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		aead, err := cipher.NewGCMWithNonceSize(block, len(iv))
		if err != nil {
			t.Fatal(err)
		}
		want := aead.Seal(nil, iv, text, extra)
		out, tag, err := inParts(t, random, "aes", "gcm", true, key, iv, extra, text, nil, true)
		if got := append(bytes.Clone(out), tag...); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("key %x iv %x extra %x text %x: %x, %v, want %x", key, iv, extra, text, got, err, want)
		}
		if back, _, err := inParts(t, random, "aes", "gcm", false, key, iv, extra, out, tag[:4+random.IntN(13)], true); err != nil || !bytes.Equal(back, text) {
			t.Fatalf("decrypted: %x, %v, want %x", back, err, text)
		}
		tag[random.IntN(16)] ^= 1
		if _, _, err := inParts(t, random, "aes", "gcm", false, key, iv, extra, out, tag, true); err == nil {
			t.Fatal("a wrong tag is taken")
		}
	}
}

// TestGCMCounterWraps has the counter of 32 bits begin before its end.
func TestGCMCounterWraps(t *testing.T) {
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	s := &cipherState{chain: bytes.Repeat([]byte{0xff}, 16)}
	s.chain[15] = 0xfd
	out := make([]byte, 64)
	s.gcmCounter(block, out, make([]byte, 64))
	for i, last := range []byte{0xfe, 0xff, 0, 1} {
		counter, want := bytes.Repeat([]byte{0xff}, 16), make([]byte, 16)
		if counter[15] = last; last < 2 {
			copy(counter[12:], []byte{0, 0, 0, last})
		}
		block.Encrypt(want, counter)
		if !bytes.Equal(out[16*i:16*i+16], want) {
			t.Errorf("block %d is %x, want %x", i, out[16*i:16*i+16], want)
		}
	}
}

// TestCiphersInParts has what node 20 and the reference give for one text.
func TestCiphersInParts(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	sevens := bytes.Repeat([]byte{7}, 32)
	threes := bytes.Repeat([]byte{3}, 16)
	for _, test := range []struct {
		name, mode string
		key, iv    int
		text, want string
	}{
		{"des-ede3", "cbc", 24, 8, "hello world, hello world", "9528205749382c5b449d05e100b9777fdc363a8bb9bee2125878c4fd595704f8"},
		{"des", "cbc", 8, 8, "hello world, hello world", "9528205749382c5b449d05e100b9777fdc363a8bb9bee2125878c4fd595704f8"},
		{"des", "ecb", 8, 0, "hello world, hello world", "109ba51b17592a206bc1ce772926f74fafb174583a6836c8dc48670857944ad0"},
		{"des-ede", "ecb", 16, 0, "hello world, hello world", "109ba51b17592a206bc1ce772926f74fafb174583a6836c8dc48670857944ad0"},
		{"des-ede", "cbc", 16, 8, "hello world, hello world", "9528205749382c5b449d05e100b9777fdc363a8bb9bee2125878c4fd595704f8"},
		{"", "stream", 5, 0, "hello", "e2ed44846c"},
		{"", "stream", 16, 0, "hello", "e2ed44846c"},
		{"aes", "ofb", 16, 16, "hello", "e899f3032c"},
	} {
		out, final, err := inParts(t, random, test.name, test.mode, true, sevens[:test.key], threes[:test.iv], nil, []byte(test.text), nil, true)
		if got := hex.EncodeToString(append(out, final...)); err != nil || got != test.want {
			t.Errorf("%s %s: %s, %v, want %s", test.name, test.mode, got, err, test.want)
			continue
		}
		data, _ := hex.DecodeString(test.want)
		out, final, err = inParts(t, random, test.name, test.mode, false, sevens[:test.key], threes[:test.iv], nil, data, nil, true)
		if got := string(append(out, final...)); err != nil || got != test.text {
			t.Errorf("%s %s back: %q, %v", test.name, test.mode, got, err)
		}
	}
}
