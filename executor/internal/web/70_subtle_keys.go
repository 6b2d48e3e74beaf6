package web

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
)

func dataError(format string, args ...any) error {
	return &OpError{"DataError", fmt.Sprintf(format, args...)}
}

// hashID is the hash as the packages of public-key cryptography name it.
func hashID(name string) crypto.Hash {
	return digests[opensslName(name)].id
}

func sum(hash string, data []byte) []byte {
	h := newHash(hash)()
	h.Write(data)
	return h.Sum(nil)
}

func curveOf(name string) elliptic.Curve {
	switch name {
	case "P-384":
		return elliptic.P384()
	case "P-521":
		return elliptic.P521()
	}
	return elliptic.P256()
}

// subtleGenerate takes (kind, curve or modulus length, an RSA key's public exponent) and returns a private key.
func subtleGenerate(args []any) (any, error) {
	var key any
	var err error
	switch parameter := args[1].(string); args[0] {
	case "RSA":
		bits, _ := strconv.Atoi(parameter)
		if bits < 1024 || bits > 4096 {
			return nil, operationError("The modulus length must be between 1024 and 4096 bits, but %s was requested.", parameter)
		}
		key, err = generateRSA(bits, int64(args[2].(float64)))
	case "EC":
		key, err = ecdsa.GenerateKey(curveOf(parameter), rand.Reader)
	case "Ed25519":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = ecdh.X25519().GenerateKey(rand.Reader)
	}
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// publicOf returns the public half of a private key.
func publicOf(private any) any {
	switch key := private.(type) {
	case *rsa.PrivateKey:
		return &key.PublicKey
	case *ecdsa.PrivateKey:
		return &key.PublicKey
	case ed25519.PrivateKey:
		return key.Public()
	case *ecdh.PrivateKey:
		return key.PublicKey()
	}
	return nil
}

func subtlePublic(args []any) (any, error) {
	key, err := x509.ParsePKCS8PrivateKey(args[0].([]byte))
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKIXPublicKey(publicOf(key))
}

// subtleSign takes (algorithm, hash, private key, data, salt length).
func subtleSign(args []any) (any, error) {
	hash, data := args[1].(string), args[3].([]byte)
	private, err := x509.ParsePKCS8PrivateKey(args[2].([]byte))
	if err != nil {
		return nil, err
	}
	switch key := private.(type) {
	case *rsa.PrivateKey:
		if args[0] == "RSA-PSS" {
			out, err := rsa.SignPSS(rand.Reader, key, hashID(hash), sum(hash, data), &rsa.PSSOptions{SaltLength: saltLength(args[4])})
			if err != nil {
				return nil, operationError("RSA-PSS signing failed: %v", err)
			}
			return out, nil
		}
		return rsa.SignPKCS1v15(rand.Reader, key, hashID(hash), sum(hash, data))
	case *ecdsa.PrivateKey:
		r, s, err := ecdsa.Sign(rand.Reader, key, sum(hash, data))
		if err != nil {
			return nil, err
		}
		size := (key.Curve.Params().BitSize + 7) / 8
		out := make([]byte, 2*size)
		r.FillBytes(out[:size])
		s.FillBytes(out[size:])
		return out, nil
	case ed25519.PrivateKey:
		return ed25519.Sign(key, data), nil
	}
	return nil, fmt.Errorf("a key of type %T does not sign", private)
}

// saltLength reads a PSS salt length; the packages take zero for "automatic".
func saltLength(v any) int {
	n, _ := v.(float64)
	if n == 0 {
		return rsa.PSSSaltLengthEqualsHash
	}
	return int(n)
}

// subtleVerify takes (algorithm, hash, public key, data, signature, salt length).
func subtleVerify(args []any) (any, error) {
	hash, data, signature := args[1].(string), args[3].([]byte), args[4].([]byte)
	public, err := x509.ParsePKIXPublicKey(args[2].([]byte))
	if err != nil {
		return nil, err
	}
	switch key := public.(type) {
	case *rsa.PublicKey:
		if args[0] == "RSA-PSS" {
			return rsa.VerifyPSS(key, hashID(hash), sum(hash, data), signature, &rsa.PSSOptions{SaltLength: saltLength(args[5])}) == nil, nil
		}
		return rsa.VerifyPKCS1v15(key, hashID(hash), sum(hash, data), signature) == nil, nil
	case *ecdsa.PublicKey:
		size := (key.Curve.Params().BitSize + 7) / 8
		if len(signature) != 2*size {
			return false, nil
		}
		r, s := new(big.Int).SetBytes(signature[:size]), new(big.Int).SetBytes(signature[size:])
		return ecdsa.Verify(key, sum(hash, data), r, s), nil
	case ed25519.PublicKey:
		return ed25519.Verify(key, data, signature), nil
	}
	return nil, fmt.Errorf("a key of type %T does not verify", public)
}

// subtleOAEP takes (encrypt, hash, key, label, data).
func subtleOAEP(args []any) (any, error) {
	h, label, data := newHash(args[1].(string))(), args[3].([]byte), args[4].([]byte)
	if args[0] == true {
		public, err := x509.ParsePKIXPublicKey(args[2].([]byte))
		if err != nil {
			return nil, err
		}
		out, err := rsa.EncryptOAEP(h, rand.Reader, public.(*rsa.PublicKey), data, label)
		if err != nil {
			return nil, operationError("RSA-OAEP encryption failed: %v", err)
		}
		return out, nil
	}
	private, err := x509.ParsePKCS8PrivateKey(args[2].([]byte))
	if err != nil {
		return nil, err
	}
	out, err := rsa.DecryptOAEP(h, rand.Reader, private.(*rsa.PrivateKey), data, label)
	if err != nil {
		return nil, operationError("RSA-OAEP failed decryption.")
	}
	return out, nil
}

// agreementPrivate is a private key as key agreement wants it.
func agreementPrivate(key any) (*ecdh.PrivateKey, error) {
	if k, ok := key.(*ecdsa.PrivateKey); ok {
		return k.ECDH()
	}
	return key.(*ecdh.PrivateKey), nil
}

func agreementPublic(key any) (*ecdh.PublicKey, error) {
	if k, ok := key.(*ecdsa.PublicKey); ok {
		return k.ECDH()
	}
	return key.(*ecdh.PublicKey), nil
}

// subtleAgree takes (private key, public key) and returns the shared secret.
func subtleAgree(args []any) (any, error) {
	parsed, err := x509.ParsePKCS8PrivateKey(args[0].([]byte))
	if err != nil {
		return nil, err
	}
	private, err := agreementPrivate(parsed)
	if err != nil {
		return nil, err
	}
	other, err := x509.ParsePKIXPublicKey(args[1].([]byte))
	if err != nil {
		return nil, err
	}
	public, err := agreementPublic(other)
	if err != nil {
		return nil, err
	}
	secret, err := private.ECDH(public)
	if err != nil {
		return nil, operationError("Key agreement failed: %v", err)
	}
	return secret, nil
}

// subtleImport takes (format, kind, curve, bytes or the text of a JWK) and returns the key's bytes: PKCS #8
// when it is private, SubjectPublicKeyInfo when it is public.
func subtleImport(args []any) (any, error) {
	kind, curve := args[1].(string), args[2].(string)
	var key any
	var err error
	switch args[0] {
	case "pkcs8":
		if key, err = x509.ParsePKCS8PrivateKey(args[3].([]byte)); err != nil {
			return nil, dataError("Invalid PKCS8 input.")
		}
	case "spki":
		if key, err = x509.ParsePKIXPublicKey(args[3].([]byte)); err != nil {
			return nil, dataError("Invalid SPKI input.")
		}
	case "raw":
		key, err = rawPublic(kind, curve, args[3].([]byte))
	default:
		key, err = jwkKey(kind, curve, args[3].(string))
	}
	if err != nil {
		return nil, err
	}
	return marshalKey(kind, curve, key)
}

// marshalKey checks that a key is of its kind and curve, and encodes it.
func marshalKey(kind, curve string, key any) (any, error) {
	public := key
	if half := publicOf(key); half != nil {
		public = half
	}
	fits := false
	switch k := public.(type) {
	case *rsa.PublicKey:
		fits = kind == "RSA"
	case *ecdsa.PublicKey:
		fits = kind == "EC" && k.Curve == curveOf(curve)
	case ed25519.PublicKey:
		fits = kind == "Ed25519"
	case *ecdh.PublicKey:
		fits = kind == "X25519" && k.Curve() == ecdh.X25519()
	}
	if !fits {
		return nil, dataError("The key is not of the requested algorithm or curve.")
	}
	var der []byte
	var err error
	if publicOf(key) == nil {
		der, err = x509.MarshalPKIXPublicKey(key)
	} else {
		der, err = x509.MarshalPKCS8PrivateKey(key)
	}
	if err != nil {
		return nil, dataError("Invalid key: %v", err)
	}
	return der, nil
}

func rawPublic(kind, curve string, bytes []byte) (any, error) {
	switch kind {
	case "EC":
		key, err := ecdsa.ParseUncompressedPublicKey(curveOf(curve), bytes)
		if err != nil {
			return nil, dataError("Failed to import raw EC key data: Invalid point encoding..")
		}
		return key, nil
	case "Ed25519":
		if len(bytes) == ed25519.PublicKeySize {
			return ed25519.PublicKey(bytes), nil
		}
	case "X25519":
		if key, err := ecdh.X25519().NewPublicKey(bytes); err == nil {
			return key, nil
		}
	}
	return nil, dataError("Invalid raw key data for %s.", kind)
}

// subtleExport takes (format, private, key) and returns bytes, or for a JWK the text of its members in
// the order that workerd gives them.
func subtleExport(args []any) (any, error) {
	der := args[2].([]byte)
	if args[0] == "pkcs8" || args[0] == "spki" {
		return der, nil
	}
	var key, public any
	var err error
	if args[1] == true {
		key, err = x509.ParsePKCS8PrivateKey(der)
		public = publicOf(key)
	} else {
		public, err = x509.ParsePKIXPublicKey(der)
	}
	if err != nil {
		return nil, err
	}
	if args[0] == "raw" {
		return rawBytes(public)
	}
	text, err := json.Marshal(exportJWK(key, public))
	return string(text), err
}

func rawBytes(public any) (any, error) {
	switch k := public.(type) {
	case *ecdsa.PublicKey:
		return k.Bytes()
	case ed25519.PublicKey:
		return []byte(k), nil
	case *ecdh.PublicKey:
		return k.Bytes(), nil
	}
	return nil, &OpError{"NotSupportedError", "This key has no raw form."}
}

// subtleDescribe takes (private, key) of an RSA key and returns "modulus length,public exponent".
func subtleDescribe(args []any) (any, error) {
	der := args[1].([]byte)
	var key any
	var err error
	if args[0] == true {
		if key, err = x509.ParsePKCS8PrivateKey(der); err == nil {
			key = publicOf(key)
		}
	} else {
		key, err = x509.ParsePKIXPublicKey(der)
	}
	if err != nil {
		return nil, err
	}
	public := key.(*rsa.PublicKey)
	return fmt.Sprintf("%d,%d", public.N.BitLen(), public.E), nil
}
