package mcpserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAMessageOfTooManyValues: in 32 MiB there is room for sixteen million, which would take a gigabyte.
func TestAMessageOfTooManyValues(t *testing.T) {
	s := fakes(t, nil, "echo")
	web := httptest.NewServer(newEndpoints().handler(s))
	defer web.Close()
	id := session(t, web.URL)
	call := func(arguments string) (int, string) {
		response, err := post(t.Context(), web.URL, id, "2025-11-25", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"code","arguments":`+arguments+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(text)
	}
	for _, many := range []string{strings.Repeat("0,", maxValues) + "0", strings.Repeat("[],", maxValues) + "0", strings.Repeat(`{"":[`, maxValues) + "0" + strings.Repeat("]}", maxValues)} {
		if status, text := call(`{"code":"async () => 1","x":[` + many + `]}`); status != http.StatusBadRequest || !strings.Contains(text, "a message has at most 100000 values") {
			t.Errorf("status %d, %.200s", status, text)
		}
	}
	if status, text := call(`{"code":"async () => [` + strings.Repeat("1,[],", maxValues) + `].length"}`); status != http.StatusOK || !strings.Contains(text, "200000") {
		t.Errorf("a program with many values: status %d, %.200s", status, text)
	}
}
