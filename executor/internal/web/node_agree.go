package web

//lint:file-ignore ST1005 programs read these texts as node's
//lint:file-ignore SA1019 P-224 is multiplied by crypto/elliptic alone

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"math/big"
)

// agreeOps are the ops of node/crypto_agree.js: key agreement, and the primes it needs.
func agreeOps() map[string]pureOp {
	return map[string]pureOp{
		"nodeECDHKey":    nodeECDHKey,
		"nodeECDHPublic": nodeECDHPublic,
		"nodeECDHSecret": nodeECDHSecret,
		"nodePoint":      nodePoint,
		"nodePower":      nodePower,
		"nodePrime":      nodePrime,
		"nodeGroup":      nodeGroup,
		"nodeIsPrime":    nodeIsPrime,
	}
}

// agreement is the curve of a name, for key agreement.
func agreement(name any) (elliptic.Curve, error) {
	if curve := curveByName(name.(string)); curve != nil {
		return curve, nil
	}
	return nil, errors.New("Invalid curve")
}

// nodeECDHKey takes (curve, private key or nil for a new one) and returns the private key at its full length.
func nodeECDHKey(args []any) (any, error) {
	curve, err := agreement(args[0])
	if err != nil {
		return nil, err
	}
	given, ok := args[1].([]byte)
	if !ok {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			return nil, err
		}
		return key.Bytes()
	}
	scalar := zeroPadded(given, (curve.Params().BitSize+7)/8)
	if _, err := ecdsa.ParseRawPrivateKey(curve, scalar); err != nil {
		return nil, errors.New("Private key is not valid for specified curve.")
	}
	return scalar, nil
}

// nodeECDHPublic takes (curve, private key) and returns the public one, an uncompressed point.
func nodeECDHPublic(args []any) (any, error) {
	curve, err := agreement(args[0])
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.ParseRawPrivateKey(curve, args[1].([]byte))
	if err != nil {
		return nil, err
	}
	return key.PublicKey.Bytes()
}

// nodeECDHSecret takes (curve, private key, public key of the other).
func nodeECDHSecret(args []any) (any, error) {
	curve, err := agreement(args[0])
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.ParseRawPrivateKey(curve, args[1].([]byte))
	if err != nil {
		return nil, err
	}
	point, err := pointOf(curve, args[2].([]byte))
	if err != nil {
		return nil, err
	}
	other, err := ecdsa.ParseUncompressedPublicKey(curve, point)
	if err != nil {
		return nil, err
	}
	return ecdhSecret(key, other)
}

// ecdhSecret is what two keys agree on. crypto/ecdh has no P-224.
func ecdhSecret(key *ecdsa.PrivateKey, other *ecdsa.PublicKey) ([]byte, error) {
	if key.Curve == elliptic.P224() {
		x, _ := key.Curve.ScalarMult(other.X, other.Y, key.D.Bytes())
		return zeroPadded(x.Bytes(), (key.Curve.Params().BitSize+7)/8), nil
	}
	private, err := key.ECDH()
	if err != nil {
		return nil, err
	}
	public, err := other.ECDH()
	if err != nil {
		return nil, err
	}
	return private.ECDH(public)
}

// pointOf reads a point in any of its three forms and returns the uncompressed one.
func pointOf(curve elliptic.Curve, data []byte) ([]byte, error) {
	failed := errors.New("Failed to set point")
	if len(data) == 0 {
		return nil, failed
	}
	if data[0] == 6 || data[0] == 7 { // hybrid: both coordinates, and the sign of y
		if data[len(data)-1]&1 != data[0]&1 {
			return nil, failed
		}
		data = append([]byte{4}, data[1:]...)
	}
	if data[0] != 4 {
		x, y := elliptic.UnmarshalCompressed(curve, data)
		if x == nil {
			return nil, failed
		}
		size := (curve.Params().BitSize + 7) / 8
		return append(append([]byte{4}, zeroPadded(x.Bytes(), size)...), zeroPadded(y.Bytes(), size)...), nil
	}
	if _, err := ecdsa.ParseUncompressedPublicKey(curve, data); err != nil {
		return nil, failed
	}
	return data, nil
}

// nodePoint takes (curve, point, form) and returns the point in that form.
func nodePoint(args []any) (any, error) {
	curve, err := agreement(args[0])
	if err != nil {
		return nil, err
	}
	point, err := pointOf(curve, args[1].([]byte))
	if err != nil {
		return nil, err
	}
	sign := point[len(point)-1] & 1
	switch args[2] {
	case "compressed":
		return append([]byte{2 + sign}, point[1:1+len(point)/2]...), nil
	case "hybrid":
		return append([]byte{6 + sign}, point[1:]...), nil
	}
	return point, nil
}

// nodePower takes (base, exponent, modulus) and returns the power; the script has checked that the modulus is none of 0
// and 1.
func nodePower(args []any) (any, error) {
	n := func(i int) *big.Int { return new(big.Int).SetBytes(args[i].([]byte)) }
	return new(big.Int).Exp(n(0), n(1), n(2)).Bytes(), nil
}

// maxPrimeTries bounds the search for a prime with properties that may have none.
const maxPrimeTries = 100_000

// nodePrime takes (bits, safe, add, rem), add and rem nil for any prime, and returns a prime p, with (p−1)/2 prime too if
// it is to be safe, and p mod add = rem.
func nodePrime(args []any) (any, error) {
	bits, safe := int(args[0].(float64)), args[1] == true
	failed := errors.New("Failed to generate prime")
	if bits < 2 || safe && bits < 3 {
		return nil, failed
	}
	for range maxPrimeTries {
		p, err := rand.Prime(rand.Reader, bits)
		if err != nil {
			return nil, err
		}
		if add, ok := args[2].([]byte); ok {
			if p, err = nextTo(p, bits, new(big.Int).SetBytes(add), new(big.Int).SetBytes(args[3].([]byte))); err != nil {
				return nil, failed
			}
			if !p.ProbablyPrime(20) || p.BitLen() != bits {
				continue
			}
		}
		if half := new(big.Int).Rsh(p, 1); safe && !half.ProbablyPrime(20) {
			continue
		}
		return zeroPadded(p.Bytes(), (bits+7)/8), nil
	}
	return nil, failed
}

// nextTo is a number near p that is rem modulo add.
func nextTo(p *big.Int, bits int, add, rem *big.Int) (*big.Int, error) {
	if add.Sign() == 0 || add.BitLen() > bits || rem.Cmp(add) >= 0 {
		return nil, errors.New("no number of that size has that remainder")
	}
	p.Sub(p, new(big.Int).Mod(p, add))
	return p.Add(p, rem), nil
}

// nodeIsPrime takes (candidate).
func nodeIsPrime(args []any) (any, error) {
	return new(big.Int).SetBytes(args[0].([]byte)).ProbablyPrime(20), nil
}

// groups are the MODP groups of RFC 2409 and RFC 3526 by node's names. Each prime is
// 2^bits − 2^(bits−64) − 1 + 2^64·(⌊2^(bits−130)·π⌋ + offset).
var groups = map[string]struct{ bits, offset int64 }{
	"modp1": {768, 149686}, "modp2": {1024, 129093}, "modp5": {1536, 741804}, "modp14": {2048, 124476}, "modp15": {3072, 1690314},
	"modp16": {4096, 240904}, "modp17": {6144, 929484}, "modp18": {8192, 4743158},
}

// nodeGroup takes the name of a group and returns its prime; nil when there is no such group.
func nodeGroup(args []any) (any, error) {
	group, ok := groups[args[0].(string)]
	if !ok {
		return nil, nil
	}
	power := func(n int64) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }
	middle := new(big.Int).Add(scaledPi(group.bits-130), big.NewInt(group.offset))
	p := power(group.bits)
	p.Sub(p, power(group.bits-64))
	p.Sub(p, big.NewInt(1))
	return p.Add(p, middle.Lsh(middle, 64)).Bytes(), nil
}

// scaledPi is ⌊2^bits·π⌋, by Machin's formula π = 16·arctan(1/5) − 4·arctan(1/239).
func scaledPi(bits int64) *big.Int {
	const guard = 64
	one := new(big.Int).Lsh(big.NewInt(1), uint(bits+guard))
	pi := new(big.Int).Mul(arctan(one, 5), big.NewInt(16))
	pi.Sub(pi, new(big.Int).Mul(arctan(one, 239), big.NewInt(4)))
	return pi.Rsh(pi, guard)
}

// arctan is one·arctan(1/n).
func arctan(one *big.Int, n int64) *big.Int {
	square := big.NewInt(n * n)
	power := new(big.Int).Quo(one, big.NewInt(n))
	sum := new(big.Int).Set(power)
	for k := int64(1); power.Sign() > 0; k++ {
		power.Quo(power, square)
		term := new(big.Int).Quo(power, big.NewInt(2*k+1))
		if k%2 == 0 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
	}
	return sum
}
