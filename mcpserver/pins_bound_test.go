package mcpserver

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
)

// statusWith is a server that is ready and lists these tools.
func statusWith(names ...string) *upstream.Status {
	status := &upstream.Status{Name: "srv", State: upstream.Ready}
	for _, name := range names {
		status.Tools = append(status.Tools, upstream.Tool{Name: name})
	}
	return status
}

// numberedNames are the names from first on.
func numberedNames(first, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint("tool", first+i))
	}
	return names
}

// A server that keeps renaming its tools fills neither the file nor the log.
func TestPinnedNamesAreBounded(t *testing.T) {
	var log bytes.Buffer
	c := config.Pins{File: filepath.Join(t.TempDir(), "pins.json")}
	p := newPins(c, slog.New(slog.NewTextHandler(&log, nil)))
	if whys := p.withheld("id", statusWith(numberedNames(0, maxPinned-1)...)); len(whys) != 0 {
		t.Fatal(len(whys))
	}
	full := statusWith("first", "second", "tool0")
	whys := p.withheld("id", full)
	if len(whys) != 1 || !strings.Contains(whys["second"], "is new, and this server has had 20000 names of tools (the limit maxPinned)") {
		t.Errorf("%v", whys)
	}
	if !strings.Contains(log.String(), "a tool is withheld") || !strings.Contains(log.String(), "maxPinned") {
		t.Error(log.String())
	}
	for i := range 3 {
		names := numberedNames(maxPinned*(i+1), maxTold)
		if whys := p.withheld("id", statusWith(names...)); len(whys) != maxTold {
			t.Errorf("%d are withheld", len(whys))
		}
	}
	if lines := strings.Count(log.String(), "\n"); len(p.told) != maxTold+1 || lines != maxTold+1 || !strings.Contains(log.String(), "maxTold") {
		t.Errorf("%d told in %d lines", len(p.told), lines)
	}
	again := newPins(c, slog.New(slog.DiscardHandler)) // another process
	if whys := again.withheld("id", full); len(whys) != 1 || len(again.known["id"].Tools) != maxPinned {
		t.Errorf("%v, %d names in the file", whys, len(again.known["id"].Tools))
	}
	if err := again.record("id", full, "second"); err != nil { // a person decides
		t.Fatal(err)
	}
	if whys := p.withheld("id", full); len(whys) != 0 {
		t.Errorf("%v", whys)
	}
}

func TestLongNamesAreBounded(t *testing.T) {
	p := newPins(config.Pins{File: filepath.Join(t.TempDir(), "pins.json")}, slog.New(slog.DiscardHandler))
	long := strings.Repeat("x", 1<<20)
	p.withheld("id", statusWith(long))
	for key := range p.known["id"].Tools {
		if len(key) > 128 {
			t.Errorf("%d bytes", len(key))
		}
	}
	changed := statusWith(long, long+"y")
	changed.Tools[0].Description = "Another."
	if whys := p.withheld("id", changed); len(whys) != 1 || whys[long] == "" {
		t.Errorf("%d", len(whys))
	}
}
