package schema

import (
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// typeOf names the JSON type of a value. A number without a fraction is an integer.
func typeOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if isInteger(value) {
			return "integer"
		}
	}
	return "number"
}

func isInteger(n json.Number) bool {
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	if r, ok := rational(n); ok {
		return r.IsInt()
	}
	f, err := strconv.ParseFloat(string(n), 64)
	return err != nil || f == math.Trunc(f) // past a float64's range there is no fraction left to tell of
}

// maxExponent bounds the numbers that are worked out exactly; 1e999999999 is a few bytes of text and a gigabyte of digits.
const maxExponent = 4096

func rational(n json.Number) (*big.Rat, bool) {
	_, exponent, found := strings.Cut(strings.ToLower(string(n)), "e")
	if found {
		if e, err := strconv.Atoi(exponent); err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(string(n))
}

// compareNumbers is exact within maxExponent and as good as a float64 outside it.
func compareNumbers(a, b json.Number) int {
	x, errX := strconv.ParseInt(string(a), 10, 64)
	y, errY := strconv.ParseInt(string(b), 10, 64)
	if errX == nil && errY == nil {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	if p, ok := rational(a); ok {
		if q, ok := rational(b); ok {
			return p.Cmp(q)
		}
	}
	f, _ := strconv.ParseFloat(string(a), 64)
	g, _ := strconv.ParseFloat(string(b), 64)
	switch {
	case f < g:
		return -1
	case f > g:
		return 1
	}
	return 0
}

func isMultiple(value, of json.Number) bool {
	p, ok := rational(value)
	if !ok {
		return true
	}
	q, ok := rational(of)
	return !ok || q.Sign() == 0 || p.Quo(p, q).IsInt()
}

// canonical is a text that two values share just when JSON Schema calls them equal: 1 and 1.0 are, members have no order.
func canonical(value any) string {
	return string(appendCanonical(nil, value))
}

func appendCanonical(b []byte, value any) []byte {
	switch value := value.(type) {
	case json.Number:
		if r, ok := rational(value); ok {
			return append(b, r.RatString()...)
		}
		return append(b, value...)
	case string:
		return strconv.AppendQuote(b, value)
	case []any:
		b = append(b, '[')
		for _, item := range value {
			b = append(appendCanonical(b, item), ',')
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for _, key := range slices.Sorted(maps.Keys(value)) {
			b = append(strconv.AppendQuote(b, key), ':')
			b = append(appendCanonical(b, value[key]), ',')
		}
		return append(b, '}')
	case bool:
		return strconv.AppendBool(b, value)
	}
	return append(b, "null"...)
}

func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "this"
	}
	return string(text)
}

// matcher tells whether a text has a match of a pattern.
type matcher func(text string) bool

// maxMatch bounds one match of a pattern that can backtrack.
const maxMatch = 50 * time.Millisecond

// compilePattern reads a regular expression of JavaScript's. Go's own engine takes linear time and knows most of them;
// look-around, back references and \u escapes need the other, and a match that takes too long counts as one.
func compilePattern(source string) (matcher, error) {
	if compiled, err := regexp.Compile(source); err == nil {
		return compiled.MatchString, nil
	}
	compiled, err := regexp2.Compile(source, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		compiled, err = regexp2.Compile(source, regexp2.ECMAScript) // what JavaScript takes without the flag u
	}
	if err != nil {
		return nil, err
	}
	compiled.MatchTimeout = maxMatch
	return func(text string) bool {
		matched, err := compiled.MatchString(text)
		return matched || err != nil
	}, nil
}
