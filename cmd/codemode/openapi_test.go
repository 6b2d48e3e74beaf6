package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"
)

// petstoreCmd starts an HTTP API that ends with the script, and puts its address into $PETS_URL.
func petstoreCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: petstore")
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "pets-s3cret" {
			http.Error(w, "not with "+r.Header.Get("X-Key"), http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"at": %q}`, r.Method+" "+r.URL.String())
	}))
	ts.Defer(web.Close)
	ts.Setenv("PETS_URL", web.URL)
}
