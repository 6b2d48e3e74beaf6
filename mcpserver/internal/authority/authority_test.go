package authority

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestOnlySafeAddressesGetSecrets(t *testing.T) {
	for address, want := range map[string]bool{
		"https://as.example/token": true, "http://127.0.0.1:1/token": true, "http://localhost/token": true,
		"http://as.example/token": false, "ftp://as.example": false, "": false, "https:///token": false,
	} {
		if Safe(address) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
}

func TestAddressesOfMetadata(t *testing.T) {
	for issuer, want := range map[string][]string{
		"https://as.example":  {"https://as.example/.well-known/oauth-authorization-server", "https://as.example/.well-known/openid-configuration"},
		"https://as.example/": {"https://as.example/.well-known/oauth-authorization-server", "https://as.example/.well-known/openid-configuration"},
		"https://as.example/t": {"https://as.example/.well-known/oauth-authorization-server/t", "https://as.example/.well-known/openid-configuration/t",
			"https://as.example/t/.well-known/openid-configuration"},
	} {
		if got, err := Addresses(issuer); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q %v", issuer, got, err)
		}
	}
	if _, err := Addresses("no address"); err == nil {
		t.Error("no error")
	}
}

// TestDiscover: an address that has nothing of use is passed by, and what was wrong first is told.
func TestDiscover(t *testing.T) {
	var base string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/oauth-authorization-server/t":
			fmt.Fprintf(w, `{"issuer": "https://other.example"}`)
		case "/.well-known/openid-configuration/t":
			fmt.Fprintf(w, `{"issuer": %q}`, base+"/t")
		case "/t/.well-known/openid-configuration":
			fmt.Fprintf(w, `{"issuer": %q, "token_endpoint": "here"}`, base+"/t/")
		default:
			http.NotFound(w, r)
		}
	}))
	defer web.Close()
	base = web.URL
	wants := func(_ string, m *Metadata) error {
		if m.Token == "" {
			return fmt.Errorf("no token endpoint")
		}
		return nil
	}
	if m, err := Discover(t.Context(), web.Client(), base+"/t", wants); err != nil || m.Token != "here" || m.Issuer != base+"/t/" {
		t.Errorf("%+v %v", m, err)
	}
	if _, err := Discover(t.Context(), web.Client(), base, wants); err == nil || !strings.Contains(err.Error(), "HTTP 404") {
		t.Error(err)
	}
}
