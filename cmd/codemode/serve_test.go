package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/protocol"
)

// TestSettingsReachTheExecutor runs a program that notices what the pool was made with.
func TestSettingsReachTheExecutor(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("here")) }))
	defer page.Close()
	code := `async () => [typeof WebAssembly, await fetch("` + page.URL + `").then((r) => r.text(), () => "closed")]`
	loopback := netip.MustParsePrefix("127.0.0.0/8")
	for _, c := range []struct {
		settings config.Settings
		want     string
	}{
		{config.Settings{Outbound: protocol.OutboundInherit}, `["object","closed"]`},
		{config.Settings{Outbound: protocol.OutboundInherit, AllowAddresses: []netip.Prefix{loopback}, Hardened: true, Workers: 1}, `["undefined","here"]`},
	} {
		pool, err := new(serveOptions).newExecutor(t.Context(), c.settings, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		result, err := pool.Execute(t.Context(), &protocol.ExecuteRequest{Code: code})
		if err != nil || string(result.Value) != c.want {
			t.Errorf("%+v: %s, %v, want %s", c.settings, result.Value, err, c.want)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}
