package mcpserver

import (
	"strings"
	"testing"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/issuer"
)

// TestPagesOfAllowedOrigins: a browser asks before a page calls, and shows it the answer, a refusal's, too; of other pages nothing is
// answered.
func TestPagesOfAllowedOrigins(t *testing.T) {
	as := issuer.New(t)
	s := serve(t, nil, nil)
	url := protect(t, s, as, &HTTPOptions{AllowedOrigins: []string{"https://app.example"}, OAuth: &config.ResourceServer{}})
	about := strings.TrimSuffix(url, "/mcp") + aboutUs
	for _, tt := range []struct {
		name, method, url, token, origin string
		want                             int
		shared                           bool
	}{
		{"question", "OPTIONS", url, "", "https://app.example", 204, true},
		{"question about the metadata", "OPTIONS", about, "", "https://app.example", 204, true},
		{"metadata", "GET", about, "", "https://app.example", 200, true},
		{"challenge", "POST", url, "", "https://app.example", 401, true},
		{"call", "POST", url, as.Token(nil), "https://app.example", 200, true},
		{"another page's question", "OPTIONS", url, "", "https://evil.example", 403, false},
		{"another page's call", "POST", url, as.Token(nil), "https://evil.example", 403, false},
		{"no page", "POST", url, as.Token(nil), "", 200, false},
		{"no page's question", "OPTIONS", url, "", "", 401, false},
	} {
		headers := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,mcp-session-id"}
		if tt.method != "OPTIONS" {
			headers = nil
		}
		if tt.origin != "" {
			headers = append(headers, "Origin", tt.origin)
		}
		response, text := ask(t, tt.method, tt.url, tt.token, greeting, headers...)
		got := response.Header
		if response.StatusCode != tt.want || (got.Get("Access-Control-Allow-Origin") == "https://app.example") != tt.shared || (got.Get("Access-Control-Allow-Origin") != "") != tt.shared {
			t.Errorf("%s: %d %v %s", tt.name, response.StatusCode, got, text)
		}
		if tt.shared && !strings.Contains(got.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
			t.Errorf("%s: %v", tt.name, got)
		}
		if tt.want == 204 && (got.Get("Access-Control-Allow-Headers") != "authorization,mcp-session-id" || !strings.Contains(got.Get("Access-Control-Allow-Methods"), "DELETE")) {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	plain := listen(t, s, nil)
	if response, _ := ask(t, "POST", plain, "", greeting); response.Header.Get("Vary") != "" {
		t.Errorf("without origins: %v", response.Header)
	}
}
