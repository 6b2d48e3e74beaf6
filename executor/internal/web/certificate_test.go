//go:build cgo && (linux || darwin)

package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/recorded"
)

// TestCertificates runs what was recorded on workerd of node:crypto's X509Certificate and Certificate. Where it answers
// otherwise here, certificate_differences.txt has it: a private key that belongs to a certificate is found to, errors are
// Node's, and what a certificate shows itself by.
func TestCertificates(t *testing.T) {
	certificates, err := os.ReadFile(filepath.Join("testdata", "certificates.json"))
	if err != nil {
		t.Fatal(err)
	}
	run := inSandboxes(t)
	recorded.Check(t, "certificates.txt", "certificate_differences.txt", func(expression string) string {
		return run("const { ca: CA, leaf: LEAF, plain: PLAIN, leafkey: LEAFKEY, cakey: CAKEY } = " + strings.TrimSpace(string(certificates)) + ";" +
			"const crypto_ = await import('node:crypto'); const { X509Certificate, createPrivateKey, createPublicKey } = crypto_;" +
			"const ca = new X509Certificate(CA), leaf = new X509Certificate(LEAF), plain = new X509Certificate(PLAIN);" + expression)
	})
}
