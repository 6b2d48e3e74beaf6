package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// linksIn are the links of an answer, by name.
func linksIn(t *testing.T, a incoming) map[string]string {
	t.Helper()
	var result struct {
		Content []struct{ Type, Name, URI, Description string }
	}
	if err := json.Unmarshal(a.Result, &result); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{}
	for _, block := range result.Content {
		if block.Type == "resource_link" {
			links[block.Name] = block.URI
		}
	}
	return links
}

// readAll reads pages from a URI on, to the last.
func (c *client) readAll(t *testing.T, uri string, longest int) string {
	t.Helper()
	var all strings.Builder
	for uri != "" {
		m := c.request("resources/read", `{"uri":"`+uri+`"}`)
		var result struct {
			Contents []struct {
				URI, Text string
				Meta      map[string]struct {
					Page, Pages int
					Next        string
				} `json:"_meta"`
			}
		}
		if err := json.Unmarshal(m.Result, &result); err != nil || len(result.Contents) != 1 {
			t.Fatalf("%s: %s %s", uri, m.Result, m.Error)
		}
		page := result.Contents[0]
		if page.URI != uri || len(page.Text) > longest || !utf8.ValidString(page.Text) {
			t.Errorf("%s: %d bytes", page.URI, len(page.Text))
		}
		all.WriteString(page.Text)
		uri = page.Meta[PageKey].Next
	}
	return all.String()
}

// TestCutResultsAreReadInPages covers a result and a console that are too long for an answer.
func TestCutResultsAreReadInPages(t *testing.T) {
	s := serve(t, nil, &Options{ResultChars: 2000})
	c := connect(t, s)
	for _, tt := range []struct{ program, name, want string }{
		{`async () => '天😀x'.repeat(3000)`, "result", strings.Repeat("天😀x", 3000)},
		{`async () => Array(2000).fill(7)`, "result", "[\n  7" + strings.Repeat(",\n  7", 1999) + "\n]"},
		{`async () => { console.log('y'.repeat(5000)); return 1 }`, "console output", strings.Repeat("y", 5000)},
	} {
		raw, _ := json.Marshal(map[string]any{"name": "code", "arguments": map[string]string{"code": tt.program}})
		links := linksIn(t, c.request("tools/call", string(raw)))
		if len(links) != 1 || !strings.HasPrefix(links[tt.name], resultScheme) {
			t.Errorf("%s: links %v", tt.program, links)
			continue
		}
		if got := c.readAll(t, links[tt.name], 2000); got != tt.want {
			t.Errorf("%s: pages of %d bytes, want %d: %.80q", tt.program, len(got), len(tt.want), got)
		}
		for _, uri := range []string{strings.TrimSuffix(links[tt.name], "1") + "99", strings.TrimSuffix(links[tt.name], "/1"), resultScheme + "guess/1"} {
			if m := c.request("resources/read", `{"uri":"`+uri+`"}`); m.Error == nil {
				t.Errorf("%s was read: %s", uri, m.Result)
			}
		}
		other := connect(t, s)
		if m := other.request("resources/read", `{"uri":"`+links[tt.name]+`"}`); m.Error == nil {
			t.Errorf("another client read it: %s", m.Result)
		}
	}
	raw := c.request("tools/call", `{"name":"code","arguments":{"code":"async () => 'short'"}}`)
	if links := linksIn(t, raw); len(links) != 0 {
		t.Errorf("a whole result has links %v", links)
	}
	if m := c.request("resources/list", `{}`); string(m.Result) != `{"resources":[]}` {
		t.Errorf("results are listed: %s %s", m.Result, m.Error)
	}
}

// TestReferenceHasNoPages covers the answers that have to read as the reference's.
func TestReferenceHasNoPages(t *testing.T) {
	c := connect(t, serve(t, nil, &Options{Reference: true, ResultChars: 2000}))
	raw := c.request("tools/call", `{"name":"code","arguments":{"code":"async () => 'x'.repeat(9000)"}}`)
	if links := linksIn(t, raw); len(links) != 0 {
		t.Errorf("links %v", links)
	}
}
