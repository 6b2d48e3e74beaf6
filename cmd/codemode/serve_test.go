package main

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
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

// Where a listener cannot be, the command line is at fault, and the text says what to change.
func TestWhereNothingCanListen(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a-token-that-is-long-enough-for-anybody\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--demo", "--http", "0.0.0.0:0"}, "without a token (--token-file) and without http.oauth"},
		{[]string{"serve", "--demo", "--http", "0.0.0.0:0", "--token-file", token, "--tls-cert", token, "--tls-key", token}, "the certificate cannot be used"},
		{[]string{"serve", "--demo", "--http", taken.Addr().String()}, "address already in use (port 0 takes a free one)"},
		{[]string{"serve", "--demo", "--http", "127.0.0.1:notaport"}, "notaport"},
		{[]string{"daemon", "--listen", taken.Addr().String()}, "address already in use (port 0 takes a free one)"},
		{[]string{"daemon", "--listen", "unix:" + filepath.Join(t.TempDir(), "missing", "socket")}, "no such file or directory"},
	} {
		var stderr strings.Builder
		code := dispatch(t.Context(), terminal{strings.NewReader(""), io.Discard, &stderr}, c.args)
		if code != exitUsage || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%v: %d %s", c.args, code, stderr.String())
		}
	}
}
