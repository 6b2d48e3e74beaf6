package access

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"
)

// claims are what we read of a token.
type claims struct {
	jwt.Claims
	Scope scopes `json:"scope"`
	Scp   scopes `json:"scp"` // of Entra and Okta
}

// scopes are a text with spaces between them (RFC 9068), or a list.
type scopes []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *scopes) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*s = strings.Fields(text)
		return nil
	}
	var list []string
	if json.Unmarshal(data, &list) != nil {
		return errors.New("scopes are a text or a list of texts")
	}
	*s = list
	return nil
}

// Principal is who an access token is from.
type Principal struct {
	Issuer, Subject string
	// Expires is when the token counts no more.
	Expires time.Time

	scopes []string
	claims map[string]any
}

// Has reports whether the token says a value of a claim: as the claim itself, as one of its list, or as one of the scopes for
// "scope". The name may be a path with dots into objects, where no claim is called so as a whole.
func (p *Principal) Has(claim, value string) bool {
	if claim == "scope" || claim == "scp" {
		return slices.Contains(p.scopes, value)
	}
	said, ok := p.claims[claim]
	if !ok {
		said = inside(p.claims, claim)
	}
	if list, ok := said.([]any); ok {
		return slices.ContainsFunc(list, func(one any) bool { return is(one, value) })
	}
	return is(said, value)
}

// inside follows a path with dots.
func inside(object any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		members, ok := object.(map[string]any)
		if !ok {
			return nil
		}
		object = members[name]
	}
	return object
}

// is compares a scalar with a text of the configuration.
func is(said any, value string) bool {
	switch said := said.(type) {
	case string:
		return said == value
	case bool:
		return strconv.FormatBool(said) == value
	case float64:
		return strconv.FormatFloat(said, 'f', -1, 64) == value
	}
	return false
}
