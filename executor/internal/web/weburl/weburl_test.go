package weburl_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/weburl"
)

// load reads one of the web platform tests' data files.
func load(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dataDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// dataDir finds the shared test data: CODEMODE_SHARED, or shared/ beside the repository.
func dataDir(t *testing.T) string {
	t.Helper()
	root := os.Getenv("CODEMODE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "..", "shared")
	}
	dir := filepath.Join(root, "wpt")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("no web platform test data: %v", err)
		}
		t.Fatalf("no web platform test data: %v", err)
	}
	return dir
}

func get(u *weburl.URL, property string) string {
	p := u.Parts()
	switch property {
	case "href":
		return p.Href
	case "origin":
		return p.Origin
	case "protocol":
		return p.Protocol
	case "username":
		return p.Username
	case "password":
		return p.Password
	case "host":
		return p.Host
	case "hostname":
		return p.Hostname
	case "port":
		return p.Port
	case "pathname":
		return p.Pathname
	case "search":
		return p.Search
	case "hash":
		return p.Hash
	}
	panic("unknown property " + property)
}

func TestParse(t *testing.T) {
	var rows []json.RawMessage
	load(t, "urltestdata.json", &rows)
	properties := []string{"href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"}
	for _, raw := range rows {
		var row map[string]any
		if json.Unmarshal(raw, &row) != nil {
			continue // a comment
		}
		input := row["input"].(string)
		var base *weburl.URL
		if b, ok := row["base"].(string); ok {
			var valid bool
			if base, valid = weburl.Parse(b, nil); !valid {
				if row["failure"] != true {
					t.Errorf("base %q does not parse", b)
				}
				continue
			}
		}
		u, ok := weburl.Parse(input, base)
		if row["failure"] == true {
			if ok {
				t.Errorf("%q on %v: parsed as %s, want a failure", input, row["base"], u)
			}
			continue
		}
		if !ok {
			t.Errorf("%q on %v: failed, want %v", input, row["base"], row["href"])
			continue
		}
		for _, property := range properties {
			if want, has := row[property]; has && get(u, property) != want {
				t.Errorf("%q on %v: %s = %q, want %q", input, row["base"], property, get(u, property), want)
			}
		}
		if again, ok := weburl.Parse(u.String(), nil); !ok || again.String() != u.String() {
			t.Errorf("%q: %s does not parse to itself", input, u)
		}
	}
}

func TestSetters(t *testing.T) {
	var sets map[string]json.RawMessage
	load(t, "setters_tests.json", &sets)
	for property, raw := range sets {
		if property == "comment" {
			continue
		}
		var rows []struct {
			Href     string
			NewValue string `json:"new_value"`
			Expected map[string]string
		}
		if err := json.Unmarshal(raw, &rows); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			u, ok := weburl.Parse(row.Href, nil)
			if !ok {
				t.Errorf("%q does not parse", row.Href)
				continue
			}
			u.Set(property, row.NewValue)
			for name, want := range row.Expected {
				if got := get(u, name); got != want {
					t.Errorf("%s.%s = %q: %s is %q, want %q", row.Href, property, row.NewValue, name, got, want)
				}
			}
		}
	}
}

func TestToASCII(t *testing.T) {
	for _, name := range []string{"toascii.json", "IdnaTestV2.json"} {
		var rows []json.RawMessage
		load(t, name, &rows)
		for _, raw := range rows {
			var row struct {
				Input   string
				Output  *string
				Comment string
			}
			if json.Unmarshal(raw, &row) != nil || row.Input == "" {
				continue // a comment; an empty host cannot be asked for in a URL
			}
			u, ok := weburl.Parse("https://"+row.Input+"/x", nil)
			switch {
			case row.Output == nil && ok:
				t.Errorf("%s: %q (%s) gives %q, want a failure", name, row.Input, row.Comment, *u.Host)
			case row.Output != nil && !ok:
				t.Errorf("%s: %q (%s) fails, want %q", name, row.Input, row.Comment, *row.Output)
			case row.Output != nil && *u.Host != *row.Output:
				t.Errorf("%s: %q (%s) gives %q, want %q", name, row.Input, row.Comment, *u.Host, *row.Output)
			}
		}
	}
}
