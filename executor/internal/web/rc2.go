package web

//lint:file-ignore ST1005 programs read these texts as node's

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/bits"
)

// rc2 is the block cipher of RFC 2268, which old files of keys are encrypted with, at 128 effective bits.
type rc2 [64]uint16

const (
	rc2Block = 8
	// rc2Bytes is how many bytes of a key count, rc2Effective how many of them its strength comes down to.
	rc2Bytes     = 128
	rc2Effective = 16
)

// rc2Pi is the RFC's permutation of bytes, which comes of the digits of π.
var rc2Pi = func() []byte {
	table, err := hex.DecodeString("d978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2" +
		"179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82" +
		"54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626" +
		"6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7" +
		"08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec" +
		"c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731" +
		"2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9" +
		"0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad")
	if err != nil {
		panic("web: RC2's table: " + err.Error()) // it is part of the program
	}
	return table
}()

// newRC2 has the cipher of a key of any length but none, of which the first 128 bytes count.
func newRC2(key []byte) (*rc2, error) {
	if len(key) == 0 {
		return nil, errors.New("Invalid key length")
	}
	var l [rc2Bytes]byte
	n := copy(l[:], key)
	for i := n; i < len(l); i++ {
		l[i] = rc2Pi[l[i-1]+l[i-n]]
	}
	const from = rc2Bytes - rc2Effective
	l[from] = rc2Pi[l[from]]
	for i := from - 1; i >= 0; i-- {
		l[i] = rc2Pi[l[i+1]^l[i+rc2Effective]]
	}
	var c rc2
	for i := range c {
		c[i] = binary.LittleEndian.Uint16(l[2*i:])
	}
	return &c, nil
}

func (c *rc2) BlockSize() int { return rc2Block }

// rc2Turns is how far each word turns in a round of mixing, and rc2Mashing the rounds after which the words are mashed.
var rc2Turns = [4]int{1, 2, 3, 5}

func rc2Mashing(round int) bool { return round == 4 || round == 10 }

func rc2Words(block []byte) (r [4]uint16) {
	for i := range r {
		r[i] = binary.LittleEndian.Uint16(block[2*i:])
	}
	return r
}

func rc2Put(block []byte, r [4]uint16) {
	for i, word := range r {
		binary.LittleEndian.PutUint16(block[2*i:], word)
	}
}

func (c *rc2) Encrypt(dst, src []byte) {
	r := rc2Words(src)
	for round := range 16 {
		for i := range r {
			before, second, third := r[(i+3)%4], r[(i+2)%4], r[(i+1)%4]
			r[i] = bits.RotateLeft16(r[i]+c[4*round+i]+before&second+^before&third, rc2Turns[i])
		}
		for i := 0; i < 4 && rc2Mashing(round); i++ {
			r[i] += c[r[(i+3)%4]&63]
		}
	}
	rc2Put(dst, r)
}

func (c *rc2) Decrypt(dst, src []byte) {
	r := rc2Words(src)
	for round := 15; round >= 0; round-- {
		for i := 3; i >= 0 && rc2Mashing(round); i-- {
			r[i] -= c[r[(i+3)%4]&63]
		}
		for i := 3; i >= 0; i-- {
			before, second, third := r[(i+3)%4], r[(i+2)%4], r[(i+1)%4]
			r[i] = bits.RotateLeft16(r[i], -rc2Turns[i]) - c[4*round+i] - before&second - ^before&third
		}
	}
	rc2Put(dst, r)
}
