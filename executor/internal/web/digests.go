package web

import (
	"crypto"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"strings"
)

// digest is a hash function, and the name that signatures have for it.
type digest struct {
	make func() hash.Hash
	id   crypto.Hash
}

// digests are the hash functions by OpenSSL's names in lower case.
var digests = map[string]digest{
	"md4":        {newMD4, crypto.MD4},
	"md5":        {md5.New, crypto.MD5},
	"sha1":       {sha1.New, crypto.SHA1},
	"sha224":     {sha256.New224, crypto.SHA224},
	"sha256":     {sha256.New, crypto.SHA256},
	"sha384":     {sha512.New384, crypto.SHA384},
	"sha512":     {sha512.New, crypto.SHA512},
	"md5-sha1":   {newMD5SHA1, crypto.MD5SHA1},
	"sha512-224": {sha512.New512_224, crypto.SHA512_224},
	"sha512-256": {sha512.New512_256, crypto.SHA512_256},
}

// opensslName is Web Cryptography's name of a hash function, such as SHA-256, as OpenSSL has it.
func opensslName(name string) string {
	return strings.Replace(strings.ToLower(name), "sha-", "sha", 1)
}
