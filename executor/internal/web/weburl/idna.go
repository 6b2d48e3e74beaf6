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
	ascii, err := profile.ToASCII(strings.Map(remap, domain))
	return ascii, err == nil && ascii != ""
}

// remap brings domains from Unicode 15.0, whose tables x/net/idna has in this release of Go, to the
// mapping of UTS #46 since 15.1 and 16: capitals without a stable folding map to their small letters,
// default-ignorable code points vanish, U+1E9E maps to one letter, five ideographs have other
// decompositions. Letters that are new since 15.0 stay refused.
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
