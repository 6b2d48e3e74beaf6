package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPins(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/state")
	for text, want := range map[string]Pins{
		`"x": {}`:                  {},
		`"codemode": {"pins": {}}`: {File: "/state/codemode/pins.json"},
		`"codemode": {"pins": {"servers": ["git*", "x"], "newTools": "withhold", "file": "p.json"}}`: {File: "/etc/p.json", Servers: []string{"git*", "x"}, WithholdNew: true},
	} {
		cfg, err := Parse("/etc/mcp.json", []byte(`{"mcpServers": {"a": {"command": "a"}}, `+text+`}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, cfg.Settings.Pins); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for text, want := range map[string]string{
		`"codemode": {"pins": {"servers": "["}}`:      `which is no glob`,
		`"codemode": {"pins": {"newTools": "maybe"}}`: `must be "allow" or "withhold"`,
		`"codemode": {"pins": true}`:                  `must be an object`,
	} {
		if _, err := Parse("/etc/mcp.json", []byte(`{"mcpServers": {"a": {"command": "a"}}, `+text+`}`), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	pins := Pins{File: "f", Servers: []string{"git*"}}
	if !pins.Has("github") || pins.Has("other") || (&Pins{}).Has("github") {
		t.Error("which servers are pinned")
	}
}
