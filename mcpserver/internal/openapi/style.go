package openapi

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// field is one name and value of what a parameter becomes, not yet escaped.
type field struct{ name, value string }

// scalar is how a value of an argument, which has no aliases, stands alone: a text as it is, everything else as JSON.
func scalar(v *yaml.Node) string {
	if v.Kind == yaml.ScalarNode && !isNull(v) {
		return v.Value
	}
	left := math.MaxInt
	return string(appendJSON(nil, v, &left))
}

// elements are the items of an array, or the members of an object, without those that are null.
func elements(v *yaml.Node) (fields []field) {
	switch v.Kind {
	case yaml.SequenceNode:
		for _, item := range v.Content {
			if !isNull(item) {
				fields = append(fields, field{"", scalar(item)})
			}
		}
	case yaml.MappingNode:
		for _, m := range pairs(v) {
			if !isNull(m.value) {
				fields = append(fields, field{m.key, scalar(m.value)})
			}
		}
	}
	return fields
}

// escape is what the values of a parameter go through.
type escape func(string) string

func plain(s string) string { return s }

const hexDigits = "0123456789ABCDEF"

// percent escapes everything but RFC 3986's unreserved characters and those of also.
func percent(s, also string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~"+also, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hexDigits[c>>4])
		b.WriteByte(hexDigits[c&15])
	}
	return b.String()
}

func unreserved(s string) string { return percent(s, "") }

// reservedToo lets through what RFC 3986 reserves, as allowReserved has it, but for what would end a value of a query.
func reservedToo(s string) string { return percent(s, ":/?@!$'()*,;[]") }

// joined puts elements after one another: with pairs as name<between>value, or as name<separator>value.
func joined(fields []field, separator, between string, e escape) string {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			b.WriteString(separator)
		}
		if f.name != "" {
			b.WriteString(e(f.name) + between)
		}
		b.WriteString(e(f.value))
	}
	return b.String()
}

// simple is RFC 6570's {var}, of paths and headers.
func simple(v *yaml.Node, explode bool, e escape) string {
	switch {
	case v.Kind == yaml.ScalarNode:
		return e(scalar(v))
	case explode:
		return joined(elements(v), ",", "=", e)
	}
	return joined(elements(v), ",", ",", e)
}

// label is RFC 6570's {.var}.
func label(v *yaml.Node, explode bool, e escape) string {
	switch {
	case v.Kind == yaml.ScalarNode:
		return "." + e(scalar(v))
	case explode:
		return "." + joined(elements(v), ".", "=", e)
	}
	return "." + joined(elements(v), ",", ",", e)
}

// matrix is RFC 6570's {;var}.
func matrix(name string, v *yaml.Node, explode bool, e escape) string {
	switch {
	case v.Kind == yaml.ScalarNode:
		return ";" + e(name) + "=" + e(scalar(v))
	case !explode:
		return ";" + e(name) + "=" + joined(elements(v), ",", ",", e)
	}
	var b strings.Builder
	for _, f := range elements(v) {
		if f.name == "" {
			f.name = name
		}
		b.WriteString(";" + e(f.name) + "=" + e(f.value))
	}
	return b.String()
}

// form are the name=value pairs of a query, a cookie or a form, escaped.
func form(name, style string, explode bool, v *yaml.Node, e escape) (list []string) {
	switch {
	case isNull(v):
		return nil
	case style == "deepObject" && v.Kind != yaml.ScalarNode:
		return deep(name, v, e)
	case v.Kind == yaml.ScalarNode:
		return []string{unreserved(name) + "=" + e(scalar(v))}
	case !explode:
		separator := map[string]string{"spaceDelimited": "%20", "pipeDelimited": "%7C"}[style]
		if separator == "" {
			separator = ","
		}
		fields := elements(v)
		if len(fields) == 0 {
			return nil
		}
		return []string{unreserved(name) + "=" + joined(fields, separator, separator, e)}
	}
	for _, f := range elements(v) {
		if f.name == "" {
			f.name = name
		}
		list = append(list, unreserved(f.name)+"="+e(f.value))
	}
	return list
}

// deep is deepObject: name[member]=value. The specification leaves what nests deeper and arrays open; they are
// name[a][b] and name[a][0], as the servers that have such parameters read them.
func deep(name string, v *yaml.Node, e escape) (list []string) {
	switch {
	case isNull(v):
		return nil
	case v.Kind == yaml.ScalarNode:
		return []string{unreserved(name) + "=" + e(scalar(v))}
	case v.Kind == yaml.SequenceNode:
		for i, item := range v.Content {
			list = append(list, deep(name+"["+strconv.Itoa(i)+"]", item, e)...)
		}
		return list
	}
	for _, m := range pairs(v) {
		list = append(list, deep(name+"["+m.key+"]", m.value, e)...)
	}
	return list
}
