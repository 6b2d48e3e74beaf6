package web

//lint:file-ignore ST1005 programs read these texts as node's
//lint:file-ignore SA1019 node has PKCS #1 v1.5 encryption, and a program may have to read what others wrote with it

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"math/big"
)

// signOps are the ops of node/crypto_sign.js.
func signOps() map[string]pureOp {
	return map[string]pureOp{
		"nodeSign":   nodeSign,
		"nodeVerify": nodeVerify,
		"nodeRSA":    nodeRSA,
	}
}

// OpenSSL's numbers of the paddings, and of the lengths of a PSS salt.
const (
	paddingPKCS1 = 1
	paddingNone  = 3
	paddingOAEP  = 4
	paddingPSS   = 6

	saltOfDigest = -1
)

// digested is the digest that a signature is over: of data, or data itself.
func digested(name any, data []byte, isDigest any) (crypto.Hash, []byte, error) {
	text, _ := name.(string)
	newHash, err := nodeDigest(text)
	if err != nil {
		return 0, nil, err
	}
	if isDigest == true {
		return digests[text].id, data, nil
	}
	h := newHash()
	h.Write(data)
	return digests[text].id, h.Sum(nil), nil
}

// nodeSign takes (digest or nil, private key, data, padding, PSS salt length, the form IEEE P1363 rather than DER,
// whether the data is its digest).
func nodeSign(args []any) (any, error) {
	key, err := parsed(true, args[1].([]byte))
	if err != nil {
		return nil, err
	}
	data := args[2].([]byte)
	if edwards, ok := key.(ed25519.PrivateKey); ok {
		if args[0] != nil {
			return nil, errors.New("Failed to initialize signing context")
		}
		return ed25519.Sign(edwards, data), nil
	}
	id, digest, err := digested(args[0], data, args[6])
	if err != nil {
		return nil, errors.New("Failed to initialize signing context")
	}
	switch k := key.(type) {
	case *rsa.PrivateKey:
		return signRSA(k, id, digest, args[3], args[4])
	case *ecdsa.PrivateKey:
		if args[5] != true {
			return ecdsa.SignASN1(rand.Reader, k, digest)
		}
		r, s, err := ecdsa.Sign(rand.Reader, k, digest)
		if err != nil {
			return nil, err
		}
		size := (k.Curve.Params().BitSize + 7) / 8
		return append(zeroPadded(r.Bytes(), size), zeroPadded(s.Bytes(), size)...), nil
	}
	return nil, errors.New("Failed to initialize signing context")
}

func signRSA(key *rsa.PrivateKey, id crypto.Hash, digest []byte, padding, salt any) (out []byte, err error) {
	switch padding.(float64) {
	case paddingPKCS1:
		out, err = rsa.SignPKCS1v15(rand.Reader, key, id, digest)
	case paddingPSS:
		out, err = rsa.SignPSS(rand.Reader, key, id, digest, &rsa.PSSOptions{SaltLength: opensslSalt(salt), Hash: id})
	default:
		return nil, errors.New("Failed to set RSA padding")
	}
	if err != nil {
		return nil, errors.New("Failed to sign")
	}
	return out, nil
}

// opensslSalt reads OpenSSL's length of a PSS salt: the digest's, what fits or is found, or a number.
func opensslSalt(v any) int {
	n, ok := v.(float64)
	switch {
	case !ok || n < saltOfDigest:
		return rsa.PSSSaltLengthAuto
	case n == saltOfDigest:
		return rsa.PSSSaltLengthEqualsHash
	}
	return int(n)
}

// nodeVerify takes (digest or nil, public key, data, signature, padding, PSS salt length, IEEE P1363,
// whether the data is its digest).
func nodeVerify(args []any) (any, error) {
	key, err := parsed(false, args[1].([]byte))
	if err != nil {
		return nil, err
	}
	data, signature := args[2].([]byte), args[3].([]byte)
	if edwards, ok := key.(ed25519.PublicKey); ok {
		if args[0] != nil {
			return nil, errors.New("Failed to initialize verification context")
		}
		return ed25519.Verify(edwards, data, signature), nil
	}
	id, digest, err := digested(args[0], data, args[7])
	if err != nil {
		return nil, errors.New("Failed to initialize verification context")
	}
	switch k := key.(type) {
	case *rsa.PublicKey:
		switch args[4].(float64) {
		case paddingPKCS1:
			return rsa.VerifyPKCS1v15(k, id, digest, signature) == nil, nil
		case paddingPSS:
			return rsa.VerifyPSS(k, id, digest, signature, &rsa.PSSOptions{SaltLength: opensslSalt(args[5]), Hash: id}) == nil, nil
		}
		return nil, errors.New("Failed to set RSA padding")
	case *ecdsa.PublicKey:
		if args[6] != true {
			return ecdsa.VerifyASN1(k, digest, signature), nil
		}
		size := (k.Curve.Params().BitSize + 7) / 8
		if len(signature) != 2*size {
			return false, nil
		}
		return ecdsa.Verify(k, digest, new(big.Int).SetBytes(signature[:size]), new(big.Int).SetBytes(signature[size:])), nil
	}
	return nil, errors.New("Failed to initialize verification context")
}

var errRSA = errors.New("Failed to cipher/decipher")

// nodeRSA takes (publicEncrypt, privateDecrypt, privateEncrypt or publicDecrypt; key, data, padding, digest and label of
// OAEP).
func nodeRSA(args []any) (any, error) {
	operation := args[0].(string)
	private := operation == "privateDecrypt" || operation == "privateEncrypt"
	key, err := parsed(private, args[1].([]byte))
	if err != nil {
		return nil, err
	}
	data, padding := args[2].([]byte), args[3].(float64)
	oaep, err := nodeDigest(args[4])
	if err != nil {
		return nil, errors.New("Unsupported hash digest")
	}
	label, _ := args[5].([]byte)
	var out []byte
	switch k := key.(type) {
	case *rsa.PublicKey:
		switch {
		case padding == paddingNone:
			out, err = rsaPower(k.N, big.NewInt(int64(k.E)), data)
		case operation == "publicDecrypt" && padding == paddingPKCS1:
			out, err = recoverPKCS1(k, data)
		case operation == "publicEncrypt" && padding == paddingPKCS1:
			out, err = rsa.EncryptPKCS1v15(rand.Reader, k, data)
		case operation == "publicEncrypt" && padding == paddingOAEP:
			out, err = rsa.EncryptOAEP(oaep(), rand.Reader, k, data, label)
		default:
			return nil, errors.New("Failed to set the padding")
		}
	case *rsa.PrivateKey:
		switch {
		case padding == paddingNone:
			out, err = rsaPower(k.N, k.D, data)
		case operation == "privateEncrypt" && padding == paddingPKCS1:
			out, err = rsa.SignPKCS1v15(rand.Reader, k, 0, data)
		case operation == "privateDecrypt" && padding == paddingPKCS1:
			out, err = rsa.DecryptPKCS1v15(rand.Reader, k, data)
		case operation == "privateDecrypt" && padding == paddingOAEP:
			out, err = rsa.DecryptOAEP(oaep(), rand.Reader, k, data, label)
		default:
			return nil, errors.New("Failed to set the padding")
		}
	default:
		return nil, errors.New(operation + "() currently only supports RSA keys")
	}
	if err != nil {
		return nil, errRSA
	}
	return out, nil
}

// rsaPower is RSA without padding.
func rsaPower(modulus, exponent *big.Int, data []byte) ([]byte, error) {
	n := new(big.Int).SetBytes(data)
	size := (modulus.BitLen() + 7) / 8
	if len(data) != size || n.Cmp(modulus) >= 0 {
		return nil, errRSA
	}
	return zeroPadded(n.Exp(n, exponent, modulus).Bytes(), size), nil
}

// recoverPKCS1 is what a signature without a digest is over.
func recoverPKCS1(key *rsa.PublicKey, signature []byte) ([]byte, error) {
	padded, err := rsaPower(key.N, big.NewInt(int64(key.E)), signature)
	if err != nil {
		return nil, err
	}
	end := bytes.IndexByte(padded[2:], 0)
	if padded[0] != 0 || padded[1] != 1 || end < 8 || len(bytes.Trim(padded[2:2+end], "\xff")) > 0 {
		return nil, errRSA
	}
	return padded[3+end:], nil
}
