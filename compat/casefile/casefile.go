// Package casefile reads the case format: one program, the tools it may call described as data, and the options of the
// run, all in JSON. The catalogue of compat is written in it, and so is the request of `codemode run --json`, so that a
// case means the same to the reference, to the suite and to the command.
//
// Four nouns are enough to read it. A [Case] is one request. A [Spec] says what a tool does, by its kind. A [Recorder]
// keeps what the tools were called with. An [Outcome] is the answer in the form in which both sides are compared.
//
//	c, err := casefile.Parse(request) // err names the field that is wrong
//	result, err := c.Run(ctx, dialect.New(pool, nil), nil)
//	os.Stdout.Write(casefile.NewOutcome(result).Line())
//
// The format is that of the reference's harness; the README beside the handed catalogue lists it. Reading is strict: a
// field, kind or option that is not part of the format is an error, since a case that is half understood proves nothing.
//
// # Limits
//
// A Go host has no Map, Symbol or function to hand over. A declared value of such a kind becomes what JSON.stringify
// makes of it in a JavaScript host, which is all that a program could have seen of it.
package casefile

import (
	"encoding/json"
	"fmt"

	"github.com/codemode-go/codemode/protocol"
)

// Case is one request in the case format.
type Case struct {
	// Name is the case's name in its catalogue; empty in a request of the command.
	Name string
	// Code is the program as the model wrote it; the dialect normalises it.
	Code string
	// Providers are the namespaces, in order.
	Providers []Provider
	// Legacy is the deprecated call shape: a bare record of functions, which is then the one provider.
	Legacy bool
	// Options are the options of the run.
	Options Options
	// Note is a remark for the reader.
	Note string
	// NoReference is the reason why the real reference cannot run the case; empty when it can.
	NoReference string
	// SkipOn maps a release of the reference to the reason why the case does not apply to it.
	SkipOn map[string]string

	// source is the case as it was read.
	source []byte
}

// Provider describes one namespace.
type Provider struct {
	Name           string
	Tools          []Tool
	Prelude        string
	PositionalArgs bool
	// ProxySource replaces the generated namespace object; the reference has no such field.
	ProxySource string
}

// Tool is one function of a provider, under the name the host gives it.
type Tool struct {
	Name string
	Spec Spec
}

// Parse reads one request. The error names the field by its path ("providers[0].tools.t.kind"), or is a [SyntaxError]; the case
// is then what was read before it, if anything was.
func Parse(text []byte) (*Case, error) {
	v, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	c, err := parseCase(v)
	c.source = text
	return c, err
}

// ParseFile reads a catalogue, a JSON array of cases each with a name of its own. Cases that are well formed are
// returned whatever became of the others; every error names the file, the case and the field.
func ParseFile(file string, text []byte) ([]*Case, []error) {
	v, err := readJSON(text)
	if err != nil {
		return nil, []error{fmt.Errorf("%s: %w", file, err)}
	}
	list, ok := v.([]any)
	if !ok {
		return nil, []error{fmt.Errorf("%s: want an array of cases, got %s", file, kindOf(v))}
	}
	var sources []json.RawMessage
	if err := json.Unmarshal(text, &sources); err != nil { // readJSON took it: only its depth can be at fault
		return nil, []error{fmt.Errorf("%s: %w", file, err)}
	}
	var cases []*Case
	var errs []error
	seen := map[string]bool{}
	for i, item := range list {
		label := fmt.Sprintf("case %d", i)
		if o, ok := item.(protocol.Object); ok {
			if name, _ := o.Get("name"); name != nil {
				label = fmt.Sprintf("case %q", name)
			}
		}
		c, err := parseCase(item)
		switch {
		case err == nil && c.Name == "":
			err = fieldError{"name", "missing"}
		case err == nil && seen[c.Name]:
			err = fieldError{"name", "an earlier case has this name"}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", file, label, err))
			continue
		}
		seen[c.Name] = true
		c.source = sources[i]
		cases = append(cases, c)
	}
	return cases, errs
}

// ForReference is the request that the reference's worker takes. A case that it cannot run, or that uses what only a
// host of ours has, is an error that names the field.
func (c *Case) ForReference() ([]byte, error) {
	if c.NoReference != "" {
		return nil, fieldError{"reference", "the reference cannot run it: " + c.NoReference}
	}
	if option := c.Options.ownOption(); option != "" {
		return nil, fieldError{"options." + option, "the reference has no such option"}
	}
	for i, p := range c.Providers {
		if p.ProxySource != "" {
			return nil, fieldError{fmt.Sprintf("providers[%d].proxySource", i), "the reference has no such field"}
		}
	}
	return c.source, nil
}

func parseCase(v any) (*Case, error) {
	c := &Case{}
	hasCode, reference := false, true
	err := eachMember(v, "", func(key string, value any) error {
		switch key {
		case "name":
			return readString(value, key, &c.Name)
		case "code":
			hasCode = true
			return readString(value, key, &c.Code)
		case "providers":
			return c.parseProviders(value)
		case "options":
			return c.Options.parse(value)
		case "note":
			return readString(value, key, &c.Note)
		case "reference":
			return readBool(value, key, &reference)
		case "reason":
			return readString(value, key, &c.NoReference)
		case "skipOn":
			return c.parseSkipOn(value)
		}
		return unknownField(key)
	})
	switch {
	case err != nil:
	case !hasCode:
		err = fieldError{"code", "missing"}
	case reference == (c.NoReference != ""):
		err = fieldError{"reason", `belongs to "reference": false, which has to give one`}
	}
	return c, err
}

func (c *Case) parseSkipOn(v any) error {
	c.SkipOn = map[string]string{}
	return eachMember(v, "skipOn", func(release string, value any) error {
		var reason string
		if err := readString(value, "skipOn."+release, &reason); err != nil {
			return err
		}
		c.SkipOn[release] = reason
		return nil
	})
}

func (c *Case) parseProviders(v any) error {
	if o, ok := v.(protocol.Object); ok {
		return c.parseLegacy(o)
	}
	list, ok := v.([]any)
	if !ok {
		return wrongType("providers", "an array, or an object with legacy", v)
	}
	for i, item := range list {
		p, err := parseProvider(item, fmt.Sprintf("providers[%d]", i))
		if err != nil {
			return err
		}
		c.Providers = append(c.Providers, p)
	}
	return nil
}

// parseLegacy reads {"legacy": true, "tools": {…}}, the bare record of functions that the dialect wraps.
func (c *Case) parseLegacy(o protocol.Object) error {
	p := Provider{Name: legacyProvider}
	err := eachMember(o, "providers", func(key string, value any) (err error) {
		switch key {
		case "legacy":
			return readBool(value, "providers.legacy", &c.Legacy)
		case "tools":
			p.Tools, err = parseTools(value, "providers.tools")
			return err
		}
		return unknownField("providers." + key)
	})
	if err == nil && !c.Legacy {
		err = fieldError{"providers.legacy", "must be true when providers is an object"}
	}
	c.Providers = []Provider{p}
	return err
}

// legacyProvider is the namespace under which the dialect offers a bare record of functions.
const legacyProvider = "codemode"

func parseProvider(v any, path string) (Provider, error) {
	var p Provider
	hasName := false
	err := eachMember(v, path, func(key string, value any) (err error) {
		at := path + "." + key
		switch key {
		case "name":
			hasName = true
			return readString(value, at, &p.Name)
		case "tools":
			p.Tools, err = parseTools(value, at)
			return err
		case "prelude":
			return readString(value, at, &p.Prelude)
		case "positionalArgs":
			return readBool(value, at, &p.PositionalArgs)
		case "proxySource":
			return readString(value, at, &p.ProxySource)
		}
		return unknownField(at)
	})
	if err == nil && !hasName {
		err = fieldError{path + ".name", "missing"}
	}
	return p, err
}

func parseTools(v any, path string) ([]Tool, error) {
	var tools []Tool
	err := eachMember(v, path, func(name string, value any) error {
		spec, err := parseSpec(value, path+"."+name)
		tools = append(tools, Tool{name, spec})
		return err
	})
	return tools, err
}
