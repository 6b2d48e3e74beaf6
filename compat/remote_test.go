package compat

import (
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/codemode-go/codemode/remote"
)

// TestCatalogueThroughADaemon runs the handed cases with a daemon between the dialect and the pool: not one may come
// out otherwise than it does without.
func TestCatalogueThroughADaemon(t *testing.T) {
	cases := handedCases(t)
	handler, err := remote.NewHandler(newPool(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Cleanup(func() { handler.Close() })
	client, err := remote.Dial(t.Context(), server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	column, err := LoadExpected(filepath.Join(handed, "expected-"+Newest+".json"), Newest)
	if err != nil {
		t.Fatal(err)
	}
	requireClean(t, Run(t.Context(), client, cases, []*Outcomes{column}, nil)[0])
}
