package codetool

import (
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/codemode-go/codemode/protocol"
)

const (
	// maxProblems bounds how many lines an explanation has, maxShown how many characters of a value it quotes.
	maxProblems = 12
	maxShown    = 60
)

// explainInvalid words a validation error for the model that wrote the call, one line a problem: where, what was given,
// what is allowed.
//
//	Invalid arguments for github.get_issue:
//	- id: missing, expected as a property (given: "ID")
//	- state: expected one of "open", "closed", got "opened"
func explainInvalid(tool *boundTool, invalid *jsonschema.ValidationError, schema, arguments any) string {
	e := explainer{schema: schema, arguments: arguments, printer: message.NewPrinter(language.English)}
	e.walk(invalid)
	var b strings.Builder
	fmt.Fprintf(&b, "Invalid arguments for %s.%s:", tool.namespace, tool.identifier)
	for i, problem := range e.problems {
		if i == maxProblems {
			fmt.Fprintf(&b, "\n- and %d more", len(e.problems)-i)
			break
		}
		b.WriteString("\n- " + problem)
	}
	return b.String()
}

type explainer struct {
	schema    any
	arguments any
	printer   *message.Printer
	problems  []string
}

// walk collects the problems at the leaves. Alternatives are told as one problem each.
func (e *explainer) walk(v *jsonschema.ValidationError) {
	switch k := v.ErrorKind.(type) {
	case *kind.AnyOf:
		e.alternatives(v)
	case *kind.OneOf:
		if len(k.Subschemas) > 1 {
			e.add(v, fmt.Sprintf("%s matches more than one of the allowed alternatives", e.given(v)))
			return
		}
		e.alternatives(v)
	default:
		if len(v.Causes) == 0 {
			e.leaf(v)
		}
		for _, cause := range v.Causes {
			e.walk(cause)
		}
	}
}

// alternatives joins what each branch of an anyOf or oneOf would have wanted. Branches for values of another type are
// left out when some branch at least got past the type.
func (e *explainer) alternatives(v *jsonschema.ValidationError) {
	var close, rest []string
	for _, branch := range v.Causes {
		inner := explainer{schema: e.schema, arguments: e.arguments, printer: e.printer}
		inner.walk(branch)
		text := strings.Join(inner.problems, " and ")
		if rejectsType(branch, len(v.InstanceLocation)) {
			rest = append(rest, text)
		} else {
			close = append(close, text)
		}
	}
	if len(close) == 0 {
		close = rest
	}
	close = slices.Compact(close)
	if len(close) == 1 {
		e.problems = append(e.problems, close[0])
		return
	}
	e.add(v, "no alternative fits: either "+strings.Join(close, "; or "))
}

// rejectsType reports whether a branch failed for the type of the value itself.
func rejectsType(v *jsonschema.ValidationError, depth int) bool {
	if _, ok := v.ErrorKind.(*kind.Type); ok && len(v.InstanceLocation) == depth {
		return true
	}
	return slices.ContainsFunc(v.Causes, func(cause *jsonschema.ValidationError) bool { return rejectsType(cause, depth) })
}

func (e *explainer) leaf(v *jsonschema.ValidationError) {
	switch k := v.ErrorKind.(type) {
	case *kind.Type:
		e.add(v, fmt.Sprintf("expected %s, got %s", strings.Join(k.Want, " or "), e.given(v)))
	case *kind.Required:
		for _, name := range k.Missing {
			e.addAt(append(slices.Clone(v.InstanceLocation), name), "missing, expected as a property (given: "+e.keys(v)+")")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			e.addAt(append(slices.Clone(v.InstanceLocation), name), "unknown property (allowed: "+e.allowed(v)+")")
		}
	case *kind.Enum:
		e.add(v, fmt.Sprintf("expected one of %s, got %s", showAll(k.Want), e.given(v)))
	case *kind.Const:
		e.add(v, fmt.Sprintf("expected %s, got %s", show(k.Want), e.given(v)))
	case *kind.Pattern:
		e.add(v, fmt.Sprintf("expected text that matches /%s/, got %s", k.Want, e.given(v)))
	case *kind.Minimum:
		e.add(v, "expected at least "+decimal(k.Want)+", got "+e.given(v))
	case *kind.Maximum:
		e.add(v, "expected at most "+decimal(k.Want)+", got "+e.given(v))
	case *kind.ExclusiveMinimum:
		e.add(v, "expected more than "+decimal(k.Want)+", got "+e.given(v))
	case *kind.ExclusiveMaximum:
		e.add(v, "expected less than "+decimal(k.Want)+", got "+e.given(v))
	case *kind.MultipleOf:
		e.add(v, "expected a multiple of "+decimal(k.Want)+", got "+e.given(v))
	case *kind.FalseSchema:
		e.add(v, "not allowed here")
	default:
		e.add(v, v.ErrorKind.LocalizedString(e.printer)+" (given: "+e.given(v)+")")
	}
}

// decimal spells a bound of a schema, which JSON wrote as a decimal, with its digits.
func decimal(bound *big.Rat) string {
	digits, _ := bound.FloatPrec()
	return bound.FloatString(digits)
}

func (e *explainer) add(v *jsonschema.ValidationError, text string) {
	e.addAt(v.InstanceLocation, text)
}

func (e *explainer) addAt(location []string, text string) {
	e.problems = append(e.problems, e.path(location)+": "+text)
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

func (e *explainer) at(v *jsonschema.ValidationError) any {
	value := e.arguments
	for _, step := range v.InstanceLocation {
		value = child(value, step)
	}
	return value
}

// given quotes the value that was given, shortened.
func (e *explainer) given(v *jsonschema.ValidationError) string { return show(e.at(v)) }

// keys lists the properties that were given in place of a missing one.
func (e *explainer) keys(v *jsonschema.ValidationError) string {
	object, _ := e.at(v).(map[string]any)
	return showKeys(object)
}

// allowed lists the properties that the schema at fault declares.
func (e *explainer) allowed(v *jsonschema.ValidationError) string {
	schema := e.schema
	_, pointer, _ := strings.Cut(v.SchemaURL, "#")
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if step == "" {
			continue
		}
		if unescaped, err := url.PathUnescape(step); err == nil {
			step = unescaped
		}
		schema = child(schema, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	object, _ := schema.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	return showKeys(properties)
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
