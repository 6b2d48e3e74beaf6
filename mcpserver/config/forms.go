package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// SecretForms are a secret as it stands in the texts that have it: as it is, in JSON, in a JSON text within one, and in an
// address. What is redacted comes from servers, which write it in their own ways.
func SecretForms(secret string) []string {
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20")}
	for _, escape := range []func(string) string{inJSON, inHTMLJSON, inASCIIJSON} {
		forms = append(forms, escape(secret), inJSON(escape(secret)))
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// inJSON is a text between the quotes of JSON.
func inJSON(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always has a rendering
	quoted := strings.TrimSuffix(b.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// inHTMLJSON is inJSON as Go writes it: <, > and & are escaped.
func inHTMLJSON(text string) string {
	quoted, _ := json.Marshal(text) // a string always has a rendering
	return string(quoted[1 : len(quoted)-1])
}

// inASCIIJSON is inJSON as Python writes it: what is not ASCII is escaped.
func inASCIIJSON(text string) string {
	var b strings.Builder
	for _, r := range inJSON(text) {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
