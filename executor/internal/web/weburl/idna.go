package weburl

import (
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// profile is UTS #46 processing with the parameters of the URL standard's "domain to ASCII", not strict.
var profile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
	idna.VerifyDNSLength(false),
)

// ToASCII maps a domain to its ASCII form; ok is false when it has none or is empty. As the standard has
// it, a domain that is ASCII already is only lowercased: labels that claim to be encoded are not checked.
func ToASCII(domain string) (ascii string, ok bool) {
	if isASCII(domain) {
		return strings.ToLower(domain), domain != ""
	}
	domain = strings.Map(remap, domain)
	if strings.ContainsFunc(domain, isNewIdeograph) {
		return newIdeographsToASCII(domain)
	}
	ascii, err := profile.ToASCII(domain)
	return ascii, err == nil && ascii != ""
}

// remap brings domains from Unicode 15.0, whose tables x/net/idna has in this release of Go, to the
// mapping of UTS #46 since 15.1 and 16: capitals without a stable folding map to their small letters,
// default-ignorable code points vanish, U+1E9E maps to one letter, five ideographs have other
// decompositions. Characters that are new since 15.0 stay refused, except ideographs.
func remap(r rune) rune {
	switch {
	case r < 0x4c0:
	case r == 0x4c0, r >= 0x10a0 && r <= 0x10c5, r == 0x2132, r == 0x2183:
		return unicode.ToLower(r)
	case r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x180e, r >= 0x2061 && r <= 0x2063, r >= 0x206a && r <= 0x206f,
		r == 0x3164, r == 0xffa0, r >= 0x1d173 && r <= 0x1d17a:
		return -1
	case r == 0x1e9e:
		return 'ß'
	case r == 0x2f868:
		return 0x36fc
	case r == 0x2f874:
		return 0x5f53
	case r == 0x2f91f:
		return 0x243ab
	case r == 0x2f95f:
		return 0x7aee
	case r == 0x2f9bf:
		return 0x45d7
	}
	return r
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isNewIdeograph says whether r is in a block of ideographs that Unicode got after 15.0, of which there
// are by far more than of other new letters.
func isNewIdeograph(r rune) bool { return r >= 0x2ebf0 && r <= 0x2ee5d || r >= 0x323b0 && r <= 0x33479 }

// newIdeographsToASCII has an old ideograph, which has the same properties, stand for the new ones while
// the domain is mapped and checked.
func newIdeographsToASCII(domain string) (string, bool) {
	var hidden []rune
	for standIn := rune(0x4e00); standIn < 0x9fff; standIn++ {
		hidden = hidden[:0]
		covered := strings.Map(func(r rune) rune {
			if !isNewIdeograph(r) {
				return r
			}
			hidden = append(hidden, r)
			return standIn
		}, domain)
		mapped, err := profile.ToUnicode(covered)
		if err != nil {
			return "", false
		}
		if strings.Count(mapped, string(standIn)) == len(hidden) {
			i := 0
			mapped = strings.Map(func(r rune) rune {
				if r != standIn {
					return r
				}
				i++
				return hidden[i-1]
			}, mapped)
			return encodeLabels(mapped), true
		}
	}
	return "", false
}

// encodeLabels encodes the labels of a mapped domain that are not ASCII.
func encodeLabels(domain string) string {
	labels := strings.Split(domain, ".")
	for i, label := range labels {
		if !isASCII(label) {
			labels[i] = "xn--" + punycode([]rune(label))
		}
	}
	return strings.Join(labels, ".")
}

// punycode is the encoder of RFC 3492, section 6.3.
func punycode(label []rune) string {
	const base, tMin, tMax, skew, damp, initialBias, initialN = 36, 1, 26, 38, 700, 72, 128
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	var out []byte
	for _, r := range label {
		if r < initialN {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(initialN), 0, initialBias
	for handled := basic; handled < len(label); {
		least := rune(unicode.MaxRune)
		for _, r := range label {
			if r >= n && r < least {
				least = r
			}
		}
		delta += int(least-n) * (handled + 1)
		n = least
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for k := base; ; k += base {
				t := min(max(k-bias, tMin), tMax)
				if q < t {
					break
				}
				out = append(out, digits[t+(q-t)%(base-t)])
				q = (q - t) / (base - t)
			}
			out = append(out, digits[q])
			if handled == basic {
				delta /= damp
			} else {
				delta /= 2
			}
			handled++
			delta += delta / handled
			k := 0
			for ; delta > (base-tMin)*tMax/2; k += base {
				delta /= base - tMin
			}
			bias = k + (base-tMin+1)*delta/(delta+skew)
			delta = 0
		}
		delta++
		n++
	}
	return string(out)
}
