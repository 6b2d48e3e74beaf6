package dialect

import (
	"testing"
)

func TestSanitizeToolName(t *testing.T) {
	// The rows of the seed's table, then names answered by upstream's
	// sanitizeToolName (0.5.6).
	for _, c := range [][2]string{
		{"list-issues", "list_issues"},
		{"search.code", "search_code"},
		{"send email", "send_email"},
		{"files:read!", "filesread"},
		{"2fa-verify", "_2fa_verify"},
		{"delete", "delete_"},
		{"-delete", "_delete"},
		{"поиск🔍", "_"},

		{"", "_"},
		{"!", "_"},
		{"..", "__"},
		{"1", "_1"},
		{"$ok", "$ok"},
		{"a/b", "ab"},
		{"a__b", "a__b"},
		{"a\tb", "a_b"},
		{"a\u00a0b", "a_b"},
		{"a\ufeffb", "a_b"},
		{"a\u2028b\u3000c", "a_b_c"},
		{"a\u0085b", "ab"},
		{"a\u180eb", "ab"},
		{"a\u200bb", "ab"},
		{"naïve", "nave"},
		{"dé2", "d2"},
		{"é2", "_2"},
		{"de!lete", "delete_"},
		{"undefined", "undefined_"},
		{"NaN", "NaN"},
		{"async", "async"},
		{"of", "of"},
		{"get", "get"},
		{"Delete", "Delete"},
		{"constructor", "constructor"},
		{"__proto__", "__proto__"},
		{"then", "then"},
		{"a\xffb", "ab"},
	} {
		if got := SanitizeToolName(c[0]); got != c[1] {
			t.Errorf("SanitizeToolName(%q) = %q, want %q", c[0], got, c[1])
		}
		if id := SanitizeToolName(c[0]); SanitizeToolName(id) != id {
			t.Errorf("SanitizeToolName(%q) = %q is no fixed point: %q", c[0], id, SanitizeToolName(id))
		}
	}
}

func TestDetectSanitizeCollision(t *testing.T) {
	for _, c := range []struct {
		provider string
		names    []string
		want     string
	}{
		{"gh", nil, ""},
		{"gh", []string{"list-issues", "list.issues"}, `Tool names "list-issues" and "list.issues" both sanitize to "list_issues" in provider "gh"`},
		{"codemode", []string{"foo-bar", "foo_bar"}, `Tool names "foo-bar" and "foo_bar" both sanitize to "foo_bar" in provider "codemode"`},
		{"codemode", []string{"x", "a.b", "y", "a-b", "a_b"}, `Tool names "a.b" and "a-b" both sanitize to "a_b" in provider "codemode"`},
		{"codemode", []string{"class", "class_"}, `Tool names "class" and "class_" both sanitize to "class_" in provider "codemode"`},
		{"codemode", []string{"Foo", "foo"}, ""},
		{"codemode", []string{"foo", "foo"}, ""},
		{"codemode", []string{"", "!"}, `Tool names "" and "!" both sanitize to "_" in provider "codemode"`},
		{`q"p`, []string{"a\nb", "a\tb"}, "Tool names \"a\nb\" and \"a\tb\" both sanitize to \"a_b\" in provider \"q\"p\""},
	} {
		text, collides := DetectSanitizeCollision(c.provider, c.names)
		if text != c.want || collides != (c.want != "") {
			t.Errorf("DetectSanitizeCollision(%q, %q) = %q, %v, want %q", c.provider, c.names, text, collides, c.want)
		}
	}
}

// TestSanitizeToolNameAgainstUpstream compares with what upstream's
// sanitizeToolName (0.5.6) answered: one [name, identifier] pair a line.
func TestSanitizeToolNameAgainstUpstream(t *testing.T) {
	pairs := readJSONLines[[2]string](t, "testdata/toolnames.jsonl")
	for _, p := range pairs {
		if got := SanitizeToolName(p[0]); got != p[1] {
			t.Errorf("SanitizeToolName(%q) = %q, upstream says %q", p[0], got, p[1])
		}
	}
	if len(pairs) < 300 {
		t.Errorf("testdata holds %d names, want at least 300", len(pairs))
	}
}
