package main

import "testing"

func TestOpenable(t *testing.T) {
	for address, want := range map[string]string{
		"http://[::]:8765/mcp":      "http://127.0.0.1:8765/mcp",
		"wss://0.0.0.0:1":           "wss://127.0.0.1:1",
		"http://127.0.0.1:8765/mcp": "http://127.0.0.1:8765/mcp",
		"http://[::1]:8765/mcp":     "http://[::1]:8765/mcp",
		"http://10.0.0.1:1/mcp":     "http://10.0.0.1:1/mcp",
		"ws+unix:///run/x.sock":     "ws+unix:///run/x.sock",
		"ws+unix:///run/a b.sock":   "ws+unix:///run/a b.sock",
		"http://127.0.0.1:1/?token": "http://127.0.0.1:1/?token",
	} {
		if got := openable(address); got != want {
			t.Errorf("%s is told as %s", address, got)
		}
	}
}
