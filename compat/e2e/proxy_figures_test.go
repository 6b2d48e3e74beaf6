package e2e

import (
	"os"
	"testing"

	"github.com/codemode-go/codemode/compat/bench"
)

// echoVariable makes the test binary the server whose calls are measured.
const echoVariable = "CODEMODE_E2E_ECHO_SERVER"

// TestTheProxyIsMeasured runs what make bench-proxy does once. What it measures on a busy machine says nothing.
func TestTheProxyIsMeasured(t *testing.T) {
	needNode(t) // without it there is no binary
	t.Setenv(echoVariable, "yes")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := bench.RunProxy(t.Context(), codemode, []string{self}, &bench.Options{Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Measures) != 3 || p.Measures[0].Value <= 0 || p.Measures[1].Value < 10 {
		t.Errorf("%+v", p.Measures)
	}
}
