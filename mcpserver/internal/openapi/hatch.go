package openapi

import "strings"

// hatch is the tool for what the document leaves out: any request below the API's base.
func hatch(r *reader) (name string, o *operation, entry object) {
	name = "request"
	if r.names[name] > 0 {
		name = "httpRequest"
	}
	var known []string
	for _, method := range methods {
		known = append(known, quoted(strings.ToUpper(method)))
	}
	input := object{
		{"type", `"object"`},
		{"properties", object{
			{"method", object{{"type", `"string"`}, {"enum", list(known)}}.String()},
			{"path", described("string", "Begins with / and goes on from the base of the API.")},
			{"query", `{"type":"object","description":"Arrays repeat their name."}`},
			{"headers", `{"type":"object","additionalProperties":{"type":"string"}}`},
			{"body", object{{"description", quoted("JSON, or with another Content-Type a string.")}}.String()},
		}.String()},
		{"required", `["method","path"]`},
		{"additionalProperties", "false"},
	}
	output := `{"type":"object","properties":{"status":{"type":"integer"},"headers":{"type":"object","additionalProperties":{"type":"string"}},"body":{}},"required":["status","headers","body"]}`
	about := "Any request to the API, for what has no function of its own. Paths stay below the base of the API, and its login goes along."
	return r.free(name), &operation{base: r.api.base, hatch: true, security: r.api.guard.of(nil)}, object{
		{"description", quoted(about)},
		{"inputSchema", input.String()},
		{"outputSchema", output},
		{"annotations", `{"readOnlyHint":false,"destructiveHint":true}`},
	}
}

func described(kind, text string) string {
	return object{{"type", quoted(kind)}, {"description", quoted(text)}}.String()
}
