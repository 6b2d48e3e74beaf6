package typegen

import "strings"

// annotations are what a schema says of a value beside its type, as JSDoc tags: its default, format and bounds, and
// whether it is deprecated or read-only. What the text beside them says already is left out.
func annotations(n *node, beside string) string {
	var b strings.Builder
	for _, key := range [...]string{
		"default", "format", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties",
	} {
		value := n.get(key)
		if value == nil || !saysSomething(key, value) || key == "default" && strings.Contains(strings.ToLower(beside), "default") {
			continue
		}
		text := value.text
		if value.kind != kindNumber && (value.kind != kindString || key == "default") {
			text = literal(value, 0)
		}
		if text = shorten(comment(text)); text != "" {
			b.WriteString(" @" + key + " " + text)
		}
	}
	if n.isTrue("uniqueItems") {
		b.WriteString(" @uniqueItems")
	}
	if n.isTrue("deprecated") {
		b.WriteString(" @deprecated")
	}
	if n.isTrue("readOnly") {
		b.WriteString(" @readonly")
	}
	return b.String()
}

// saysSomething leaves out what schema generators write of themselves: the bounds of a safe integer, a least length or
// count of 0, a default of null.
func saysSomething(key string, value *node) bool {
	switch {
	case value.kind == kindNumber:
		return value.text != "9007199254740991" && value.text != "-9007199254740991" &&
			!(value.text == "0" && strings.HasPrefix(key, "min") && key != "minimum")
	case key == "default":
		return value.kind != kindNull
	}
	return value.kind == kindString && value.text != "" || value.kind == kindBool
}
