package web

import (
	"crypto/md5"
	"crypto/sha1"
	"encoding"
	"errors"
	"hash"
)

// hashOps are the ops of hashing.js. What has been hashed so far is a list of bytes, which the script keeps.
func hashOps() map[string]pureOp {
	return map[string]pureOp{"hashUpdate": hashUpdate, "hashDigest": hashDigest, "hmacBegin": hmacBegin, "hmacDigest": hmacDigest}
}

// nodeDigest is the hash function of a name as OpenSSL has it.
func nodeDigest(name any) (func() hash.Hash, error) {
	if digest, ok := digests[name.(string)]; ok {
		return digest.make, nil
	}
	return nil, errors.New("Digest method not supported") //lint:ignore ST1005 programs read this text as node's
}

// resumed is the hash at a state, which is nil at the beginning.
func resumed(name, state any) (hash.Hash, error) {
	newHash, err := nodeDigest(name)
	if err != nil {
		return nil, err
	}
	h := newHash()
	if state, ok := state.([]byte); ok {
		err = h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
	}
	return h, err
}

// hashUpdate takes (digest, state, data) and returns the state after the data.
func hashUpdate(args []any) (any, error) {
	h, err := resumed(args[0], args[1])
	if err != nil {
		return nil, err
	}
	h.Write(args[2].([]byte))
	return h.(encoding.BinaryMarshaler).MarshalBinary()
}

// hashDigest takes (digest, state, data) and returns the digest of everything.
func hashDigest(args []any) (any, error) {
	h, err := resumed(args[0], args[1])
	if err != nil {
		return nil, err
	}
	h.Write(args[2].([]byte))
	return h.Sum(nil), nil
}

// hmacBegin takes (digest, key) and returns the state of the digest that an HMAC begins with.
func hmacBegin(args []any) (any, error) {
	newHash, err := nodeDigest(args[0])
	if err != nil {
		return nil, err
	}
	h := newHash()
	h.Write(hmacBlock(newHash, args[1].([]byte), 0x36))
	return h.(encoding.BinaryMarshaler).MarshalBinary()
}

// hmacDigest takes (digest, key, state, data) and returns the HMAC of everything.
func hmacDigest(args []any) (any, error) {
	inner, err := hashDigest([]any{args[0], args[2], args[3]})
	if err != nil {
		return nil, err
	}
	newHash, err := nodeDigest(args[0])
	if err != nil {
		return nil, err
	}
	h := newHash()
	h.Write(hmacBlock(newHash, args[1].([]byte), 0x5c))
	h.Write(inner.([]byte))
	return h.Sum(nil), nil
}

// hmacBlock is the block of RFC 2104 that the key makes.
func hmacBlock(newHash func() hash.Hash, key []byte, pad byte) []byte {
	h := newHash()
	block := make([]byte, h.BlockSize())
	if len(key) > len(block) {
		h.Write(key)
		key = h.Sum(nil)
	}
	copy(block, key)
	for i := range block {
		block[i] ^= pad
	}
	return block
}

// md5sha1 is the digest of old TLS: MD5's and SHA-1's, one after the other.
type md5sha1 struct{ md5, sha1 hash.Hash }

func newMD5SHA1() hash.Hash { return &md5sha1{md5.New(), sha1.New()} }

func (h *md5sha1) Write(p []byte) (int, error) {
	h.md5.Write(p)
	return h.sha1.Write(p)
}
func (h *md5sha1) Sum(b []byte) []byte { return h.sha1.Sum(h.md5.Sum(b)) }
func (h *md5sha1) Size() int           { return h.md5.Size() + h.sha1.Size() }
func (h *md5sha1) BlockSize() int      { return h.md5.BlockSize() }
func (h *md5sha1) Reset() {
	h.md5.Reset()
	h.sha1.Reset()
}

func (h *md5sha1) MarshalBinary() ([]byte, error) {
	first, err := h.md5.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil, err
	}
	second, err := h.sha1.(encoding.BinaryMarshaler).MarshalBinary()
	return append(append([]byte{byte(len(first))}, first...), second...), err
}

func (h *md5sha1) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || len(data) <= int(data[0]) {
		return errors.New("no state of this digest")
	}
	first, second := data[1:1+data[0]], data[1+data[0]:]
	return errors.Join(h.md5.(encoding.BinaryUnmarshaler).UnmarshalBinary(first), h.sha1.(encoding.BinaryUnmarshaler).UnmarshalBinary(second))
}
