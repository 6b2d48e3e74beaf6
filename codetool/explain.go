package codetool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/codemode-go/codemode/codetool/internal/schema"
	"github.com/codemode-go/codemode/protocol"
)

const (
	// maxProblems bounds how many lines an explanation has, maxShown how many characters of a value it quotes.
	maxProblems = 12
	maxShown    = 60
)

// explainInvalid words what is wrong with the arguments for the model that wrote the call, one line a problem: where,
// what was given, what is allowed.
//
//	Invalid arguments for github.get_issue:
//	- id: missing, expected as a property (given: "ID")
//	- state: expected one of "open", "closed", got "opened"
func explainInvalid(tool *boundTool, problems []schema.Problem, arguments any) string {
	e := explainer{arguments: arguments}
	lines := e.explain(problems)
	if _, isObject := arguments.(map[string]any); !isObject && len(lines) == 1 {
		lines[0] += "; call it as " + tool.namespace + "." + tool.identifier + tool.parameters()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Invalid arguments for %s.%s:", tool.namespace, tool.identifier)
	for i, line := range lines {
		if i == maxProblems {
			fmt.Fprintf(&b, "\n- and %d more", len(lines)-i)
			break
		}
		b.WriteString("\n- " + line)
	}
	return b.String()
}

type explainer struct{ arguments any }

// explain is one line a problem.
func (e *explainer) explain(problems []schema.Problem) []string {
	var lines []string
	add := func(path []string, text string) {
		if line := e.path(path) + ": " + text; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, p := range problems {
		switch p.Keyword {
		case "anyOf", "oneOf":
			if p.Matches > 1 {
				add(p.Path, show(p.Value)+" matches more than one of the allowed alternatives")
				continue
			}
			lines = append(lines, e.alternatives(p))
		case "required":
			for _, name := range p.Names {
				add(append(slices.Clone(p.Path), name), "missing, expected as a property (given: "+keysOf(p.Value)+")")
			}
		case "dependentRequired":
			for _, name := range p.Names {
				add(append(slices.Clone(p.Path), name), fmt.Sprintf("missing, expected beside %s", show(p.Limit)))
			}
		case "additionalProperties", "unevaluatedProperties":
			for _, name := range p.Names {
				add(append(slices.Clone(p.Path), name), "unknown property ("+allowed(p, name)+")")
			}
		case "propertyNames":
			add(append(slices.Clone(p.Path), p.Names...), "not allowed as a property's name: "+strings.Join(e.reasons(p.Branches[0]), " and "))
		default:
			add(p.Path, reason(p))
		}
	}
	return lines
}

// reasons are the problems of one value without its path.
func (e *explainer) reasons(problems []schema.Problem) []string {
	reasons := make([]string, len(problems))
	for i, p := range problems {
		reasons[i] = reason(p)
	}
	return reasons
}

// alternatives joins what each branch of an anyOf or oneOf would have wanted. Branches for values of another type, or
// for another value of the property that tells them apart, are left out when some branch is nearer.
func (e *explainer) alternatives(p schema.Problem) string {
	nearest := slices.MinFunc(p.Branches, func(a, b []schema.Problem) int {
		return cmp.Compare(distance(a, len(p.Path)), distance(b, len(p.Path)))
	})
	var texts []string
	for _, branch := range p.Branches {
		text := strings.Join(e.explain(branch), " and ")
		if distance(branch, len(p.Path)) == distance(nearest, len(p.Path)) && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	if line, ok := joinExpectations(p); ok {
		return e.path(p.Path) + ": " + line
	}
	return e.path(p.Path) + ": no alternative fits: either " + strings.Join(texts, "; or ")
}

// joinExpectations words alternatives that each want a type or a value of the same place in one clause.
func joinExpectations(p schema.Problem) (line string, ok bool) {
	var types []string
	var values []any
	for _, branch := range p.Branches {
		if len(branch) != 1 || len(branch[0].Path) != len(p.Path) {
			return "", false
		}
		switch only := branch[0]; only.Keyword {
		case "type":
			types = append(types, typesOf(only.Limit)...)
		case "const":
			values = append(values, only.Limit)
		case "enum":
			list, _ := only.Limit.([]any)
			values = append(values, list...)
		default:
			return "", false
		}
	}
	want := strings.Join(types, " or ")
	if len(values) > 0 {
		want = strings.TrimPrefix(want+" or one of "+showAll(values), " or ")
	}
	return "expected " + want + ", got " + show(p.Value), true
}

// distance is how far a branch is from what was given: 2 when it is of another type, 1 when a const or enum in it, such
// as the property that tells variants apart, is not met, else 0.
func distance(problems []schema.Problem, depth int) int {
	far := 0
	for _, p := range problems {
		switch {
		case p.Keyword == "type" && len(p.Path) == depth:
			return 2
		case p.Keyword == "const", p.Keyword == "enum":
			far = max(far, 1)
		}
		for _, branch := range p.Branches {
			if len(p.Path) == depth {
				far = max(far, distance(branch, depth))
			}
		}
	}
	return far
}

// reason words a problem with a value itself.
func reason(p schema.Problem) string {
	got := ", got " + show(p.Value)
	switch p.Keyword {
	case "type":
		return "expected " + strings.Join(typesOf(p.Limit), " or ") + got
	case "enum":
		values, _ := p.Limit.([]any)
		return "expected one of " + showAll(values) + got
	case "const":
		return "expected " + show(p.Limit) + got
	case "pattern":
		return fmt.Sprintf("expected text that matches /%v/", p.Limit) + got
	case "minimum":
		return "expected at least " + show(p.Limit) + got
	case "maximum":
		return "expected at most " + show(p.Limit) + got
	case "exclusiveMinimum":
		return "expected more than " + show(p.Limit) + got
	case "exclusiveMaximum":
		return "expected less than " + show(p.Limit) + got
	case "multipleOf":
		return "expected a multiple of " + show(p.Limit) + got
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return sizeReason(p)
	case "uniqueItems":
		return fmt.Sprintf("expected items that differ, but [%s] and [%s] are equal", p.Names[0], p.Names[1])
	case "contains":
		return "expected an item that matches " + show(p.Limit) + got
	case "maxContains":
		return fmt.Sprintf("expected at most %s items that match %s, got %d", show(p.Limit), show(p.Schema["contains"]), p.Matches)
	case "not":
		return "expected anything but " + show(p.Limit) + got
	}
	return "not allowed here"
}

// sizeReason words a bound of length: "expected at least 2 characters, got 1: "x"".
func sizeReason(p schema.Problem) string {
	size, unit := 0, ""
	switch value := p.Value.(type) {
	case string:
		size, unit = utf8.RuneCountInString(value), "character"
	case []any:
		size, unit = len(value), "item"
	case map[string]any:
		size, unit = len(value), "propert"
	}
	count := show(p.Limit)
	switch {
	case unit == "propert" && count == "1":
		unit = "property"
	case unit == "propert":
		unit = "properties"
	case count != "1":
		unit += "s"
	}
	most := "at least "
	if strings.HasPrefix(p.Keyword, "max") {
		most = "at most "
	}
	return fmt.Sprintf("expected %s%s %s, got %d: %s", most, count, unit, size, show(p.Value))
}

func typesOf(limit any) []string {
	list, ok := limit.([]any)
	if !ok {
		return []string{fmt.Sprint(limit)}
	}
	var types []string
	for _, item := range list {
		types = append(types, fmt.Sprint(item))
	}
	return types
}

// keysOf lists the properties that were given in place of a missing one.
func keysOf(value any) string {
	object, _ := value.(map[string]any)
	return showKeys(object)
}

// allowed lists the properties that the schema at fault declares, the one that name nearly is first.
func allowed(p schema.Problem, name string) string {
	properties, _ := p.Schema["properties"].(map[string]any)
	list := "allowed: " + showKeys(properties)
	if near := nearest(name, slices.Collect(maps.Keys(properties))); near != "" {
		return "did you mean " + show(near) + "? " + list
	}
	return list
}

// path spells a location as a program would: a.b[0]["c d"]; the whole argument is "the argument".
func (e *explainer) path(location []string) string {
	if len(location) == 0 {
		return "the argument"
	}
	var b strings.Builder
	value := e.arguments
	for _, step := range location {
		_, isIndex := value.([]any)
		switch {
		case isIndex:
			b.WriteString("[" + step + "]")
		case toolIdentifier(step) != step:
			b.WriteString("[" + show(step) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
		value = child(value, step)
	}
	return b.String()
}

func child(value any, step string) any {
	switch value := value.(type) {
	case map[string]any:
		return value[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(value) {
			return value[i]
		}
	}
	return nil
}

func showKeys(object map[string]any) string {
	if len(object) == 0 {
		return "none"
	}
	var names []any
	for _, name := range slices.Sorted(maps.Keys(object)) {
		names = append(names, name)
	}
	return showAll(names)
}

func showAll(values []any) string {
	var texts []string
	for i, value := range values {
		if i == 2*maxProblems {
			texts = append(texts, fmt.Sprintf("and %d more", len(values)-i))
			break
		}
		texts = append(texts, show(value))
	}
	return strings.Join(texts, ", ")
}

func show(value any) string {
	if number, ok := value.(json.Number); ok {
		return string(number)
	}
	rendered, err := protocol.RenderJSON(value, nil)
	if err != nil {
		return fmt.Sprintf("%T", value)
	}
	text := []rune(string(rendered))
	if len(text) > maxShown {
		return string(text[:maxShown]) + "…"
	}
	return string(text)
}
