package mcpserver

import (
	"net/http"
	"slices"
)

// readable are the header fields of an answer that a page of another origin may read beside the usual ones.
const readable = "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After"

// share lets the pages of an allowed origin read an answer, as browsers ask for it (CORS of the Fetch standard), and reports whether the request
// was that question alone and is answered. Who may call is decided as ever: the answer to the question says nothing else.
func (o *HTTPOptions) share(w http.ResponseWriter, r *http.Request) (answered bool) {
	origin := r.Header.Get("Origin")
	if len(o.AllowedOrigins) > 0 {
		w.Header().Add("Vary", "Origin")
	}
	if !slices.Contains(o.AllowedOrigins, origin) || origin == "" {
		return false
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", readable)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	if fields := r.Header.Values("Access-Control-Request-Headers"); len(fields) > 0 {
		w.Header()["Access-Control-Allow-Headers"] = fields // the origin is trusted, and revisions have fields of their own
	}
	w.Header().Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
