package web

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"hash"
	"math/big"
)

// subtleOps are the ops of 70_subtle.js. Secret keys are their bytes, private keys PKCS #8, public keys
// SubjectPublicKeyInfo; a hash is named as Web Cryptography names it.
func subtleOps() map[string]pureOp {
	return map[string]pureOp{
		"subtleDigest": func(args []any) (any, error) {
			h := newHash(args[0].(string))()
			h.Write(args[1].([]byte))
			return h.Sum(nil), nil
		},
		"subtleHMAC": func(args []any) (any, error) {
			h := hmac.New(newHash(args[0].(string)), args[1].([]byte))
			h.Write(args[2].([]byte))
			return h.Sum(nil), nil
		},
		"subtleEqual": func(args []any) (any, error) {
			return subtle.ConstantTimeCompare(args[0].([]byte), args[1].([]byte)) == 1, nil
		},
		"subtleAES":      subtleAES,
		"subtleDerive":   subtleDerive,
		"subtleGenerate": subtleGenerate,
		"subtlePublic":   subtlePublic,
		"subtleSign":     subtleSign,
		"subtleVerify":   subtleVerify,
		"subtleOAEP":     subtleOAEP,
		"subtleAgree":    subtleAgree,
		"subtleImport":   subtleImport,
		"subtleExport":   subtleExport,
		"subtleDescribe": subtleDescribe,
	}
}

// newHash returns the constructor of a hash that 70_subtle.js has checked.
func newHash(name string) func() hash.Hash {
	return digests[opensslName(name)].make
}

func operationError(format string, args ...any) error {
	return &OpError{"OperationError", fmt.Sprintf(format, args...)}
}

// decryptionFailed is workerd's text for whatever goes wrong in a decryption.
func decryptionFailed(in, out int, algorithm string) error {
	return operationError("Decryption failed. This could be due to a ciphertext authentication failure, bad padding, incorrect CryptoKey, or another algorithm-specific reason. Input length was %d, output length expected to be %d for %s", in, out, algorithm)
}

// subtleAES takes (algorithm, encrypt, key, iv or counter, data, additional data, tag or counter bits).
func subtleAES(args []any) (any, error) {
	algorithm, encrypt := args[0].(string), args[1] == true
	block, err := aes.NewCipher(args[2].([]byte))
	if err != nil {
		return nil, err
	}
	iv, data := args[3].([]byte), args[4].([]byte)
	switch algorithm {
	case "AES-GCM":
		additional, _ := args[5].([]byte)
		return aesGCM(block, encrypt, iv, data, additional, int(args[6].(float64)))
	case "AES-CBC":
		return aesCBC(block, encrypt, iv, data)
	case "AES-CTR":
		return aesCTR(block, iv, data, int(args[6].(float64)))
	}
	if encrypt {
		return wrapKey(block, data)
	}
	return unwrapKey(block, data)
}

func aesGCM(block cipher.Block, encrypt bool, iv, data, additional []byte, tagBits int) (any, error) {
	if len(iv) == 0 {
		return nil, operationError("AES-GCM IV must not be empty.")
	}
	// The package takes either another nonce size or another tag size; a shorter tag is the start of the full one.
	aead, err := cipher.NewGCMWithNonceSize(block, len(iv))
	if err != nil {
		return nil, err
	}
	tag := tagBits / 8
	if encrypt {
		sealed := aead.Seal(nil, iv, data, additional)
		return sealed[:len(sealed)-aead.Overhead()+tag], nil
	}
	if len(data) < tag {
		return nil, operationError("Ciphertext length of %d bits must be greater than or equal to the size of the AES-GCM tag length of %d bits.", len(data)*8, tagBits)
	}
	text, given := data[:len(data)-tag], data[len(data)-tag:]
	if tag == aead.Overhead() {
		if out, err := aead.Open(nil, iv, data, additional); err == nil {
			return out, nil
		}
		return nil, decryptionFailed(len(text), len(text), "AES-GCM")
	}
	out := gcmKeyStream(aead, iv, text)
	sealed := aead.Seal(nil, iv, out, additional)
	if subtle.ConstantTimeCompare(sealed[len(text):len(text)+tag], given) != 1 {
		return nil, decryptionFailed(len(text), len(text), "AES-GCM")
	}
	return out, nil
}

// gcmKeyStream decrypts without authenticating: the cipher text of zeros is the key stream.
func gcmKeyStream(aead cipher.AEAD, iv, text []byte) []byte {
	stream := aead.Seal(nil, iv, make([]byte, len(text)), nil)
	out := make([]byte, len(text))
	subtle.XORBytes(out, text, stream)
	return out
}

func aesCBC(block cipher.Block, encrypt bool, iv, data []byte) (any, error) {
	const size = aes.BlockSize
	if len(iv) != size {
		return nil, operationError("AES-CBC IV must be 16 bytes long (provided %d bytes).", len(iv))
	}
	if encrypt {
		padding := size - len(data)%size
		out := append([]byte(nil), data...)
		for range padding {
			out = append(out, byte(padding))
		}
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(out, out)
		return out, nil
	}
	if len(data) == 0 || len(data)%size != 0 {
		return nil, decryptionFailed(len(data), 0, "AES-CBC")
	}
	out := make([]byte, len(data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, data)
	padding := int(out[len(out)-1])
	valid := padding >= 1 && padding <= size
	for _, b := range out[len(out)-min(padding, size):] {
		valid = valid && int(b) == padding
	}
	if !valid {
		return nil, decryptionFailed(len(data), 0, "AES-CBC")
	}
	return out[:len(out)-padding], nil
}

// aesCTR encrypts with a counter of the last bits of the block, which wraps without touching the nonce.
func aesCTR(block cipher.Block, counter, data []byte, bits int) (any, error) {
	if len(counter) != aes.BlockSize || bits < 1 || bits > 128 {
		return nil, operationError("AES-CTR takes a counter of 16 bytes whose length is 1 to 128 bits.")
	}
	size := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	blocks := big.NewInt(int64((len(data) + aes.BlockSize - 1) / aes.BlockSize))
	if blocks.Cmp(size) > 0 {
		return nil, operationError("AES-CTR counter wraps onto itself: the data is too long for it.")
	}
	start := new(big.Int).SetBytes(counter)
	position := new(big.Int).Mod(start, size)
	before := new(big.Int).Mul(new(big.Int).Sub(size, position), big.NewInt(aes.BlockSize))
	out := make([]byte, len(data))
	split := len(data)
	if before.IsInt64() && before.Int64() < int64(len(data)) {
		split = int(before.Int64())
	}
	cipher.NewCTR(block, counter).XORKeyStream(out[:split], data[:split])
	if split < len(data) {
		nonce := make([]byte, aes.BlockSize)
		start.Sub(start, position).FillBytes(nonce)
		cipher.NewCTR(block, nonce).XORKeyStream(out[split:], data[split:])
	}
	return out, nil
}

// wrapIV is the initial value of RFC 3394.
const wrapIV = 0xa6a6a6a6a6a6a6a6

func wrapKey(block cipher.Block, key []byte) (any, error) {
	if len(key) < 16 || len(key)%8 != 0 {
		return nil, operationError("AES-KW can only wrap keys of a multiple of 8 bytes, at least 16.")
	}
	n := len(key) / 8
	out := append(make([]byte, 8), key...)
	var buffer [16]byte
	a := uint64(wrapIV)
	for j := range 6 {
		for i := 1; i <= n; i++ {
			binary.BigEndian.PutUint64(buffer[:], a)
			copy(buffer[8:], out[8*i:])
			block.Encrypt(buffer[:], buffer[:])
			a = binary.BigEndian.Uint64(buffer[:]) ^ uint64(n*j+i)
			copy(out[8*i:8*i+8], buffer[8:])
		}
	}
	binary.BigEndian.PutUint64(out, a)
	return out, nil
}

func unwrapKey(block cipher.Block, wrapped []byte) (any, error) {
	if len(wrapped) < 24 || len(wrapped)%8 != 0 {
		return nil, operationError("AES-KW wrapped keys are a multiple of 8 bytes, at least 24.")
	}
	n := len(wrapped)/8 - 1
	out := append([]byte(nil), wrapped[8:]...)
	var buffer [16]byte
	a := binary.BigEndian.Uint64(wrapped)
	for j := 5; j >= 0; j-- {
		for i := n; i >= 1; i-- {
			binary.BigEndian.PutUint64(buffer[:], a^uint64(n*j+i))
			copy(buffer[8:], out[8*(i-1):8*i])
			block.Decrypt(buffer[:], buffer[:])
			a = binary.BigEndian.Uint64(buffer[:])
			copy(out[8*(i-1):8*i], buffer[8:])
		}
	}
	if a != wrapIV {
		return nil, operationError("The wrapped key is not intact.")
	}
	return out, nil
}

// maxIterations is the bound that workerd sets on PBKDF2.
const maxIterations = 100_000

// subtleDerive takes (algorithm, hash, key, salt, info, iterations, bytes).
func subtleDerive(args []any) (any, error) {
	h, key, salt := newHash(args[1].(string)), args[2].([]byte), args[3].([]byte)
	length := int(args[6].(float64))
	if args[0] == "HKDF" {
		info, _ := args[4].([]byte)
		out, err := hkdf.Key(h, key, salt, string(info), length)
		if err != nil {
			return nil, operationError("HKDF failed: %v", err)
		}
		return out, nil
	}
	iterations := args[5].(float64)
	if iterations < 1 || iterations > maxIterations {
		return nil, &OpError{"NotSupportedError", fmt.Sprintf("Pbkdf2 failed: iteration counts above %d are not supported (requested %.0f).", maxIterations, iterations)}
	}
	out, err := pbkdf2.Key(h, string(key), salt, int(iterations), length)
	if err != nil {
		return nil, operationError("PBKDF2 failed: %v", err)
	}
	return out, nil
}
