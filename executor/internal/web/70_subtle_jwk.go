package web

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
)

// jwk has the members of a JSON Web Key that carry the key.
type jwk struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
	Y   string `json:"y"`
	D   string `json:"d"`
	N   string `json:"n"`
	E   string `json:"e"`
	P   string `json:"p"`
	Q   string `json:"q"`
}

func integer(text string) *big.Int {
	bytes, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return new(big.Int)
	}
	return new(big.Int).SetBytes(bytes)
}

func jwkKey(kind, curve, text string) (any, error) {
	var k jwk
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return nil, dataError("Invalid JSON Web Key: %v", err)
	}
	d, err := base64.RawURLEncoding.DecodeString(k.D)
	if err != nil {
		return nil, dataError("Invalid base64url in the JSON Web Key.")
	}
	switch {
	case kind == "RSA" && k.Kty == "RSA":
		return jwkRSA(k)
	case kind == "EC" && k.Kty == "EC" && k.Crv == curve:
		return jwkEC(k, d)
	case k.Kty == "OKP" && k.Crv == kind:
		return jwkOKP(kind, k, d)
	}
	return nil, dataError("The JSON Web Key is not of the requested algorithm or curve.")
}

func jwkRSA(k jwk) (any, error) {
	e := integer(k.E)
	public := rsa.PublicKey{N: integer(k.N), E: int(e.Int64())}
	if public.N.Sign() == 0 || !e.IsInt64() || public.E < 2 {
		return nil, dataError("The JSON Web Key has no valid RSA modulus and exponent.")
	}
	if k.D == "" {
		return &public, nil
	}
	private := &rsa.PrivateKey{PublicKey: public, D: integer(k.D), Primes: []*big.Int{integer(k.P), integer(k.Q)}}
	if err := private.Validate(); err != nil {
		return nil, dataError("The JSON Web Key is not a valid RSA key: %v", err)
	}
	private.Precompute()
	return private, nil
}

func jwkEC(k jwk, d []byte) (any, error) {
	curve := curveOf(k.Crv)
	if len(d) > 0 {
		private, err := ecdsa.ParseRawPrivateKey(curve, d)
		if err != nil {
			return nil, dataError("The JSON Web Key is not a valid EC key: %v", err)
		}
		return private, nil
	}
	size := (curve.Params().BitSize + 7) / 8
	point := make([]byte, 1+2*size)
	point[0] = 4
	x, y := integer(k.X), integer(k.Y)
	if x.BitLen() > 8*size || y.BitLen() > 8*size {
		return nil, dataError("The JSON Web Key is not a point of its curve.")
	}
	x.FillBytes(point[1 : 1+size])
	y.FillBytes(point[1+size:])
	return rawPublic("EC", k.Crv, point)
}

func jwkOKP(kind string, k jwk, d []byte) (any, error) {
	if k.D == "" {
		x, err := base64.RawURLEncoding.DecodeString(k.X)
		if err != nil {
			return nil, dataError("Invalid base64url in the JSON Web Key.")
		}
		return rawPublic(kind, "", x)
	}
	if len(d) != ed25519.SeedSize {
		return nil, dataError("The private part of the JSON Web Key has the wrong length.")
	}
	if kind == "Ed25519" {
		return ed25519.NewKeyFromSeed(d), nil
	}
	return ecdh.X25519().NewPrivateKey(d)
}

// exportJWK lists the members that carry the key as pairs of name and value.
func exportJWK(private, public any) [][2]string {
	encode := base64.RawURLEncoding.EncodeToString
	switch k := public.(type) {
	case *rsa.PublicKey:
		n, e := encode(k.N.Bytes()), encode(big.NewInt(int64(k.E)).Bytes())
		p, ok := private.(*rsa.PrivateKey)
		if !ok {
			return [][2]string{{"kty", "RSA"}, {"n", n}, {"e", e}}
		}
		return [][2]string{
			{"kty", "RSA"}, {"d", encode(p.D.Bytes())}, {"n", n}, {"e", e}, {"p", encode(p.Primes[0].Bytes())}, {"q", encode(p.Primes[1].Bytes())},
			{"dp", encode(p.Precomputed.Dp.Bytes())}, {"dq", encode(p.Precomputed.Dq.Bytes())}, {"qi", encode(p.Precomputed.Qinv.Bytes())},
		}
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		if err != nil {
			return nil
		}
		size := (len(point) - 1) / 2
		out := [][2]string{{"kty", "EC"}, {"crv", k.Curve.Params().Name}, {"x", encode(point[1 : 1+size])}, {"y", encode(point[1+size:])}}
		if p, ok := private.(*ecdsa.PrivateKey); ok {
			if d, err := p.Bytes(); err == nil {
				out = append(out, [2]string{"d", encode(d)})
			}
		}
		return out
	case ed25519.PublicKey:
		out := [][2]string{{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", encode(k)}}
		if p, ok := private.(ed25519.PrivateKey); ok {
			out = append(out, [2]string{"d", encode(p.Seed())})
		}
		return out
	case *ecdh.PublicKey:
		out := [][2]string{{"kty", "OKP"}, {"crv", "X25519"}, {"x", encode(k.Bytes())}}
		if p, ok := private.(*ecdh.PrivateKey); ok {
			out = append(out, [2]string{"d", encode(p.Bytes())})
		}
		return out
	}
	return nil
}
