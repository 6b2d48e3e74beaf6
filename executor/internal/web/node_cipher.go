package web

//lint:file-ignore ST1005 programs read these texts as node's

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// cipherOps are the ops of node/crypto_cipher.js. What a cipher is at is a list of bytes, which the script keeps: a
// cipherState, or of rc4 its permutation.
func cipherOps() map[string]pureOp {
	return map[string]pureOp{"cipherBegin": cipherBegin, "cipherExtra": cipherExtra, "cipherUpdate": cipherUpdate, "cipherFinal": cipherFinal}
}

// cipherState is what a cipher is at.
type cipherState struct {
	// chain is the block before, of cbc; the next counter, of ctr; the last block of key stream, of ofb; the first counter,
	// of gcm.
	chain []byte
	// rest is input that does not fill a block, and in gcm the text's.
	rest []byte
	// sum is what gcm has authenticated.
	sum []byte
	// extra is the length of what is authenticated and not encrypted, done that of what was encrypted.
	extra, done uint64
}

// The state in bytes: the lengths, then a byte of length and that many bytes of chain, of rest and of sum.
func (s *cipherState) bytes() []byte {
	out := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.extra), s.done)
	for _, part := range [][]byte{s.chain, s.rest, s.sum} {
		out = append(append(out, byte(len(part))), part...)
	}
	return out
}

func stateOfCipher(data []byte) *cipherState {
	s := &cipherState{extra: binary.BigEndian.Uint64(data), done: binary.BigEndian.Uint64(data[8:])}
	data = data[16:]
	for _, part := range []*[]byte{&s.chain, &s.rest, &s.sum} {
		length := 1 + int(data[0])
		*part = slices.Clone(data[1:length])
		data = data[length:]
	}
	return s
}

// blockCipherOf is the block cipher of a name.
func blockCipherOf(name string, key []byte) (cipher.Block, error) {
	switch name {
	case "aes":
		return aes.NewCipher(key)
	case "des":
		return des.NewCipher(key)
	case "des-ede":
		if len(key) != 16 {
			return nil, errors.New("Invalid key length")
		}
		return des.NewTripleDESCipher(append(slices.Clone(key), key[:8]...))
	case "des-ede3":
		return des.NewTripleDESCipher(key)
	case "rc2":
		return newRC2(key)
	}
	return nil, fmt.Errorf("no block cipher %q", name)
}

// cipherBegin takes (cipher, mode, key, initialization vector) and returns a state; it fails where the key or the vector
// does not fit.
func cipherBegin(args []any) (any, error) {
	name, mode, key, iv := args[0].(string), args[1].(string), args[2].([]byte), args[3].([]byte)
	if mode == "stream" {
		return newRC4(key, iv)
	}
	block, err := blockCipherOf(name, key)
	if err != nil {
		return nil, errors.New("Invalid key length")
	}
	wanted := block.BlockSize()
	if mode == "ecb" {
		wanted = 0
	}
	switch {
	case mode == "gcm" && len(iv) > 0:
		return beginGCM(block, iv).bytes(), nil
	case mode == "gcm" || len(iv) != wanted:
		return nil, errors.New("Invalid initialization vector")
	}
	return (&cipherState{chain: iv}).bytes(), nil
}

// cipherExtra takes (cipher, key, state, data) and returns the state of a gcm cipher that authenticates the data, too.
func cipherExtra(args []any) (any, error) {
	block, err := blockCipherOf(args[0].(string), args[1].([]byte))
	if err != nil {
		return nil, err
	}
	s, data := stateOfCipher(args[2].([]byte)), args[3].([]byte)
	if s.done > 0 {
		return nil, errors.New("Invalid state for operation setAAD")
	}
	s.extra += uint64(len(data))
	newGHASH(block).absorb(s, data)
	return s.bytes(), nil
}

// cipherUpdate takes (cipher, mode, encrypt, key, state, data, padding) and returns the next state, with its length in
// two bytes before it, and after it what comes out.
func cipherUpdate(args []any) (any, error) {
	name, mode, encrypt := args[0].(string), args[1].(string), args[2] == true
	key, state, data := args[3].([]byte), args[4].([]byte), args[5].([]byte)
	var out []byte
	if mode == "stream" {
		state, out = rc4(state, data)
		return withState(state, out), nil
	}
	block, err := blockCipherOf(name, key)
	if err != nil {
		return nil, err
	}
	s := stateOfCipher(state)
	switch mode {
	case "ctr":
		out = s.counter(block, data)
	case "ofb":
		out = s.feedback(block, data)
	case "gcm":
		out = s.gcm(block, encrypt, data)
	default:
		out = s.blocks(block, mode, encrypt, data, !encrypt && args[6] == true)
	}
	return withState(s.bytes(), out), nil
}

func withState(state, out []byte) []byte {
	return append(append(binary.BigEndian.AppendUint16(nil, uint16(len(state))), state...), out...)
}

// cipherFinal takes (cipher, mode, encrypt, key, state, padding, tag) and returns what is left to come out, of an
// encrypting gcm its tag.
func cipherFinal(args []any) (any, error) {
	name, mode, encrypt := args[0].(string), args[1].(string), args[2] == true
	if mode == "stream" {
		return []byte{}, nil
	}
	block, err := blockCipherOf(name, args[3].([]byte))
	if err != nil {
		return nil, err
	}
	s := stateOfCipher(args[4].([]byte))
	padding := args[5] == true
	switch {
	case mode == "ctr" || mode == "ofb":
		return []byte{}, nil
	case mode == "gcm":
		tag := s.tag(block)
		if encrypt {
			return tag, nil
		}
		given, _ := args[6].([]byte)
		if len(given) == 0 || len(given) > len(tag) || subtle.ConstantTimeCompare(given, tag[:len(given)]) != 1 {
			return nil, errors.New("Unsupported state or unable to authenticate data")
		}
		return []byte{}, nil
	}
	return s.lastBlock(block, mode, encrypt, padding)
}

// lastBlock ends cbc and ecb.
func (s *cipherState) lastBlock(block cipher.Block, mode string, encrypt, padding bool) ([]byte, error) {
	size := block.BlockSize()
	switch {
	case !padding && len(s.rest) == 0:
		return []byte{}, nil
	case !padding || !encrypt && len(s.rest) != size:
		return nil, errors.New("wrong final block length")
	case encrypt:
		n := size - len(s.rest)
		return s.crypt(block, mode, true, append(s.rest, slices.Repeat([]byte{byte(n)}, n)...)), nil
	}
	return unpad(s.crypt(block, mode, false, s.rest))
}

// cbc is cbc of a whole text, with padding.
func cbc(block cipher.Block, encrypt bool, iv, data []byte) ([]byte, error) {
	s := &cipherState{chain: iv}
	out := s.blocks(block, "cbc", encrypt, data, !encrypt)
	last, err := s.lastBlock(block, "cbc", encrypt, true)
	return append(out, last...), err
}

// blocks is cbc and ecb. With keep the last block stays, since it may hold padding.
func (s *cipherState) blocks(block cipher.Block, mode string, encrypt bool, data []byte, keep bool) []byte {
	data = append(s.rest, data...)
	size := block.BlockSize()
	whole := len(data) / size * size
	if keep && whole == len(data) && whole > 0 {
		whole -= size
	}
	s.rest = slices.Clone(data[whole:])
	return s.crypt(block, mode, encrypt, data[:whole])
}

// crypt takes whole blocks.
func (s *cipherState) crypt(block cipher.Block, mode string, encrypt bool, data []byte) []byte {
	out, size := make([]byte, len(data)), block.BlockSize()
	switch {
	case len(data) == 0:
	case mode == "cbc" && encrypt:
		cipher.NewCBCEncrypter(block, s.chain).CryptBlocks(out, data)
		s.chain = out[len(out)-size:]
	case mode == "cbc":
		cipher.NewCBCDecrypter(block, s.chain).CryptBlocks(out, data)
		s.chain = data[len(data)-size:]
	default:
		for i := 0; i < len(data); i += size {
			if encrypt {
				block.Encrypt(out[i:], data[i:])
			} else {
				block.Decrypt(out[i:], data[i:])
			}
		}
	}
	return out
}

func unpad(data []byte) ([]byte, error) {
	n := int(data[len(data)-1])
	if n == 0 || n > len(data) {
		return nil, errors.New("bad decrypt")
	}
	for _, b := range data[len(data)-n:] {
		if int(b) != n {
			return nil, errors.New("bad decrypt")
		}
	}
	return data[:len(data)-n], nil
}

// counter is ctr.
func (s *cipherState) counter(block cipher.Block, data []byte) []byte {
	size := block.BlockSize()
	used := int(s.done % uint64(size))
	stream := cipher.NewCTR(block, s.chain)
	stream.XORKeyStream(make([]byte, used), make([]byte, used))
	out := make([]byte, len(data))
	stream.XORKeyStream(out, data)
	s.done += uint64(len(data))
	for range (used + len(data)) / size {
		increment(s.chain)
	}
	return out
}

// increment adds one to a big-endian number.
func increment(counter []byte) {
	for i := len(counter) - 1; i >= 0; i-- {
		if counter[i]++; counter[i] != 0 {
			return
		}
	}
}

// feedback is ofb.
func (s *cipherState) feedback(block cipher.Block, data []byte) []byte {
	size := uint64(block.BlockSize())
	out := make([]byte, len(data))
	for i, b := range data {
		if s.done%size == 0 {
			block.Encrypt(s.chain, s.chain)
		}
		out[i] = b ^ s.chain[s.done%size]
		s.done++
	}
	return out
}

// newRC4 is the state of RC4 with a key: its permutation and two indices.
func newRC4(key, iv []byte) ([]byte, error) {
	switch {
	case len(iv) > 0:
		return nil, errors.New("Invalid initialization vector")
	case len(key) == 0 || len(key) > 256:
		return nil, errors.New("Invalid key length")
	}
	state := make([]byte, 258)
	for i := range 256 {
		state[i] = byte(i)
	}
	var j byte
	for i := range 256 {
		j += state[i] + key[i%len(key)]
		state[i], state[j] = state[j], state[i]
	}
	return state, nil
}

func rc4(state, data []byte) (next, out []byte) {
	s, out := slices.Clone(state), make([]byte, len(data))
	i, j := s[256], s[257]
	for n, b := range data {
		i++
		j += s[i]
		s[i], s[j] = s[j], s[i]
		out[n] = b ^ s[s[i]+s[j]]
	}
	s[256], s[257] = i, j
	return s, out
}
