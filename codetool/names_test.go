package codetool

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestToolIdentifiers(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"get-user", "get_user"}, {"a.b", "a_b"}, {"x y", "x_y"}, {"1st", "_1st"}, {"delete", "delete_"}, {"class", "class_"},
		{"constructor", "constructor"}, {"then", "then_"}, {"toString", "toString"}, {"__proto__", "__proto__"},
		{"天气", "天气"}, {"気象", "気象"}, {"émoji", "émoji"}, {"поиск🔍", "поиск"}, {"🔍", "tool_u1f50d"}, {"", "tool"},
		{"files:read!", "filesread"}, {"2fa-verify", "_2fa_verify"}, {"-delete", "_delete"}, {"$ok", "$ok"},
		{"a\u00a0b", "a_b"}, {"undefined", "undefined_"}, {"٣x", "_٣x"}, {"e\u0301", "e\u0301"}, {"\u0301", "_\u0301"},
		{"\xff", "tool_ufffd"},
	} {
		if got := toolIdentifier(c.name); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNamespaceIdentifiers(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", "codemode"}, {"my server", "my_server"}, {"my-server", "my_server"}, {"constructor", "constructor"},
		{"Promise", "Promise_"}, {"console", "console_"}, {"class", "class_"}, {"async", "async_"}, {"JSON", "JSON_"},
		{"undefined", "undefined_"}, {"fetch", "fetch"}, {"__logs", "__logs_"}, {"天気", "u5929_u6c17"}, {"_", "_"},
		{"café-db", "caf__db"}, {"@scope/server", "_scope_server"}, {"3d", "_3d"}, {"int", "int"},
	} {
		if got := NamespaceName(c.name); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCollisionsAreNumbered(t *testing.T) {
	for _, c := range []struct {
		name  string
		names []string
		want  map[string]string
	}{
		{"the exact name wins", []string{"a-b", "a_b"}, map[string]string{"a_b": "a_b", "a-b": "a_b_2"}},
		{"else the first by name", []string{"a.b", "a-b", "a b"}, map[string]string{"a b": "a_b", "a-b": "a_b_2", "a.b": "a_b_3"}},
		{"numbers step over names", []string{"a-b", "a_b", "a_b_2"}, map[string]string{"a_b": "a_b", "a-b": "a_b_3", "a_b_2": "a_b_2"}},
		{"numbers step over what others become", []string{"a-b", "a_b", "a-b-2"}, map[string]string{"a_b": "a_b", "a-b": "a_b_3", "a-b-2": "a_b_2"}},
		{"case tells apart", []string{"List", "list"}, map[string]string{"List": "List", "list": "list"}},
		{"scripts tell apart", []string{"天气", "気象", "émoji"}, map[string]string{"天气": "天气", "気象": "気象", "émoji": "émoji"}},
		{"reserved words", []string{"class", "class_"}, map[string]string{"class": "class__2", "class_": "class_"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 20 {
				rand.Shuffle(len(c.names), func(i, j int) { c.names[i], c.names[j] = c.names[j], c.names[i] })
				got := map[string]string{}
				for i, id := range assignIdentifiers(c.names, toolIdentifier) {
					got[c.names[i]] = id
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Fatalf("%v (-want +got):\n%s", c.names, diff)
				}
			}
		})
	}
}

// Tools of a server whose names all come to one identifier are numbered as fast as others.
func TestNamesOfOneIdentifier(t *testing.T) {
	names := make([]string, 20_000)
	for i := range names {
		names[i] = "tool" + strings.Repeat("!", i%100) + strings.Repeat("?", i/100)
	}
	assigned := assignIdentifiers(names, func(string) string { return "tool" })
	unique := map[string]bool{}
	for _, name := range assigned {
		unique[name] = true
	}
	if len(unique) != len(names) || !unique["tool"] || !unique["tool_2"] || !unique["tool_20000"] {
		t.Errorf("%d names", len(unique))
	}
}
