package config

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// Settings are our own, from the "codemode" object. A zero field was not set. A value that is wrong is an error of the
// whole file: a limit that quietly became another one would be worse than none. Of several files the later one's value
// counts, field by field.
type Settings struct {
	// Timeout bounds one run, StartTimeout the start of a server that names no own.
	Timeout, StartTimeout time.Duration
	// Outbound says whether programs may use the network themselves: "inherit" or "blocked".
	Outbound protocol.OutboundMode
	// AllowAddresses are what programs may reach beside the public internet, where Outbound is inherit.
	AllowAddresses []netip.Prefix
	// Hardened has programs interpreted alone, and Workers bounds how many run at one time; see executor.Options.
	Hardened bool
	Workers  int
	// Limits bounds one run further; see protocol.Limits.
	Limits protocol.Limits
	// ResultChars bounds the text of one result, DescriptionChars the description of the tool.
	ResultChars, DescriptionChars int
	// Preamble is put in front of the tool's description.
	Preamble string
	// Resources and Prompts pass those of the servers on.
	Resources, Prompts bool
	// Policy is what happens at the moment of a call.
	Policy Policy
	// Audit is where runs are written down.
	Audit Audit
	// Pins withholds tools that changed since they were first seen.
	Pins Pins
	// Views are what some clients see over HTTP.
	Views []View
	// ResourceServer says which access tokens are taken over HTTP; nil takes none.
	ResourceServer *ResourceServer
}

// settingFields are the members of the "codemode" object.
var settingFields = []field{
	{key: "timeout", shape: shapeDuration, standard: "50s", doc: "Bound of one run, tool calls included. The shortest limit of the known clients is a minute."},
	{key: "startTimeout", shape: shapeDuration, standard: "60s", doc: "Bound of a server's start, where its entry has none."},
	{key: "cpu", shape: shapeDuration, standard: "30s", doc: "Processor time of one run."},
	{key: "outbound", shape: shapeString, values: []string{"inherit", "blocked"}, standard: "blocked", doc: "Whether programs may fetch: inherit lets them use this machine's network."},
	{key: "allowAddresses", shape: shapeList, standard: "none", doc: "Addresses and ranges (10.1.0.0/16) that programs may reach beside the public internet, with outbound inherit: loopback, private and link-local ones are closed to them otherwise."},
	{key: "hardened", shape: shapeBool, standard: "false", doc: "Interpret programs and compile nothing to machine code: the engine's compilers are where most escapes begin. Programs that compute run several times slower, and there is no WebAssembly."},
	{key: "workers", shape: shapeCount, standard: "one for each processor, 4 at least", doc: "Programs that run at one time, each in a process of its own."},
	{key: "memoryMB", shape: shapeCount, most: math.MaxInt64 >> 20, standard: "128", doc: "Memory of one run, in MiB beyond an idle worker's."},
	{key: "toolCalls", shape: shapeCount, most: math.MaxInt64, standard: "10000", doc: "Tool calls of one run."},
	{key: "logLines", shape: shapeCount, most: math.MaxInt64, standard: "10000", doc: "Console lines that are kept of one run."},
	{key: "resultChars", shape: shapeCount, standard: "24000", doc: "What a model reads of one result; a longer one is cut and says so."},
	{key: "descriptionChars", shape: shapeCount, standard: "50000 (Claude Code: 2000)", doc: "Length of the tool's description; past it, names and a search stand in place of declarations."},
	{key: "preamble", shape: shapeString, doc: "Text in front of the tool's description."},
	{key: "resources", shape: shapeBool, standard: "false", doc: "Pass the servers' resources on, to clients as codemode://NAMESPACE/URI and to programs by codemode.resources and codemode.readResource."},
	{key: "prompts", shape: shapeBool, standard: "false", doc: "Pass the servers' prompts on, to clients as NAMESPACE.NAME and to programs by codemode.prompts and codemode.getPrompt."},
	{key: "policy", shape: shapeObject, doc: "What happens at the moment of a call.", fields: policyFields},
	{key: "audit", shape: shapeObject, standard: "nothing is written", doc: "Write down each run with its calls.", fields: auditFields},
	{key: "pins", shape: shapeObject, standard: "tools are not pinned", doc: "Withhold a tool whose name, description or schemas changed since it was first seen, until `codemode tools --accept SERVER.TOOL`. {} is enough.", fields: pinFields},
	{key: "views", shape: shapeObjects, standard: "none", doc: "With `serve --http`, what clients with tokens of their own, or with access tokens that say so, see: for them there is nothing beside it. The token of --token-file sees everything.", fields: viewFields},
	{key: "http", shape: shapeObject, doc: "With `serve --http`, who may call.", fields: httpFields},
}

// read takes over the object; expand replaces the variables of a secret, and warn is told of views that nobody has.
func (s *Settings) read(file string, own *node, expand func(string) (string, error), warn func(file, format string, args ...any)) error {
	return readFields(file, "codemode", own, settingFields, func(key string, value *node) error {
		switch key {
		case "policy":
			return placedOrNil(s.readPolicy(file, value))
		case "audit":
			return placedOrNil(s.readAudit(file, value))
		case "pins":
			return placedOrNil(s.readPins(file, value))
		case "views":
			return placedOrNil(s.readViews(file, value, expand, warn))
		case "http":
			return placedOrNil(s.readHTTP(file, value))
		}
		return s.set(key, value)
	})
}

// readFields reads an object by its table. An unknown member is as wrong as a wrong value: a policy whose name is misspelt
// would be none.
func readFields(file, path string, in *node, fields []field, set func(key string, value *node) error) error {
	if in.kind != isObject {
		return fmt.Errorf("%s %s must be an object, is %s", place(file, in.at), path, in.kind)
	}
	read := map[string]bool{}
	for _, m := range in.members {
		known, ok := fieldOf(fields, m.key)
		if !ok {
			return fmt.Errorf("%s %s.%s is not a setting (codemode schema has them all)", place(file, m.value.at), path, m.key)
		}
		if read[known.key] { // of two policies the first would be none
			return fmt.Errorf("%s %s.%s is there twice", place(file, m.value.at), path, m.key)
		}
		read[known.key] = true
		err := known.check(m.value)
		if err == nil {
			err = set(known.key, m.value)
		}
		if errors.As(err, new(placed)) {
			return err
		}
		if err != nil {
			return fmt.Errorf("%s %s.%s %w", place(file, m.value.at), path, m.key, err)
		}
	}
	return nil
}

// check holds a value against what the table says of it.
func (f *field) check(value *node) error {
	switch f.shape {
	case shapeDuration:
		_, err := parseDuration(value, time.Millisecond)
		return err
	case shapeCount:
		_, err := parseCount(value, f.bound())
		return err
	case shapeString:
		if len(f.values) > 0 && !slices.Contains(f.values, value.text) {
			return fmt.Errorf("must be %s", orList(f.values))
		}
		return mustBe(value, isString)
	case shapeBool:
		return mustBe(value, isBoolean)
	case shapeObject:
		return mustBe(value, isObject)
	case shapeObjects, shapeList:
		return mustBe(value, isArray)
	}
	return nil
}

func (f *field) bound() int64 {
	if f.most == 0 {
		return math.MaxInt32
	}
	return f.most
}

func mustBe(value *node, want kind) error {
	if value.kind != want {
		return fmt.Errorf("must be %s, is %s", want, value.kind)
	}
	return nil
}

// orList writes "a", "b" or "c".
func orList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(v)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// set takes over a value that has been checked.
func (s *Settings) set(key string, value *node) error {
	switch key {
	case "timeout":
		s.Timeout = value.duration()
	case "startTimeout":
		s.StartTimeout = value.duration()
	case "cpu":
		s.Limits.CPU = value.duration()
	case "outbound":
		s.Outbound = protocol.OutboundMode(value.text)
	case "allowAddresses":
		return s.allow(value)
	case "hardened":
		s.Hardened = value.text == "true"
	case "workers":
		s.Workers = int(value.count())
	case "memoryMB":
		s.Limits.Memory = value.count() << 20
	case "toolCalls":
		s.Limits.ToolCalls = value.count()
	case "logLines":
		s.Limits.LogLines = value.count()
	case "resultChars":
		s.ResultChars = int(value.count())
	case "descriptionChars":
		s.DescriptionChars = int(value.count())
	case "resources":
		s.Resources = value.is("true")
	case "prompts":
		s.Prompts = value.is("true")
	case "preamble":
		s.Preamble = value.text
	}
	return nil
}

// allow takes over a list of addresses and ranges.
func (s *Settings) allow(list *node) error {
	allowed := make([]netip.Prefix, 0, len(list.items))
	for _, item := range list.items {
		prefix, err := ParsePrefix(item.text)
		if err != nil || item.kind != isString {
			return fmt.Errorf(`must be a list of addresses and ranges such as "10.1.0.0/16", has %q`, item.text)
		}
		allowed = append(allowed, prefix)
	}
	s.AllowAddresses = allowed
	return nil
}

// ParsePrefix reads a range of addresses, 10.1.0.0/16, or a single one.
func ParsePrefix(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// duration and count are the values of nodes that have been checked.
func (n *node) duration() time.Duration {
	d, _ := parseDuration(n, time.Millisecond)
	return d
}

func (n *node) count() int64 {
	c, _ := parseCount(n, math.MaxInt64)
	return c
}

// parseDuration reads "30s", or a whole number of units, which must be positive.
func parseDuration(value *node, unit time.Duration) (time.Duration, error) {
	want := fmt.Sprintf(`must be a duration such as "30s" or a whole number of %s`, map[time.Duration]string{time.Second: "seconds", time.Millisecond: "milliseconds"}[unit])
	switch value.kind {
	case isString:
		d, err := time.ParseDuration(strings.TrimSpace(value.text))
		if err != nil {
			return 0, errors.New(want)
		}
		if d <= 0 {
			return 0, errors.New("must be greater than 0")
		}
		return d, nil
	case isNumber:
		if seconds, err := strconv.ParseFloat(value.text, 64); err == nil && unit == time.Second && 0 < seconds && seconds < 1e9 {
			return time.Duration(seconds * float64(time.Second)), nil // Codex writes 0.5 and 10.0
		}
		n, err := parseCount(value, int64(math.MaxInt64/unit))
		return time.Duration(n) * unit, err
	}
	return 0, fmt.Errorf("%s, is %s", want, value.kind)
}

// parseCount reads a whole number from 1 to most.
func parseCount(value *node, most int64) (int64, error) {
	if value.kind != isNumber {
		return 0, fmt.Errorf("must be a whole number, is %s", value.kind)
	}
	n, err := strconv.ParseInt(value.text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("must be a whole number, is %s", value.text)
	}
	if n <= 0 || n > most {
		return 0, fmt.Errorf("must be between 1 and %d, is %d", most, n)
	}
	return n, nil
}
