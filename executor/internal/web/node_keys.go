package web

//lint:file-ignore ST1005 programs read these texts as node's
//lint:file-ignore SA1019 the old encryption of PEM blocks is what node writes and reads for keys that are not PKCS #8

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// keyOps are the ops of node/crypto_keys.js. A private key is its PKCS #8 form, a public one its SubjectPublicKeyInfo.
func keyOps() map[string]pureOp {
	return map[string]pureOp{
		"nodeParseKey":    nodeParseKey,
		"nodeDescribeKey": nodeDescribeKey,
		"nodeExportKey":   nodeExportKey,
		"nodeGenerateKey": nodeGenerateKey,
	}
}

// nodeParseKey takes (private, data, is it PEM, encoding, passphrase or nil). A public key may be given as a private one
// or as a certificate.
func nodeParseKey(args []any) (any, error) {
	private, data, isPEM, encoding := args[0] == true, args[1].([]byte), args[2] == true, args[3].(string)
	passphrase, _ := args[4].([]byte)
	failed := errors.New("Failed to parse public key")
	if private {
		failed = errors.New("Failed to parse private key")
	}
	if isPEM {
		block, _ := pem.Decode(data)
		if block == nil {
			return nil, failed
		}
		data, encoding = block.Bytes, block.Type
		if x509.IsEncryptedPEMBlock(block) {
			plain, err := decryptPEM(block, passphrase)
			if err != nil {
				return nil, failed
			}
			data = plain
		}
	}
	key, err := keyOf(data, encoding, passphrase)
	if err != nil {
		return nil, failed
	}
	half := publicOf(key)
	switch {
	case private && half == nil:
		return nil, failed
	case private:
		return x509.MarshalPKCS8PrivateKey(key)
	case half != nil:
		return x509.MarshalPKIXPublicKey(half)
	}
	return x509.MarshalPKIXPublicKey(key)
}

// keyOf reads a key in an encoding, which is node's name of it, the type of a PEM block, or "" for whichever fits.
func keyOf(data []byte, encoding string, passphrase []byte) (key any, err error) {
	switch encoding {
	case "PRIVATE KEY":
		return x509.ParsePKCS8PrivateKey(data)
	case "pkcs8", "ENCRYPTED PRIVATE KEY":
		if passphrase == nil && encoding == "pkcs8" {
			return x509.ParsePKCS8PrivateKey(data)
		}
		plain, err := decryptPKCS8(data, passphrase)
		if err != nil {
			return nil, err
		}
		return x509.ParsePKCS8PrivateKey(plain)
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(data)
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(data)
	case "sec1", "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(data)
	case "spki", "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(data)
	case "CERTIFICATE":
		certificate, err := x509.ParseCertificate(data)
		if err != nil {
			return nil, err
		}
		return certificate.PublicKey, nil
	case "pkcs1":
		if key, err = x509.ParsePKCS1PrivateKey(data); err != nil {
			return x509.ParsePKCS1PublicKey(data)
		}
		return key, nil
	}
	for _, known := range []string{"PRIVATE KEY", "pkcs1", "sec1", "spki"} {
		if key, err = keyOf(data, known, nil); err == nil {
			return key, nil
		}
	}
	return nil, err
}

// parsed reads what the script holds of a key.
func parsed(private bool, der []byte) (any, error) {
	if private {
		return x509.ParsePKCS8PrivateKey(der)
	}
	return x509.ParsePKIXPublicKey(der)
}

// curveNames are OpenSSL's names of the curves.
var curveNames = map[elliptic.Curve]string{elliptic.P224(): "secp224r1", elliptic.P256(): "prime256v1", elliptic.P384(): "secp384r1", elliptic.P521(): "secp521r1"}

// curveByName knows the curves by OpenSSL's names and NIST's; nil is none of them.
func curveByName(name string) elliptic.Curve {
	for curve, openSSL := range curveNames {
		if name == openSSL || name == curve.Params().Name {
			return curve
		}
	}
	return nil
}

// nodeDescribeKey takes (private, key) and returns its type and what node tells of it: "rsa,2048,65537",
// "ec,prime256v1", "ed25519", "x25519".
func nodeDescribeKey(args []any) (any, error) {
	key, err := parsed(args[0] == true, args[1].([]byte))
	if err != nil {
		return nil, err
	}
	if half := publicOf(key); half != nil {
		key = half
	}
	switch k := key.(type) {
	case *rsa.PublicKey:
		return fmt.Sprintf("rsa,%d,%d", k.N.BitLen(), k.E), nil
	case *ecdsa.PublicKey:
		return "ec," + curveNames[k.Curve], nil
	case ed25519.PublicKey:
		return "ed25519", nil
	case *ecdh.PublicKey:
		return "x25519", nil
	}
	return nil, errors.New("Unsupported key type")
}

// nodeExportKey takes (private, key, PEM, encoding, cipher, passphrase), the last two nil for a key in the clear.
func nodeExportKey(args []any) (any, error) {
	private, isPEM, encoding := args[0] == true, args[2] == true, args[3].(string)
	key, err := parsed(private, args[1].([]byte))
	if err != nil {
		return nil, err
	}
	block, err := blockOf(private, key, args[1].([]byte), encoding)
	if err != nil {
		return nil, err
	}
	if cipherName, ok := args[4].(string); ok {
		if block, err = encrypted(block, encoding, cipherName, args[5].([]byte), isPEM); err != nil {
			return nil, err
		}
	}
	if isPEM {
		return pem.EncodeToMemory(block), nil
	}
	return block.Bytes, nil
}

// blockOf is a key in an encoding, with the name it has in PEM.
func blockOf(private bool, key any, der []byte, encoding string) (*pem.Block, error) {
	switch {
	case private && encoding == "pkcs8":
		return &pem.Block{Type: "PRIVATE KEY", Bytes: der}, nil
	case !private && encoding == "spki":
		return &pem.Block{Type: "PUBLIC KEY", Bytes: der}, nil
	}
	switch k := key.(type) {
	case *rsa.PrivateKey:
		if encoding == "pkcs1" {
			return &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)}, nil
		}
	case *rsa.PublicKey:
		if encoding == "pkcs1" {
			return &pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(k)}, nil
		}
	case *ecdsa.PrivateKey:
		if encoding == "sec1" {
			bytes, err := x509.MarshalECPrivateKey(k)
			return &pem.Block{Type: "EC PRIVATE KEY", Bytes: bytes}, err
		}
	}
	return nil, errors.New("Invalid key encoding")
}

// encrypted encrypts a block: in PKCS #8's way, or for the older encodings in PEM's.
func encrypted(block *pem.Block, encoding, cipherName string, passphrase []byte, isPEM bool) (*pem.Block, error) {
	if encoding == "pkcs8" {
		bytes, err := encryptPKCS8(block.Bytes, cipherName, passphrase)
		return &pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: bytes}, err
	}
	if !isPEM {
		return nil, errors.New("Only PKCS #8 and PEM keys can be encrypted")
	}
	return encryptPEM(block, cipherName, passphrase)
}

// nodeGenerateKey takes (type, modulus length or 0, curve, an RSA key's public exponent) and returns a private key.
func nodeGenerateKey(args []any) (any, error) {
	var key any
	var err error
	switch args[0] {
	case "rsa":
		key, err = generateRSA(int(args[1].(float64)), int64(args[3].(float64)))
		if err != nil {
			err = errors.New("Failed to generate key")
		}
	case "ec":
		name := args[2].(string)
		curve := curveByName(name)
		if name == "secp256k1" {
			return nil, errors.New("Failed to initialize key")
		}
		if curve == nil {
			return nil, errors.New("Invalid or unsupported curve")
		}
		key, err = ecdsa.GenerateKey(curve, rand.Reader)
	case "ed25519":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = ecdh.X25519().GenerateKey(rand.Reader)
	}
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// zeroPadded is bytes with zeros in front, size in all.
func zeroPadded(b []byte, size int) []byte {
	if len(b) >= size {
		return b
	}
	return append(bytes.Repeat([]byte{0}, size-len(b)), b...)
}
