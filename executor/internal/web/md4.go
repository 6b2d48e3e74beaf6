package web

import (
	"encoding/binary"
	"errors"
	"hash"
	"math/bits"
)

// md4 is the digest of RFC 1320, which is broken and which old protocols (NTLM) are still made of. It is here since what
// has been hashed so far must become bytes, which golang.org/x/crypto/md4 does not have.
type md4 struct {
	state [4]uint32
	rest  []byte
	size  uint64
}

const md4Block = 64

func newMD4() hash.Hash {
	h := &md4{}
	h.Reset()
	return h
}

func (h *md4) Reset()         { *h = md4{state: [4]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}} }
func (h *md4) Size() int      { return 16 }
func (h *md4) BlockSize() int { return md4Block }

func (h *md4) Write(p []byte) (int, error) {
	h.size += uint64(len(p))
	data := p
	if len(h.rest) > 0 {
		data = append(h.rest, p...)
	}
	for ; len(data) >= md4Block; data = data[md4Block:] {
		h.block(data)
	}
	h.rest = append([]byte{}, data...)
	return len(p), nil
}

func (h *md4) Sum(b []byte) []byte {
	end := *h
	padding := make([]byte, 1+(md4Block+55-h.size%md4Block)%md4Block)
	padding[0] = 0x80
	end.Write(binary.LittleEndian.AppendUint64(padding, 8*h.size))
	for _, word := range end.state {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return b
}

// md4Rounds has of each of the three rounds the constant, the turns of four steps, and which word each step takes.
var md4Rounds = [3]struct {
	constant uint32
	turns    [4]int
	word     func(step int) int
	mix      func(x, y, z uint32) uint32
}{
	{0, [4]int{3, 7, 11, 19}, func(i int) int { return i }, func(x, y, z uint32) uint32 { return x&y | ^x&z }},
	{0x5a827999, [4]int{3, 5, 9, 13}, func(i int) int { return i%4*4 + i/4 }, func(x, y, z uint32) uint32 { return x&y | x&z | y&z }},
	{0x6ed9eba1, [4]int{3, 9, 11, 15}, func(i int) int { return int(bits.Reverse8(uint8(i)) >> 4) }, func(x, y, z uint32) uint32 { return x ^ y ^ z }},
}

func (h *md4) block(data []byte) {
	a, b, c, d := h.state[0], h.state[1], h.state[2], h.state[3]
	for _, round := range md4Rounds {
		for i := range 16 {
			sum := a + round.mix(b, c, d) + binary.LittleEndian.Uint32(data[4*round.word(i):]) + round.constant
			a, b, c, d = d, bits.RotateLeft32(sum, round.turns[i%4]), b, c
		}
	}
	h.state[0] += a
	h.state[1] += b
	h.state[2] += c
	h.state[3] += d
}

// MarshalBinary is the state, the size and the rest of a block.
func (h *md4) MarshalBinary() ([]byte, error) {
	var out []byte
	for _, word := range h.state {
		out = binary.LittleEndian.AppendUint32(out, word)
	}
	return append(binary.LittleEndian.AppendUint64(out, h.size), h.rest...), nil
}

func (h *md4) UnmarshalBinary(data []byte) error {
	if len(data) < 24 || uint64(len(data)-24) != binary.LittleEndian.Uint64(data[16:])%md4Block {
		return errors.New("no state of this digest")
	}
	for i := range h.state {
		h.state[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	h.size, h.rest = binary.LittleEndian.Uint64(data[16:]), append([]byte{}, data[24:]...)
	return nil
}
