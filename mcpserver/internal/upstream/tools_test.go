package upstream

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGlobsKnowBothNames: a tool is included and excluded by the name that its server gives it and by the one that programs
// call.
func TestGlobsKnowBothNames(t *testing.T) {
	for _, tt := range []struct{ listed, include, exclude, want, idle string }{
		{listed: "get-sum echo", want: "get-sum=get_sum echo=echo"},
		{listed: "get-sum echo", include: "get_sum", want: "get-sum=get_sum"},
		{listed: "get-sum echo", include: "get-sum", want: "get-sum=get_sum"},
		{listed: "get-sum echo", exclude: "get_sum", want: "echo=echo"},
		{listed: "get-sum echo", exclude: "GET-sum", want: "echo=echo"},
		{listed: "a/b echo", exclude: "a*", want: "echo=echo"},
		{listed: "get-sum get.sum", want: "get-sum=get_sum get.sum=get_sum_2"},
		{listed: "get-sum get.sum", include: "get_sum", want: "get-sum=get_sum"},
		{listed: "get-sum get.sum", include: "get_sum_2", want: "get.sum=get_sum"},
		{listed: "get-sum get.sum", exclude: "get_sum", want: ""}, // the other one would have its name
		{listed: "echo", include: "echo ech0", exclude: "get_sum", want: "echo=echo", idle: `includeTools has "ech0"; excludeTools has "get_sum"`},
		{listed: "get-sum echo", include: "echo", exclude: "get_sum", want: "echo=echo"}, // matches, though it is not included anyway
	} {
		var entries []json.RawMessage
		for name := range strings.FieldsSeq(tt.listed) {
			entries = append(entries, json.RawMessage(`{"name":"`+name+`"}`))
		}
		include, exclude := strings.Fields(tt.include), strings.Fields(tt.exclude)
		tools, warnings := decodeTools(entries, include, exclude)
		var got []string
		for _, tool := range tools {
			got = append(got, tool.Name+"="+tool.Identifier)
		}
		if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" || len(warnings) > 0 {
			t.Errorf("%+v: %s %q", tt, d, warnings)
		}
		if d := cmp.Diff(tt.idle, strings.Join(idle(entries, include, exclude), "; ")); d != "" {
			t.Errorf("%+v: %s", tt, d)
		}
	}
}
