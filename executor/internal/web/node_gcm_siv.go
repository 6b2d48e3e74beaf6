package web

//lint:file-ignore ST1005 programs read these texts as node's

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"slices"
)

// AES-GCM-SIV of RFC 8452: a vector that is used twice tells no more than that a text was. The counter begins at the
// tag, so the tag is that of the text.

// gcmSIVKeys are what a key and a vector come to: the key of POLYVAL, and the cipher of the text.
func gcmSIVKeys(t aeadText) (hash *ghash, block cipher.Block, err error) {
	outer, err := aes.NewCipher(t.key)
	if err != nil {
		return nil, nil, err
	}
	if len(t.iv) != 12 {
		return nil, nil, errors.New("Invalid initialization vector")
	}
	var derived []byte
	for i := range uint32(2 + len(t.key)/8) {
		part := append(binary.LittleEndian.AppendUint32(nil, i), t.iv...)
		outer.Encrypt(part, part)
		derived = append(derived, part[:8]...)
	}
	block, err = aes.NewCipher(derived[16:])
	if err != nil {
		return nil, nil, err
	}
	return ghashOf(elementOf(backwards(derived[:16])).timesX()), block, nil
}

func backwards(block []byte) []byte {
	block = slices.Clone(block)
	slices.Reverse(block)
	return block
}

// polyval takes whole blocks. It is GHASH with the bytes of each block the other way round.
func polyval(hash *ghash, parts ...[]byte) []byte {
	var y element
	for _, part := range parts {
		for ; len(part) > 0; part = part[16:] {
			x := elementOf(backwards(part[:16]))
			y = hash.times(element{y.high ^ x.high, y.low ^ x.low})
		}
	}
	return backwards(y.bytes())
}

func gcmSIVTag(hash *ghash, block cipher.Block, t aeadText, text []byte) []byte {
	lengths := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 8*uint64(len(t.extra))), 8*uint64(len(text)))
	tag := polyval(hash, zeroFilled(t.extra), zeroFilled(text), lengths)
	for i, b := range t.iv {
		tag[i] ^= b
	}
	tag[15] &= 0x7f
	block.Encrypt(tag, tag)
	return tag
}

// gcmSIVText is ctr with a counter of 32 bits at the beginning of the block, its lowest byte first.
func gcmSIVText(block cipher.Block, tag, data []byte) []byte {
	counter := slices.Clone(tag)
	counter[15] |= 0x80
	out, stream := slices.Clone(data), make([]byte, 16)
	for rest := out; len(rest) > 0; rest = rest[min(16, len(rest)):] {
		block.Encrypt(stream, counter)
		for i := range min(16, len(rest)) {
			rest[i] ^= stream[i]
		}
		binary.LittleEndian.PutUint32(counter, binary.LittleEndian.Uint32(counter)+1)
	}
	return out
}

func gcmSIVSeal(t aeadText, text []byte) (out, tag []byte, err error) {
	hash, block, err := gcmSIVKeys(t)
	if err != nil {
		return nil, nil, err
	}
	tag = gcmSIVTag(hash, block, t, text)
	return gcmSIVText(block, tag, text), tag, nil
}

func gcmSIVOpen(t aeadText, data, given []byte) (text, tag []byte, err error) {
	hash, block, err := gcmSIVKeys(t)
	if err != nil || len(given) != 16 {
		return nil, nil, err
	}
	text = gcmSIVText(block, given, data)
	return text, gcmSIVTag(hash, block, t, text), nil
}

// gcmText is GCM of a whole text.
func gcmText(t aeadText, encrypt bool, data []byte) (out, tag []byte, err error) {
	block, err := aes.NewCipher(t.key)
	if err != nil {
		return nil, nil, err
	}
	s := beginGCM(block, t.iv)
	s.extra = uint64(len(t.extra))
	newGHASH(block).absorb(s, t.extra)
	out = s.gcm(block, encrypt, data)
	return out, s.tag(block), nil
}
