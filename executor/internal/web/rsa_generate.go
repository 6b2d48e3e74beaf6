package web

import (
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"math"
	"math/big"
)

// usualExponent is the public exponent that the library makes keys with.
const usualExponent = 65537

// generateRSA makes a key with any odd public exponent from 3 on that the library can use.
func generateRSA(bits int, exponent int64) (*rsa.PrivateKey, error) {
	if exponent == usualExponent {
		return rsa.GenerateKey(rand.Reader, bits)
	}
	if exponent < 3 || exponent%2 == 0 || exponent > math.MaxInt32 || bits < 1024 {
		return nil, errors.New("no key has such a public exponent")
	}
	e, one := big.NewInt(exponent), big.NewInt(1)
	// coprime is a prime p whose p-1 has an inverse of the exponent.
	coprime := func(bits int) (p, less *big.Int, err error) {
		for {
			if p, err = rand.Prime(rand.Reader, bits); err != nil {
				return nil, nil, err
			}
			less = new(big.Int).Sub(p, one)
			if new(big.Int).GCD(nil, nil, less, e).Cmp(one) == 0 {
				return p, less, nil
			}
		}
	}
	for {
		p, lessP, err := coprime((bits + 1) / 2)
		if err != nil {
			return nil, err
		}
		q, lessQ, err := coprime(bits / 2)
		if err != nil {
			return nil, err
		}
		n := new(big.Int).Mul(p, q)
		if p.Cmp(q) == 0 || n.BitLen() != bits {
			continue
		}
		multiple := new(big.Int).Mul(lessP, lessQ)
		multiple.Div(multiple, new(big.Int).GCD(nil, nil, lessP, lessQ))
		key := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: n, E: int(exponent)}, D: new(big.Int).ModInverse(e, multiple), Primes: []*big.Int{p, q}}
		key.Precompute()
		return key, key.Validate()
	}
}
