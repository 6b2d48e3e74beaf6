package web

//lint:file-ignore ST1005 programs read these texts as node's

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"math/bits"

	"golang.org/x/net/idna"
)

// nodeOps are the ops of the scripts in node/.
func nodeOps() map[string]pureOp {
	return map[string]pureOp{
		"domainToUnicode": func(args []any) (any, error) {
			text, err := idna.Punycode.ToUnicode(args[0].(string))
			if err != nil {
				return args[0], nil
			}
			return text, nil
		},
		"nodePBKDF2": nodePBKDF2,
		"nodeHKDF":   nodeHKDF,
		"nodeScrypt": nodeScrypt,
		"crc32": func(args []any) (any, error) {
			return float64(crc32.Update(uint32(args[1].(float64)), crc32.IEEETable, args[0].([]byte))), nil
		},
	}
}

// nodePBKDF2 takes (digest, password, salt, iterations, length).
func nodePBKDF2(args []any) (any, error) {
	newHash, err := nodeDigest(args[0])
	if err != nil {
		return nil, err
	}
	return pbkdf2.Key(newHash, string(args[1].([]byte)), args[2].([]byte), int(args[3].(float64)), int(args[4].(float64)))
}

// nodeHKDF takes (digest, key, salt, info, length).
func nodeHKDF(args []any) (any, error) {
	newHash, err := nodeDigest(args[0])
	if err != nil {
		return nil, err
	}
	return hkdf.Key(newHash, args[1].([]byte), args[2].([]byte), string(args[3].([]byte)), int(args[4].(float64)))
}

// nodeScrypt takes (password, salt, N, r, p, length), as RFC 7914 has them; the script has checked their sizes.
func nodeScrypt(args []any) (any, error) {
	password := string(args[0].([]byte))
	n, r, p := int(args[2].(float64)), int(args[3].(float64)), int(args[4].(float64))
	derived, err := pbkdf2.Key(sha256.New, password, args[1].([]byte), 1, p*128*r)
	if err != nil {
		return nil, err
	}
	for i := range p {
		scryptMix(derived[i*128*r:(i+1)*128*r], r, n)
	}
	return pbkdf2.Key(sha256.New, password, derived, 1, int(args[5].(float64)))
}

// scryptMix is ROMix of RFC 7914.
func scryptMix(b []byte, r, n int) {
	words := 32 * r
	x, y := make([]uint32, words), make([]uint32, words)
	for i := range x {
		x[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	v := make([]uint32, words*n)
	for i := range n {
		copy(v[i*words:], x)
		scryptBlocks(x, y, r)
	}
	for range n {
		j := int(x[words-16]) & (n - 1)
		for k := range x {
			x[k] ^= v[j*words+k]
		}
		scryptBlocks(x, y, r)
	}
	for i := range x {
		binary.LittleEndian.PutUint32(b[4*i:], x[i])
	}
}

// scryptBlocks is BlockMix of RFC 7914, in place, with y as scratch.
func scryptBlocks(x, y []uint32, r int) {
	var t [16]uint32
	copy(t[:], x[(2*r-1)*16:])
	for i := range 2 * r {
		for k := range t {
			t[k] ^= x[i*16+k]
		}
		salsa8(&t)
		copy(y[(i/2+i%2*r)*16:], t[:])
	}
	copy(x, y)
}

// salsa8 is the Salsa20/8 core.
func salsa8(t *[16]uint32) {
	x := *t
	quarter := func(a, b, c, d int) {
		x[b] ^= bits.RotateLeft32(x[a]+x[d], 7)
		x[c] ^= bits.RotateLeft32(x[b]+x[a], 9)
		x[d] ^= bits.RotateLeft32(x[c]+x[b], 13)
		x[a] ^= bits.RotateLeft32(x[d]+x[c], 18)
	}
	for range 4 {
		quarter(0, 4, 8, 12)
		quarter(5, 9, 13, 1)
		quarter(10, 14, 2, 6)
		quarter(15, 3, 7, 11)
		quarter(0, 1, 2, 3)
		quarter(5, 6, 7, 4)
		quarter(10, 11, 8, 9)
		quarter(15, 12, 13, 14)
	}
	for i := range t {
		t[i] += x[i]
	}
}
