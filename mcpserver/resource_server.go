package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/access"
)

// aboutUs is where clients are told which authorization servers there are (RFC 9728): for the whole host, and behind it for a path.
const aboutUs = "/.well-known/oauth-protected-resource"

// accessOptions is what a configuration wants of access tokens.
func accessOptions(r *config.ResourceServer) *access.Options {
	o := &access.Options{Audiences: append([]string{r.Resource}, r.Audiences...), Scopes: r.Scopes}
	for _, issuer := range r.Issuers {
		o.Issuers = append(o.Issuers, access.Issuer(issuer))
	}
	return o
}

// IssuerStatus is what an authorization server looks like from here, for `codemode doctor`.
type IssuerStatus struct {
	// Issuer is its name.
	Issuer string
	// Keys is how many of its keys are of use; 0 when Reason says why they could not be read.
	Keys   int
	Reason string
}

// CheckIssuers reads the keys of the authorization servers whose tokens are taken.
func CheckIssuers(ctx context.Context, r *config.ResourceServer) []IssuerStatus {
	v := access.New(accessOptions(r))
	defer v.Close()
	var list []IssuerStatus
	for _, status := range v.Check(ctx) {
		one := IssuerStatus{Issuer: status.Issuer, Keys: status.Keys}
		if status.Err != nil {
			one.Reason = status.Err.Error()
		}
		list = append(list, one)
	}
	return list
}

// metadata is the document about us.
func (d *door) metadata(w http.ResponseWriter, r *http.Request) {
	about := d.options.OAuth
	// A proxy may have the endpoint at another path than we.
	suffix := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, aboutUs), "/")
	if suffix != "" && suffix != strings.TrimSuffix(pathOf(about.Resource), "/") && suffix != d.options.Path {
		http.NotFound(w, r)
		return
	}
	if status, why := d.options.refuse(r); status != 0 {
		http.Error(w, why, status)
		return
	}
	if d.options.share(w, r) {
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	document := map[string]any{"resource": about.Resource, "resource_name": "codemode", "bearer_methods_supported": []string{"header"}}
	var issuers []string
	for _, issuer := range about.Issuers {
		issuers = append(issuers, issuer.URL)
	}
	document["authorization_servers"] = issuers
	if about.Scopes != nil {
		document["scopes_supported"] = about.Scopes
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(document) // the client may be gone
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil { // the configuration was held against that
		return ""
	}
	return u.Path
}

// challenge refuses a request and says how to do better (RFC 6750, RFC 9728). What it says is pairs of a name and a text without quotes.
func (d *door) challenge(status int, why string, says []string) *denial {
	if r := d.options.OAuth; r != nil {
		if u, err := url.Parse(r.Resource); err == nil { // the configuration was held against that
			says = append(says, "resource_metadata", u.Scheme+"://"+u.Host+aboutUs+strings.TrimSuffix(u.EscapedPath(), "/"))
		}
		if r.Scopes != nil {
			says = append(says, "scope", strings.Join(r.Scopes, " "))
		}
	}
	var b strings.Builder
	b.WriteString("Bearer")
	for i := 0; i < len(says); i += 2 {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" " + says[i] + `="` + says[i+1] + `"`)
	}
	return &denial{status, why, http.Header{"Www-Authenticate": {b.String()}}}
}
