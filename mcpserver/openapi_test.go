package mcpserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
)

const shopDocument = `{
  "openapi": "3.1.0",
  "info": {"title": "Shop", "version": "3", "summary": "Orders of a shop."},
  "paths": {
    "/orders/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
      "get": {"operationId": "getOrder", "summary": "One order.", "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}}},
      "delete": {"operationId": "deleteOrder", "responses": {"204": {"description": "gone"}}}
    },
    "/orders": {"post": {"operationId": "createOrder", "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}, "responses": {"201": {"description": "made", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}}}},
    "/label": {"get": {"operationId": "label", "responses": {"200": {"description": "ok", "content": {"image/png": {}}}}}}
  },
  "components": {"schemas": {"Order": {"type": "object", "required": ["item"], "properties": {"id": {"type": "integer", "readOnly": true}, "item": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Order"}}}}}}
}`

// TestProgramsCallAnAPI: the functions of a document are as those of any server, in what is declared, checked, allowed,
// and written down.
func TestProgramsCallAnAPI(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		switch {
		case r.Header.Get("Authorization") != "Bearer shop-token":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/label":
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, strings.Repeat("\x89PNG", 40))
		case r.Method == http.MethodPost:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"id": 8, "sent": %s}`, body)
		case r.URL.Path == "/v1/orders/404":
			http.Error(w, "no such order, says shop-token", http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id": 7, "item": "bolt", "at": %q}`, r.Method+" "+r.URL.Path)
		}
	}))
	defer web.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop.json"), []byte(shopDocument), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(filepath.Join(dir, "mcp.json"), []byte(fmt.Sprintf(`{"mcpServers": {
		"shop": {"openapi": "shop.json", "url": %q, "headers": {"Authorization": "Bearer ${SHOP_TOKEN}"}},
		"broken": {"openapi": "none.yaml", "url": %[1]q}}}`, web.URL+"/v1")), &config.Options{LookupEnv: func(string) (string, bool) { return "shop-token", true }})
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	audit := filepath.Join(dir, "runs.jsonl")
	s := serve(t, FromConfig(cfg), &Options{
		Audit:  config.Audit{File: audit, MaxBytes: 1 << 20, Keep: 1},
		Policy: config.Policy{Rules: []codetool.Rule{{Action: codetool.Allow, Tools: []string{"createOrder"}}, {Action: codetool.Deny, Destructive: &yes, Reason: "nothing is destroyed"}}},
	})
	s.Settled(t.Context())
	c := connect(t, s)
	description := s.Description()
	for _, want := range []string{"getOrder", "One order.", "item: string", `server "broken" is down: cannot read the document`} {
		if !strings.Contains(description, want) {
			t.Errorf("the description has no %q:\n%s", want, description)
		}
	}
	for program, want := range map[string]string{
		`async () => (await shop.getOrder({id: 7})).at`:                                        "GET /v1/orders/7",
		`async () => JSON.stringify(await shop.createOrder({body: {item: "nut", parts: []}}))`: `{"id":8,"sent":{"item":"nut","parts":[]}}`,
		`async () => shop.createOrder({body: {parts: []}})`:                                    "item",
		`async () => shop.getOrder({id: "seven"})`:                                             "id",
		`async () => shop.getOrder({id: 404})`:                                                 "HTTP 404 Not Found: no such order, says [redacted]",
		`async () => shop.deleteOrder({id: 7})`:                                                "nothing is destroyed",
		`async () => shop.request({method: "DELETE", path: "/orders/7"})`:                      "nothing is destroyed",
		`async () => shop.label({})`:                                                           `"mimeType":"image/png"`,
	} {
		if got := c.code(program).text(); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
	data, err := os.ReadFile(audit)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); strings.Contains(text, "shop-token") || !strings.Contains(text, `"tool":"deleteOrder"`) || strings.Count(text, "\n") != 8 {
		t.Errorf("%s", text)
	}
	if !json.Valid([]byte(strings.Split(string(data), "\n")[0])) {
		t.Error("the audit is no JSON")
	}
}
