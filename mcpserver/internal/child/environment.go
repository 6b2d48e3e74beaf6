package child

import (
	"os"
	"runtime"
	"strings"
)

// Environment makes a child's environment: of ours the names that programs need to find their way (all of it with
// inherit), and on top of that own, as NAME=value. Tokens in our environment stay ours that way. The allow-list is the
// MCP TypeScript SDK's (client/stdio.ts, DEFAULT_INHERITED_ENV_VARS) with locale, temporary directory, proxy,
// certificate and package registry added.
func Environment(own []string, inherit bool) []string {
	var env []string
	for _, e := range os.Environ() {
		name, value, _ := strings.Cut(e, "=")
		// A value of this form is a function that some shells would define, and so run.
		if inherit || isInherited(name) && !strings.HasPrefix(value, "()") {
			env = append(env, e)
		}
	}
	return append(env, own...)
}

func isInherited(name string) bool {
	if strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") {
		return true
	}
	switch strings.ToUpper(name) {
	case "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
		"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_CACHE", "NPM_CONFIG_CAFILE",
		"NPM_CONFIG_USERCONFIG", "PIP_INDEX_URL", "UV_INDEX_URL":
		return true
	case "APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP",
		"USERNAME", "USERPROFILE", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMDATA", "PATHEXT", "COMSPEC", "WINDIR", "TMP":
		return runtime.GOOS == "windows" || name == "TEMP" || name == "TMP"
	case "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "TZ", "TMPDIR":
		return true
	}
	return false
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
