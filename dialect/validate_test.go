package dialect

import (
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

func named(names ...string) []Provider {
	providers := make([]Provider, len(names))
	for i, name := range names {
		providers[i].Name = name
	}
	return providers
}

func withTools(provider string, tools ...string) Provider {
	p := Provider{Name: provider}
	for _, tool := range tools {
		p.Functions = append(p.Functions, Function{Name: tool})
	}
	return p
}

func TestValidateExecution(t *testing.T) {
	for _, c := range []struct {
		name       string
		providers  []Provider
		connectors []Connector
		want       string
	}{
		{"reserved provider", named("Promise"), nil, `Provider name "Promise" is reserved`},
		{"reserved connector", nil, []Connector{{Name: "console"}}, `Connector name "console" is reserved`},
		{"native dispatch", named("__dispatch"), nil, `Provider name "__dispatch" is reserved`},
		{"pattern", nil, []Connector{{Name: "my-api"}}, `Connector name "my-api" is not a valid JavaScript identifier`},
		{"empty", named(""), nil, `Provider name "" is not a valid JavaScript identifier`},
		{"ascii only", named("π"), nil, `Provider name "π" is not a valid JavaScript identifier`},
		{"line end", named("a\n"), nil, "Provider name \"a\n\" is not a valid JavaScript identifier"},
		{"reserved word", named("class"), nil, `Provider name "class" is a JavaScript reserved word`},
		{"async", named("async"), nil, `Provider name "async" is a JavaScript reserved word`},
		{"eval", named("eval"), nil, `Provider name "eval" is a JavaScript reserved word`},
		{"arguments", nil, []Connector{{Name: "arguments"}}, `Connector name "arguments" is a JavaScript reserved word`},
		{"duplicate provider", named("dup", "dup"), nil, `Duplicate provider name "dup"`},
		{"connector clash", named("api"), []Connector{{Name: "api"}}, `Duplicate name "api" (connector clashes with provider)`},
		{"two connectors", nil, []Connector{{Name: "api"}, {Name: "api"}}, `Duplicate name "api" (connector clashes with provider)`},
		{"collision", []Provider{withTools("gh", "list-issues", "list.issues")}, nil,
			`Tool names "list-issues" and "list.issues" both sanitize to "list_issues" in provider "gh"`},
		{"collision of nothing", []Provider{withTools("gh", "", "!")}, nil,
			`Tool names "" and "!" both sanitize to "_" in provider "gh"`},

		{"first provider first", named("1bad", "Promise"), nil, `Provider name "1bad" is not a valid JavaScript identifier`},
		{"providers before connectors", named("a-b"), []Connector{{Name: "Promise"}}, `Provider name "a-b" is not a valid JavaScript identifier`},
		{"names before collisions", []Provider{withTools("a", "x-y", "x_y"), {Name: "a"}}, nil, `Duplicate provider name "a"`},
		{"connectors before collisions", []Provider{withTools("a", "x-y", "x_y")}, []Connector{{Name: "a"}},
			`Duplicate name "a" (connector clashes with provider)`},

		{"fine", append(named("$", "_x", "undefined", "then", "process", "constructor"), withTools("a", "x", "x", "X")),
			[]Connector{{Name: "mail"}}, ""},
		{"exact names do not sanitize", []Provider{{Name: "a", ExactNames: true, Functions: []Function{{Name: "x-y"}, {Name: "x_y"}}}}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, refused := ValidateExecution(c.providers, c.connectors)
			if got != c.want || refused != (c.want != "") {
				t.Errorf("got %q, %v; want %q", got, refused, c.want)
			}
		})
	}
}

// The reference's own list (0.5.6), and the protocol's: both are refused as reserved.
func TestReservedNames(t *testing.T) {
	names := append(protocol.ReservedProviderNames(), "__dispatchers", "__connectors", "__logs", "__CODEMODE_BINARY_TAG",
		"__bytesToBase64", "__base64ToBytes", "__encodeCodemodeValue", "__decodeCodemodeValue", "__stringifyForCodemode",
		"__parseForCodemode", "WorkerEntrypoint", "CodeExecutor", "Promise", "setTimeout", "Error", "console")
	for _, name := range names {
		want := `Provider name "` + name + `" is reserved`
		if got, _ := ValidateExecution(named(name), nil); got != want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestRefusedRequestTouchesNothing(t *testing.T) {
	native := returns(&protocol.ExecuteResult{}, nil)
	result := executeWith(t, native, named("my-api"), nil)
	if result.Error != `Provider name "my-api" is not a valid JavaScript identifier` {
		t.Errorf("error %q", result.Error)
	}
	if result.Logs != nil || result.Native != nil || result.Value != nil || len(native.requests) != 0 {
		t.Errorf("a refused request must have no logs and reach no executor: %+v, %d requests", result, len(native.requests))
	}
}
