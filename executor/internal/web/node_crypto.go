package web

//lint:file-ignore ST1005 programs read these texts as node's

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"hash"
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
		"nodeHash":   nodeHash,
		"nodeHMAC":   nodeHMAC,
		"nodeCipher": nodeCipher,
		"nodePBKDF2": nodePBKDF2,
		"nodeHKDF":   nodeHKDF,
		"nodeScrypt": nodeScrypt,
		"crc32": func(args []any) (any, error) {
			return float64(crc32.Update(uint32(args[1].(float64)), crc32.IEEETable, args[0].([]byte))), nil
		},
	}
}

func nodeDigest(name any) (func() hash.Hash, error) {
	if digest, ok := digests[name.(string)]; ok {
		return digest.make, nil
	}
	return nil, errors.New("Digest method not supported")
}

// nodeHash takes (digest, data).
func nodeHash(args []any) (any, error) {
	newHash, err := nodeDigest(args[0])
	if err != nil {
		return nil, err
	}
	h := newHash()
	h.Write(args[1].([]byte))
	return h.Sum(nil), nil
}

// nodeHMAC takes (digest, key, data).
func nodeHMAC(args []any) (any, error) {
	newHash, err := nodeDigest(args[0])
	if err != nil {
		return nil, err
	}
	h := hmac.New(newHash, args[1].([]byte))
	h.Write(args[2].([]byte))
	return h.Sum(nil), nil
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

// nodeCipher takes (mode, encrypt, key, iv, data, additional data, tag, padding) and returns the whole output; of gcm
// encryption with the tag at its end.
func nodeCipher(args []any) (any, error) {
	mode, encrypt := args[0].(string), args[1] == true
	block, err := aes.NewCipher(args[2].([]byte))
	if err != nil {
		return nil, errors.New("Invalid key length")
	}
	iv, data := args[3].([]byte), args[4].([]byte)
	switch mode {
	case "gcm":
		aead, err := cipher.NewGCMWithNonceSize(block, len(iv))
		if err != nil {
			return nil, errors.New("Invalid initialization vector")
		}
		additional, _ := args[5].([]byte)
		if encrypt {
			return aead.Seal(nil, iv, data, additional), nil
		}
		tag, _ := args[6].([]byte)
		out, err := aead.Open(nil, iv, append(data, tag...), additional)
		if err != nil {
			return nil, errors.New("Unsupported state or unable to authenticate data")
		}
		return out, nil
	case "ctr":
		out := make([]byte, len(data))
		cipher.NewCTR(block, iv).XORKeyStream(out, data)
		return out, nil
	}
	return blockCipher(mode, encrypt, block, iv, data, args[7] == true)
}

// blockCipher is cbc and ecb, with PKCS #7 padding or none.
func blockCipher(mode string, encrypt bool, block cipher.Block, iv, data []byte, padding bool) ([]byte, error) {
	const size = aes.BlockSize
	if encrypt && padding {
		n := size - len(data)%size
		for range n {
			data = append(data, byte(n))
		}
	}
	if len(data)%size != 0 {
		return nil, errors.New("wrong final block length")
	}
	out := make([]byte, len(data))
	switch {
	case mode == "cbc" && encrypt:
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(out, data)
	case mode == "cbc":
		cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, data)
	default:
		for i := 0; i < len(data); i += size {
			if encrypt {
				block.Encrypt(out[i:], data[i:])
			} else {
				block.Decrypt(out[i:], data[i:])
			}
		}
	}
	if encrypt || !padding {
		return out, nil
	}
	return unpad(out)
}

func unpad(data []byte) ([]byte, error) {
	bad := errors.New("bad decrypt")
	if len(data) == 0 {
		return nil, bad
	}
	n := int(data[len(data)-1])
	if n == 0 || n > aes.BlockSize || n > len(data) {
		return nil, bad
	}
	for _, b := range data[len(data)-n:] {
		if subtle.ConstantTimeByteEq(b, byte(n)) != 1 {
			return nil, bad
		}
	}
	return data[:len(data)-n], nil
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
