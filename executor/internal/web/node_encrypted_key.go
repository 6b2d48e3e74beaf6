package web

//lint:file-ignore ST1005 programs read these texts as node's
//lint:file-ignore SA1019 the old encryption of PEM blocks is what node writes and reads for keys that are not PKCS #8

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"hash"
	"strings"
)

// The structures of PBES2 (RFC 8018) with PBKDF2 and AES in CBC mode, which is how PKCS #8 keys are encrypted.
type (
	encryptedKey struct {
		Algorithm pkix.AlgorithmIdentifier
		Data      []byte
	}
	pbes2 struct{ Derivation, Encryption pkix.AlgorithmIdentifier }
	kdf   struct {
		Salt       []byte
		Iterations int
		KeyLength  int                      `asn1:"optional"`
		Hash       pkix.AlgorithmIdentifier `asn1:"optional"`
	}
)

var (
	oidPBES2      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
	oidHMACSHA1   = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 7}
	oidHMACSHA256 = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 9}
)

// keyCipher is a cipher that keys are encrypted with.
type keyCipher struct {
	name string
	oid  asn1.ObjectIdentifier
	size int
	pem  x509.PEMCipher
}

var keyCiphers = []keyCipher{
	{"aes-128-cbc", asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 2}, 16, x509.PEMCipherAES128},
	{"aes-192-cbc", asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 22}, 24, x509.PEMCipherAES192},
	{"aes-256-cbc", asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 42}, 32, x509.PEMCipherAES256},
}

const (
	// keyIterations is OpenSSL's default for keys it writes.
	keyIterations = 2048
	// maxKeyIterations bounds the work that a key's text can ask for; a second or so of it.
	maxKeyIterations = 10_000_000
)

func cipherNamed(name string) (keyCipher, error) {
	for _, c := range keyCiphers {
		if c.name == strings.ToLower(name) {
			return c, nil
		}
	}
	return keyCipher{}, errors.New("Unknown cipher: " + name)
}

func encryptPKCS8(der []byte, cipherName string, passphrase []byte) ([]byte, error) {
	c, err := cipherNamed(cipherName)
	if err != nil {
		return nil, err
	}
	salt, iv := make([]byte, 16), make([]byte, aes.BlockSize)
	rand.Read(salt) // it never fails
	rand.Read(iv)
	key, err := pbkdf2.Key(sha256.New, string(passphrase), salt, keyIterations, c.size)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	data, err := cbc(block, true, iv, der)
	if err != nil {
		return nil, err
	}
	derivation, err := asn1.Marshal(kdf{Salt: salt, Iterations: keyIterations, Hash: pkix.AlgorithmIdentifier{Algorithm: oidHMACSHA256, Parameters: asn1.NullRawValue}})
	if err != nil {
		return nil, err
	}
	vector, err := asn1.Marshal(iv)
	if err != nil {
		return nil, err
	}
	parameters, err := asn1.Marshal(pbes2{
		pkix.AlgorithmIdentifier{Algorithm: oidPBKDF2, Parameters: asn1.RawValue{FullBytes: derivation}},
		pkix.AlgorithmIdentifier{Algorithm: c.oid, Parameters: asn1.RawValue{FullBytes: vector}},
	})
	if err != nil {
		return nil, err
	}
	return asn1.Marshal(encryptedKey{pkix.AlgorithmIdentifier{Algorithm: oidPBES2, Parameters: asn1.RawValue{FullBytes: parameters}}, data})
}

var errEncryptedKey = errors.New("the encrypted key cannot be read")

func decryptPKCS8(der, passphrase []byte) ([]byte, error) {
	if passphrase == nil {
		return nil, errEncryptedKey
	}
	var outer encryptedKey
	var scheme pbes2
	var derivation kdf
	var iv []byte
	if !unmarshal(der, &outer) || !outer.Algorithm.Algorithm.Equal(oidPBES2) || !unmarshal(outer.Algorithm.Parameters.FullBytes, &scheme) ||
		!scheme.Derivation.Algorithm.Equal(oidPBKDF2) || !unmarshal(scheme.Derivation.Parameters.FullBytes, &derivation) ||
		!unmarshal(scheme.Encryption.Parameters.FullBytes, &iv) || len(iv) != aes.BlockSize || len(outer.Data)%aes.BlockSize != 0 {
		return nil, errEncryptedKey
	}
	block, err := derivedCipher(scheme, derivation, passphrase)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(outer.Data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, outer.Data)
	return unpad(out)
}

func derivedCipher(scheme pbes2, derivation kdf, passphrase []byte) (cipher.Block, error) {
	var hash func() hash.Hash
	switch {
	case derivation.Hash.Algorithm == nil || derivation.Hash.Algorithm.Equal(oidHMACSHA1):
		hash = sha1.New
	case derivation.Hash.Algorithm.Equal(oidHMACSHA256):
		hash = sha256.New
	default:
		return nil, errEncryptedKey
	}
	if derivation.Iterations < 1 || derivation.Iterations > maxKeyIterations {
		return nil, errEncryptedKey
	}
	for _, c := range keyCiphers {
		if !c.oid.Equal(scheme.Encryption.Algorithm) {
			continue
		}
		key, err := pbkdf2.Key(hash, string(passphrase), derivation.Salt, derivation.Iterations, c.size)
		if err != nil {
			return nil, err
		}
		return aes.NewCipher(key)
	}
	return nil, errEncryptedKey
}

// unmarshal reads DER that has to be one value and no more.
func unmarshal(der []byte, into any) bool {
	rest, err := asn1.Unmarshal(der, into)
	return err == nil && len(rest) == 0
}

func encryptPEM(block *pem.Block, cipherName string, passphrase []byte) (*pem.Block, error) {
	c, err := cipherNamed(cipherName)
	if err != nil {
		return nil, err
	}
	return x509.EncryptPEMBlock(rand.Reader, block.Type, block.Bytes, passphrase, c.pem)
}

func decryptPEM(block *pem.Block, passphrase []byte) ([]byte, error) {
	if passphrase == nil {
		return nil, errEncryptedKey
	}
	return x509.DecryptPEMBlock(block, passphrase)
}
