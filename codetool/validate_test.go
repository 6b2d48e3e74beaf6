package codetool

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestArgumentsAreChecked(t *testing.T) {
	object := func(properties, rest string) string {
		return `{"type":"object","properties":{` + properties + `}` + rest + `}`
	}
	for _, c := range []struct{ name, schema, args, want string }{
		{"missing", object(`"id":{"type":"integer"}`, `,"required":["id"]`), `{"ID":"x"}`, `id: missing, expected as a property (given: "ID")`},
		{"missing of nothing", object(`"id":{}`, `,"required":["id"]`), ``, `id: missing, expected as a property (given: none)`},
		{"type", object(`"userId":{"type":"string"}`, ``), `{"userId":5}`, `userId: expected string, got 5`},
		{"types", object(`"a":{"type":["string","null"]}`, ``), `{"a":[1]}`, `a: expected string or null, got [1]`},
		{"enum", object(`"state":{"enum":["open","closed"]}`, ``), `{"state":"opened"}`, `state: expected one of "open", "closed", got "opened"`},
		{"const", object(`"k":{"const":"a"}`, ``), `{"k":"b"}`, `k: expected "a", got "b"`},
		{"unknown", object(`"id":{},"name":{}`, `,"additionalProperties":false`), `{"foo":1}`, `foo: unknown property (allowed: "id", "name")`},
		{"unknown, nested", object(`"o":{"type":"object","properties":{"x/y":{}},"additionalProperties":false}`, ``), `{"o":{"z":1}}`, `o.z: unknown property (allowed: "x/y")`},
		{"path", object(`"labels":{"type":"array","items":{"type":"string"}}`, ``), `{"labels":["a",5]}`, `labels[1]: expected string, got 5`},
		{"odd path", object(`"a b":{"type":"string"}`, ``), `{"a b":5}`, `["a b"]: expected string, got 5`},
		{"minimum", object(`"n":{"minimum":1}`, ``), `{"n":0}`, `n: expected at least 1, got 0`},
		{"fractions", object(`"n":{"multipleOf":0.25}`, ``), `{"n":0.3}`, `n: expected a multiple of 0.25, got 0.3`},
		{"length", object(`"s":{"minLength":2}`, ``), `{"s":"x"}`, `s: expected at least 2 characters, got 1: "x"`},
		{"pattern", object(`"s":{"pattern":"^a+$"}`, ``), `{"s":"b"}`, `s: expected text that matches /^a+$/, got "b"`},
		{"a pattern of JavaScript's", object(`"s":{"pattern":"^(?!x)"}`, ``), `{"s":"x"}`, `s: expected text that matches /^(?!x)/, got "x"`},
		{"not an object", object(``, ``), `"x"`, `the argument: expected object, got "x"; call it as s.get_user()`},
		{"long values are cut", object(`"n":{"type":"number"}`, ``), `{"n":"` + strings.Repeat("x", 500) + `"}`, `n: expected number, got "` + strings.Repeat("x", 59) + `…`},
		{"alternatives", object(`"a":{"anyOf":[{"type":"string"},{"type":"number"}]}`, ``), `{"a":true}`,
			`a: expected string or number, got true`},
		{"the alternative of its type", object(`"a":{"anyOf":[{"type":"string"},{"type":"object","required":["x"]}]}`, ``), `{"a":{}}`,
			`a.x: missing, expected as a property (given: none)`},
		{"more than one", `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1,"b":2}`, `the argument: {"a":1,"b":2} matches more than one of the allowed alternatives`},
		{"references", `{"$defs":{"N":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/N"}}}}},"$ref":"#/$defs/N"}`,
			`{"kids":[{"kids":[3]}]}`, `kids[0].kids[0]: expected object, got 3`},
		{"big integers", object(`"n":{"type":"integer","maximum":9007199254740993}`, ``), `{"n":9007199254740994}`, `n: expected at most 9007199254740993, got 9007199254740994`},
		{"draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`, `{"n":1}`, `n: expected more than 1, got 1`},
		{"draft 4, unsaid", `{"properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`, `{"n":1}`, `n: expected more than 1, got 1`},
		{"draft 7 tuple, unsaid", object(`"p":{"items":[{"type":"number"}]}`, ``), `{"p":["x"]}`, `p[0]: expected number, got "x"`},
		{"false", object(`"a":false`, ``), `{"a":1}`, `a: not allowed here`},

		{"fine", object(`"id":{"type":"integer"}`, `,"required":["id"]`), `{"id":1}`, ""},
		{"null is no argument", object(``, ``), `null`, ""},
		{"nullable", object(`"a":{"type":"string","nullable":true}`, ``), `{"a":null}`, ""},
		{"nullable enum", object(`"a":{"enum":["x"],"nullable":true}`, ``), `{"a":null}`, ""},
		{"a property called nullable", object(`"nullable":true`, ``), `{"nullable":1}`, ""},
		{"formats are notes", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"d":{"format":"date-time"}}}`, `{"d":"2024-01-01"}`, ""},
		{"true", `true`, `{"a":1}`, ""},
		{"null", `null`, `{"a":1}`, ""},
		{"empty", `{}`, `"x"`, ""},
		{"absent", ``, `"x"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			options := &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
			_, err := callOnce(t, options, []Provider{{Name: "s", Tools: []RawTool{echoTool("get-user", c.schema)}}}, "s", "get_user", "["+c.args+"]")
			want := c.want
			if want != "" {
				want = "Invalid arguments for s.get_user:\n- " + want
			}
			if errorText(err) != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if log.Len() > 0 {
				t.Errorf("warned: %s", &log)
			}
		})
	}
}

func TestManyProblemsAreCut(t *testing.T) {
	_, err := callOnce(t, nil, []Provider{{Tools: []RawTool{echoTool("t", `{"additionalProperties":{"type":"string"}}`)}}}, "codemode", "t",
		`[{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1}]`)
	if err == nil || strings.Count(err.Error(), "\n") != 13 || !strings.HasSuffix(err.Error(), "\n- and 2 more") {
		t.Errorf("got %v", err)
	}
}

// A schema that is broken never takes the tool away, and its sound parts still count.
func TestBrokenSchemasWarn(t *testing.T) {
	for _, schema := range []string{
		`{"type":"nonsense"}`, `{"$ref":"https://example.com/other.json"}`, `{"$ref":"#/$defs/gone"}`, `{"properties":5}`, `{`,
		`{"$schema":"https://example.com/own-dialect"}`, `5`,
	} {
		var log bytes.Buffer
		options := &Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Description: "-"}
		got, err := callOnce(t, options, []Provider{{Name: "s", Tools: []RawTool{echoTool("t", schema)}}}, "s", "t", `[{"a":1}]`)
		if got != `{"a":1}` || err != nil {
			t.Errorf("%s: got %s, %v", schema, got, err)
		}
		if !strings.Contains(log.String(), "unchecked") {
			t.Errorf("%s: no warning in %q", schema, &log)
		}
	}
}

// A schema that leads back to itself says nothing by that; what else it says counts.
func TestCircularSchema(t *testing.T) {
	providers := []Provider{{Name: "s", Tools: []RawTool{echoTool("t", `{"allOf":[{"$ref":"#"}],"required":["a"]}`)}}}
	if got, err := callOnce(t, nil, providers, "s", "t", `[{"a":1}]`); got != `{"a":1}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := callOnce(t, nil, providers, "s", "t", `[{}]`); err == nil {
		t.Error("a missing property passes")
	}
}
