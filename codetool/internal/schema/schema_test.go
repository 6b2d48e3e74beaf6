package schema

import (
	"strings"
	"testing"
)

// Limits a check: a schema of a few lines must not hold a call up for ever.
func TestChecksEnd(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/s0","$defs":{`)
	for i := range 40 {
		next := string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		name := string(rune('0'+i/10)) + string(rune('0'+i%10))
		b.WriteString(`"s` + name + `":{"allOf":[{"$ref":"#/$defs/s` + next + `"},{"$ref":"#/$defs/s` + next + `"}]},`)
	}
	b.WriteString(`"s40":{"type":"object"}}}`)
	schema, err := Compile([]byte(strings.Replace(b.String(), "#/$defs/s0\"", "#/$defs/s00\"", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if problems, complete := schema.Check("x"); complete || problems != nil {
		t.Errorf("complete=%v, %d problems", complete, len(problems))
	}
}

func TestLenience(t *testing.T) {
	for _, c := range []struct {
		name, schema, value string
		valid               bool
		warning             string
	}{
		{"a type that is none", `{"type":"text","minLength":2}`, `"x"`, false, `type: "text" is no type`},
		{"draft 3's required", `{"properties":{"a":{"type":"string","required":true}}}`, `{"a":1}`, false, `properties/a/required: expected an array of names`},
		{"properties that are none", `{"properties":5,"required":["a"]}`, `{}`, false, `properties: expected an object of schemas`},
		{"another document", `{"properties":{"a":{"$ref":"https://example.com/x.json"},"b":{"type":"null"}}}`, `{"a":1,"b":null}`, true, `leads to no schema of this document`},
		{"an own dialect", `{"$schema":"https://example.com/own","type":"string"}`, `1`, false, `is no draft that is known here`},
		{"http for https", `{"$schema":"http://json-schema.org/draft/2020-12/schema","prefixItems":[{"type":"string"}]}`, `[1]`, false, ``},
		{"itself", `{"allOf":[{"$ref":"#"}],"type":"object"}`, `{}`, true, ``},
		{"itself, by a way", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, `5`, true, ``},
		{"zod's pointers", `{"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`, `{"b":1}`, false, ``},
		{"percent-encoded", `{"$defs":{"My P":{"type":"string"},"a/b":{"type":"null"}},"properties":{"p":{"$ref":"#/$defs/My%20P"},"q":{"$ref":"#/$defs/a~1b"}}}`, `{"p":1}`, false, ``},
		{"both drafts' tuples", `{"prefixItems":[{"type":"string"}],"items":{"type":"number"}}`, `["a","b"]`, false, ``},
		{"an old tuple", `{"items":[{"type":"string"}],"additionalItems":false}`, `["a","b"]`, false, ``},
		{"old and new exclusives", `{"minimum":1,"exclusiveMinimum":true}`, `1`, false, ``},
		{"new exclusives", `{"exclusiveMinimum":1}`, `1`, false, ``},
		{"nullable", `{"type":"string","nullable":true}`, `null`, true, ``},
		{"look-behind", `{"pattern":"(?<=a)b"}`, `"xb"`, false, ``},
		{"a pattern that is none", `{"pattern":"(","type":"string"}`, `"x"`, true, `is no regular expression`},
		{"huge exponents", `{"maximum":1e999999999}`, `1e999999998`, true, ``},
		{"big integers", `{"maximum":9007199254740993}`, `9007199254740994`, false, ``},
		{"numbers are equal by value", `{"enum":[1.0]}`, `1`, true, ``},
		{"unique by value", `{"uniqueItems":true}`, `[{"a":1,"b":2},{"b":2.0,"a":1}]`, false, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema, err := Compile([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			if got := verdict(t, schema, []byte(c.value)); got != c.valid {
				t.Errorf("valid=%v, want %v", got, c.valid)
			}
			warnings := strings.Join(schema.Warnings(), "\n")
			if c.warning == "" && warnings != "" || !strings.Contains(warnings, c.warning) {
				t.Errorf("warnings %q, want %q", warnings, c.warning)
			}
		})
	}
}

func TestNoSchemaAtAll(t *testing.T) {
	for _, document := range []string{``, `{`, `5`, `"x"`, `[]`, `{} {}`} {
		if _, err := Compile([]byte(document)); err == nil {
			t.Errorf("%q compiles", document)
		}
	}
}
