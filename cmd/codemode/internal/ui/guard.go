package ui

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// guard lets in who has the token, under this machine's own name, and tells the browser to run and ask for nothing but what
// this page has.
type guard struct {
	token string
	// cookie is its name. Browsers send cookies to all ports of a host, so that two pages side by side need two names.
	cookie string
	next   http.Handler
}

// policy is the Content-Security-Policy: nothing but our own files and addresses.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func newGuard(port string, next http.Handler) *guard {
	return &guard{token: rand.Text(), cookie: "codemode_ui_" + port, next: next}
}

// bodyTime bounds how long a connection waits for a body, which nobody reads: it would without end.
const bodyTime = 10 * time.Second

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // a connection has one
	}
	header := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		header.Set(name, value)
	}
	switch {
	case !ownName(r.Host):
		http.Error(w, "Forbidden: this page is not known under this name", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed: this page only shows", http.StatusMethodNotAllowed)
	case strings.HasPrefix(r.URL.Path, "/static/"):
		g.next.ServeHTTP(w, r)
	case r.URL.Path == "/" && r.URL.Query().Has("token"):
		g.enter(w, r)
	case !g.known(r):
		render(w, http.StatusUnauthorized, "message", message{"No entry", "This page needs the address that codemode printed when it started, with its token in it. Each start has another."})
	default:
		g.next.ServeHTTP(w, r)
	}
}

// enter turns the token in the address into a cookie. The page that goes on from there is not a redirection: a browser would
// not send a strict cookie along with one that began at another site, such as a terminal in a web page.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	if !g.is(r.URL.Query().Get("token")) {
		render(w, http.StatusUnauthorized, "message", message{"No entry", "The token in this address is not that of the running codemode: each start prints another."})
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	render(w, http.StatusOK, "enter", nil)
}

func (g *guard) known(r *http.Request) bool {
	cookie, err := r.Cookie(g.cookie)
	return err == nil && g.is(cookie.Value)
}

func (g *guard) is(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1
}

// ownName guards against DNS rebinding: a name that somebody made point here is not this machine's.
func ownName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// localAddress is an address to listen on that only this machine reaches; without a host it is the loopback interface.
func localAddress(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("the address %q is not host:port: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !ownName(host) {
		return "", fmt.Errorf("refusing to show runs on %s: others can reach it, and this page is for this machine", addr)
	}
	return net.JoinHostPort(host, port), nil
}
