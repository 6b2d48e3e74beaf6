package web

import (
	"crypto/cipher"
	"encoding/binary"
)

// Go's library encrypts with GCM all at once; node:crypto gives what comes out of each update. So what joins the parts is
// here: the counters, and GHASH of NIST SP 800-38D. What GHASH reads is public or the program's own, so its table need
// not hide from a clock.

// element is an element of GHASH's field, the first bit being the highest of high.
type element struct{ high, low uint64 }

func elementOf(block []byte) element {
	return element{binary.BigEndian.Uint64(block), binary.BigEndian.Uint64(block[8:])}
}

func (e element) bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, e.high), e.low)
}

// times is e times x.
func (e element) timesX() element {
	carry := -(e.low & 1)
	return element{e.high>>1 ^ 0xe1<<56&carry, e.low>>1 | e.high<<63}
}

// ghash has the multiples of the hash key by the polynomials of four bits.
type ghash [16]element

// reduction is what four bits that leave an element at its end are worth at its beginning.
var reduction = func() (table [16]uint64) {
	for i := range table {
		e := element{low: uint64(i)}
		for range 4 {
			e = e.timesX()
		}
		table[i] = e.high
	}
	return table
}()

func newGHASH(block cipher.Block) *ghash {
	key := make([]byte, 16)
	block.Encrypt(key, key)
	return ghashOf(elementOf(key))
}

func ghashOf(key element) *ghash {
	var g ghash
	g[8] = key
	for i := 4; i > 0; i /= 2 {
		g[i] = g[2*i].timesX()
	}
	for i := 2; i < 16; i *= 2 {
		for j := 1; j < i; j++ {
			g[i+j] = element{g[i].high ^ g[j].high, g[i].low ^ g[j].low}
		}
	}
	return &g
}

// times is e times the hash key.
func (g *ghash) times(e element) (product element) {
	for _, word := range [2]uint64{e.low, e.high} {
		for range 16 {
			product = element{product.high>>4 ^ reduction[product.low&15], product.low>>4 | product.high<<60}
			m := g[word&15]
			product.high ^= m.high
			product.low ^= m.low
			word >>= 4
		}
	}
	return product
}

// absorb takes more of what is authenticated.
func (g *ghash) absorb(s *cipherState, data []byte) {
	data = append(s.rest, data...)
	y := elementOf(s.sum)
	for ; len(data) >= 16; data = data[16:] {
		x := elementOf(data)
		y = g.times(element{y.high ^ x.high, y.low ^ x.low})
	}
	s.sum, s.rest = y.bytes(), append([]byte{}, data...)
}

// fill ends a part with zeros.
func (g *ghash) fill(s *cipherState) {
	if len(s.rest) > 0 {
		g.absorb(s, make([]byte, 16-len(s.rest)))
	}
}

func lengthsBlock(first, second uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, 8*first), 8*second)
}

func beginGCM(block cipher.Block, iv []byte) *cipherState {
	s := &cipherState{sum: make([]byte, 16)}
	if len(iv) == 12 {
		s.chain = append(append([]byte{}, iv...), 0, 0, 0, 1)
		return s
	}
	g := newGHASH(block)
	g.absorb(s, iv)
	g.fill(s)
	g.absorb(s, lengthsBlock(0, uint64(len(iv))))
	s.chain, s.sum = s.sum, make([]byte, 16)
	return s
}

// gcm encrypts or decrypts the next part of a text.
func (s *cipherState) gcm(block cipher.Block, encrypt bool, data []byte) []byte {
	g := newGHASH(block)
	if s.done == 0 {
		g.fill(s)
	}
	out := make([]byte, len(data))
	s.gcmCounter(block, out, data)
	s.done += uint64(len(data))
	if encrypt {
		g.absorb(s, out)
	} else {
		g.absorb(s, data)
	}
	return out
}

// gcmCounter is ctr with a counter of 32 bits that begins after the first.
func (s *cipherState) gcmCounter(block cipher.Block, out, data []byte) {
	done := s.done
	for len(data) > 0 {
		counter := append([]byte{}, s.chain...)
		at := binary.BigEndian.Uint32(counter[12:]) + 1 + uint32(done/16)
		binary.BigEndian.PutUint32(counter[12:], at)
		used := int(done % 16)
		n := int(min(uint64(len(data)), (1<<32-uint64(at))*16-uint64(used)))
		stream := cipher.NewCTR(block, counter)
		stream.XORKeyStream(make([]byte, used), make([]byte, used))
		stream.XORKeyStream(out[:n], data[:n])
		out, data, done = out[n:], data[n:], done+uint64(n)
	}
}

// tag ends the text.
func (s *cipherState) tag(block cipher.Block) []byte {
	g := newGHASH(block)
	g.fill(s)
	g.absorb(s, lengthsBlock(s.extra, s.done))
	tag := make([]byte, 16)
	block.Encrypt(tag, s.chain)
	for i := range tag {
		tag[i] ^= s.sum[i]
	}
	return tag
}
