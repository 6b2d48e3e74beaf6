package casefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// Options are the options of one run. The first five are the reference's; the rest only a host of ours has.
type Options struct {
	// Timeout bounds the run; see timeoutOf for what a JavaScript host may write there.
	Timeout protocol.Timeout
	// given is the timeout as it stands, which is what a native request has: the native contract refuses what makes no sense.
	given protocol.Timeout
	// Modules maps a specifier to its source.
	Modules map[string]string
	// Outbound is the network policy. A case that says nothing is blocked, the default of the dialect's own executor.
	Outbound protocol.Outbound
	// Bindings names the environment bindings that the case asks for. No host of ours has them.
	Bindings []string
	// After is how long to wait after the run before its late calls are looked at.
	After time.Duration

	// CountHostWaits and RetainHandles are options of the native contract; the dialect has no word for them.
	CountHostWaits, RetainHandles bool
	LosslessIntegers              bool
	ConsoleFormat                 protocol.ConsoleFormat
	Limits                        protocol.Limits

	// ownTimeout is set when the timeout is spelled in a way that only our hosts know.
	ownTimeout bool
}

// UnsupportedError is an option of the format that a host of ours cannot express.
type UnsupportedError struct{ Option, Reason string }

func (e *UnsupportedError) Error() string { return "options." + e.Option + ": " + e.Reason }

func (o *Options) parse(v any) error {
	return eachMember(v, "options", func(key string, value any) (err error) {
		at := "options." + key
		switch key {
		case "timeout":
			o.ownTimeout = value == maximumTimeout
			o.Timeout, o.given, err = timeoutOf(value, at)
			return err
		case "modules":
			return o.parseModules(value)
		case "outbound":
			return o.parseOutbound(value)
		case "bindings":
			return eachMember(value, at, func(name string, _ any) error {
				o.Bindings = append(o.Bindings, name)
				return nil
			})
		case "afterMs":
			return readMilliseconds(value, at, &o.After)
		case "countHostWaits":
			return readBool(value, at, &o.CountHostWaits)
		case "retainHandles":
			return readBool(value, at, &o.RetainHandles)
		case "losslessIntegers":
			return readBool(value, at, &o.LosslessIntegers)
		case "consoleFormat":
			return o.parseConsoleFormat(value)
		case "limits":
			return o.parseLimits(value)
		}
		return fieldError{at, "unknown option"}
	})
}

// minTimeout is the smallest bound a case can ask for. Where the reference's own timer of 0 ms fires after the program's
// synchronous part, a bound of 0 on the wall clock would end a program before it began.
const minTimeout = 15 * time.Millisecond

// longestTimeout is the default bound of a pool. The reference has none: who asks it for more gets as much as there is here.
const longestTimeout = 30 * time.Minute

// maximumTimeout asks for the executor's own upper bound.
const maximumTimeout = "maximum"

// timeoutOf reads what a JavaScript host hands to its timer: a number of milliseconds, or a text that Number reads. What
// is no positive number fires at once, and what is longer than a pool allows gets all that it allows. given is the same
// without these allowances.
func timeoutOf(v any, path string) (timeout, given protocol.Timeout, err error) {
	var ms float64
	switch v := v.(type) {
	case json.Number:
		ms, _ = v.Float64() // what overflows is infinite
	case string:
		if v == maximumTimeout {
			return protocol.MaximumTimeout(), protocol.MaximumTimeout(), nil
		}
		var err error
		if ms, err = strconv.ParseFloat(strings.TrimSpace(v), 64); err != nil {
			ms = 0
		}
	default:
		return timeout, given, wrongType(path, "milliseconds", v)
	}
	if math.IsNaN(ms) {
		ms = 0
	}
	given = protocol.TimeoutOf(time.Duration(max(min(ms, mostMilliseconds), -mostMilliseconds) * float64(time.Millisecond)))
	if ms > float64(longestTimeout.Milliseconds()) {
		return protocol.MaximumTimeout(), given, nil
	}
	return protocol.TimeoutOf(max(time.Duration(ms*float64(time.Millisecond)), minTimeout)), given, nil
}

// mostMilliseconds still fit a time.Duration.
const mostMilliseconds = 1 << 43

func (o *Options) parseModules(v any) error {
	o.Modules = map[string]string{}
	return eachMember(v, "options.modules", func(specifier string, source any) error {
		var text string
		err := readString(source, "options.modules["+strconv.Quote(specifier)+"]", &text)
		o.Modules[specifier] = text
		return err
	})
}

func (o *Options) parseOutbound(v any) error {
	switch v {
	case "stub":
		o.Outbound = protocol.OutboundVia(stubFetch)
	case "inherit":
		o.Outbound = protocol.InheritOutbound()
	case "null", nil:
		o.Outbound = protocol.BlockOutbound()
	default:
		return fieldError{"options.outbound", fmt.Sprintf(`want "stub", "null" or "inherit", got %v`, v)}
	}
	return nil
}

func (o *Options) parseConsoleFormat(v any) error {
	switch v {
	case "string":
		o.ConsoleFormat = protocol.ConsoleString
	case "inspect":
		o.ConsoleFormat = protocol.ConsoleInspect
	default:
		return fieldError{"options.consoleFormat", fmt.Sprintf(`want "string" or "inspect", got %v`, v)}
	}
	return nil
}

// parseLimits reads limits by the names of protocol.Limits; cpu is in milliseconds, memory in bytes.
func (o *Options) parseLimits(v any) error {
	l := &o.Limits
	fields := map[string]*int64{
		"memory": &l.Memory, "sourceBytes": &l.SourceBytes, "modulesBytes": &l.ModulesBytes,
		"argumentBytes": &l.ArgumentBytes, "toolResultBytes": &l.ToolResultBytes, "resultBytes": &l.ResultBytes,
		"logBytes": &l.LogBytes, "logLines": &l.LogLines, "toolCalls": &l.ToolCalls, "callsInFlight": &l.CallsInFlight,
		"timers": &l.Timers,
	}
	return eachMember(v, "options.limits", func(key string, value any) error {
		at := "options.limits." + key
		if key == "cpu" {
			return readMilliseconds(value, at, &l.CPU)
		}
		if field := fields[key]; field != nil {
			return readWhole(value, at, field)
		}
		return fieldError{at, "unknown limit"}
	})
}

// ownOption names an option in use that the reference does not have; empty when there is none.
func (o *Options) ownOption() string {
	switch {
	case o.ownTimeout:
		return "timeout"
	case o.CountHostWaits:
		return "countHostWaits"
	case o.RetainHandles:
		return "retainHandles"
	case o.LosslessIntegers:
		return "losslessIntegers"
	case o.ConsoleFormat == protocol.ConsoleInspect:
		return "consoleFormat"
	case o.Limits != protocol.Limits{}:
		return "limits"
	}
	return ""
}

// outbound is the policy that holds.
func (o *Options) outbound() protocol.Outbound {
	if o.Outbound.Mode() == protocol.OutboundUnset {
		return protocol.BlockOutbound()
	}
	return o.Outbound
}

var errBindings = &UnsupportedError{"bindings", "programs have no environment bindings here"}

// forDialect returns the options of dialect.Executor.Execute.
func (o *Options) forDialect() (*dialect.ExecuteOptions, error) {
	switch {
	case len(o.Bindings) > 0:
		return nil, errBindings
	case o.RetainHandles:
		return nil, &UnsupportedError{"retainHandles", "the dialect keeps no functions; run the case natively"}
	}
	return &dialect.ExecuteOptions{
		Modules:          o.Modules,
		Timeout:          o.Timeout,
		Outbound:         o.outbound(),
		Limits:           o.Limits,
		LosslessIntegers: o.LosslessIntegers,
		ConsoleFormat:    o.ConsoleFormat,
	}, nil
}

// forNative fills a native request.
func (o *Options) forNative(request *protocol.ExecuteRequest) error {
	if len(o.Bindings) > 0 {
		return errBindings
	}
	request.Modules = o.Modules
	request.Timeout = o.given
	request.Outbound = o.outbound()
	request.CountHostWaits = o.CountHostWaits
	request.RetainHandles = o.RetainHandles
	request.Limits = o.Limits
	request.LosslessIntegers = o.LosslessIntegers
	request.ConsoleFormat = o.ConsoleFormat
	return nil
}

// IsUnsupported reports whether an error is an option that this host cannot express.
func IsUnsupported(err error) bool {
	var unsupported *UnsupportedError
	return errors.As(err, &unsupported)
}
