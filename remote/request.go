package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote/internal/capnweb"
)

// A request on the wire has the fields of protocol.ExecuteRequest by their names in PROTOCOL.md, and of the optional
// ones those alone that the caller set: a property set to undefined would cross as present. Its timeout is in
// milliseconds, or null for the maximum; its outbound is the mode's name, and a function for "stub" goes beside it.
//
// WIRE.md has all of it. Any JSON that a JavaScript peer would not receive as it is (a member named like one of Object.prototype's, more than
// 255 levels) crosses as text, under the field's name with "Json" behind it.

// add appends a field with JSON in it, as itself or as text.
func add(o capnweb.Object, key string, text json.RawMessage) capnweb.Object {
	if !capnweb.Crosses(text, 2) { // arguments are lists in a list
		return append(o, capnweb.Member{Key: key + "Json", Value: string(text)})
	}
	return append(o, capnweb.Member{Key: key, Value: text})
}

// encodeRequest renders what the caller set.
func encodeRequest(r *protocol.ExecuteRequest) (capnweb.Object, error) {
	o := capnweb.Object{{Key: "code", Value: r.Code}}
	set := func(key string, value any) { o = append(o, capnweb.Member{Key: key, Value: value}) }
	if len(r.Providers) > 0 {
		set("providers", wireProviders(r.Providers))
	}
	if r.Modules != nil {
		text, err := json.Marshal(r.Modules)
		if err != nil {
			return nil, err
		}
		o = add(o, "modules", text)
	}
	if timeout, ok := encodeTimeout(r.Timeout); ok {
		set("timeout", timeout)
	}
	if mode := r.Outbound.Mode(); mode != protocol.OutboundUnset {
		set("outbound", string(mode))
	}
	for _, flag := range []struct {
		key string
		on  bool
	}{{"countHostWaits", r.CountHostWaits}, {"retainHandles", r.RetainHandles}, {"losslessIntegers", r.LosslessIntegers}} {
		if flag.on {
			set(flag.key, true)
		}
	}
	if r.Limits != (protocol.Limits{}) {
		set("limits", r.Limits.ByName())
	}
	if r.ConsoleFormat != "" {
		set("consoleFormat", string(r.ConsoleFormat))
	}
	return o, nil
}

// wireProviders makes sure that a provider without tools has a list of none.
func wireProviders(providers []protocol.ProviderDescriptor) []protocol.ProviderDescriptor {
	providers = slices.Clone(providers)
	for i := range providers {
		if providers[i].Tools == nil {
			providers[i].Tools = []string{}
		}
	}
	return providers
}

func encodeTimeout(t protocol.Timeout) (any, bool) {
	if t.IsMaximum() {
		return nil, true
	}
	d, ok := t.Duration()
	return milliseconds(d), ok
}

// milliseconds renders a duration as a JavaScript host counts it.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func duration(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

// wireRequest is a request as JSON.
type wireRequest struct {
	Code             string                        `json:"code"`
	Providers        []protocol.ProviderDescriptor `json:"providers"`
	Modules          map[string]string             `json:"modules"`
	ModulesJSON      string                        `json:"modulesJson"`
	Timeout          json.RawMessage               `json:"timeout"`
	Outbound         json.RawMessage               `json:"outbound"`
	CountHostWaits   bool                          `json:"countHostWaits"`
	RetainHandles    bool                          `json:"retainHandles"`
	LosslessIntegers bool                          `json:"losslessIntegers"`
	Limits           map[string]int64              `json:"limits"`
	ConsoleFormat    protocol.ConsoleFormat        `json:"consoleFormat"`
}

// decodeRequest reads a request, without the functions beside it.
func decodeRequest(v any) (*protocol.ExecuteRequest, protocol.OutboundMode, error) {
	var w wireRequest
	if err := unmarshal("request", v, &w, everyLevel); err != nil {
		return nil, "", err
	}
	r := &protocol.ExecuteRequest{
		Code: w.Code, Providers: w.Providers, Modules: w.Modules, CountHostWaits: w.CountHostWaits,
		RetainHandles: w.RetainHandles, LosslessIntegers: w.LosslessIntegers, ConsoleFormat: w.ConsoleFormat,
	}
	if w.ModulesJSON != "" {
		if err := checkValues("modulesJson", []byte(w.ModulesJSON), everyLevel); err != nil {
			return nil, "", err
		}
		if err := json.Unmarshal([]byte(w.ModulesJSON), &r.Modules); err != nil {
			return nil, "", invalid("modulesJson is no object of texts: %v", err)
		}
	}
	var err error
	if r.Timeout, err = decodeTimeout(w.Timeout); err != nil {
		return nil, "", err
	}
	if r.Limits, err = protocol.LimitsByName(w.Limits); err != nil {
		return nil, "", err
	}
	mode, err := decodeMode(w.Outbound)
	return r, mode, err
}

func invalid(format string, args ...any) error {
	return protocol.Errorf(protocol.CodeInvalidRequest, format, args...)
}

// mostValues bounds the values that a request of the peer is made of: two bytes on the wire may be a hundred in a struct. The largest
// catalogues have some ten thousand tools.
const mostValues = 1 << 18

// everyLevel is for checkValues where nothing inside stays text.
const everyLevel = math.MaxInt

// checkValues holds JSON text to mostValues, of which those that are nested deeper than so many levels stay text and do not count.
func checkValues(name string, text []byte, levels int) error {
	values, level := 1, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			level++
		case ']', '}':
			level--
		case ',':
			if level <= levels {
				values++
			}
		}
	}
	if values > mostValues {
		return invalid("%s has more than %d values", name, mostValues)
	}
	return nil
}

// unmarshal reads a value of the wire into a struct; what does not fit is an INVALID_REQUEST that names the field. levels is for
// checkValues.
func unmarshal(name string, v any, into any, levels int) error {
	text, err := capnweb.JSON(v)
	if err != nil {
		return invalid("%s: %v", name, err)
	}
	if len(text) == 0 || text[0] != '{' {
		return invalid("%s must be an object", name)
	}
	if err := checkValues(name, text, levels); err != nil {
		return err
	}
	err = json.Unmarshal(text, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return invalid("%s.%s must be a %s, got a %s", name, wrong.Field, strings.TrimPrefix(wrong.Type.String(), "protocol."), wrong.Value)
	}
	if err != nil {
		return invalid("%s: %v", name, err)
	}
	return nil
}

func decodeTimeout(text json.RawMessage) (protocol.Timeout, error) {
	switch string(text) {
	case "":
		return protocol.Timeout{}, nil
	case "null":
		return protocol.MaximumTimeout(), nil
	}
	var ms float64
	if err := json.Unmarshal(text, &ms); err != nil {
		return protocol.Timeout{}, invalid("timeout must be a number of milliseconds, or null for the maximum, got %.40s", text)
	}
	if ms > milliseconds(math.MaxInt64) {
		return protocol.Timeout{}, invalid("timeout must be a number of milliseconds that a clock can count, got %.40s", text)
	}
	return protocol.TimeoutOf(duration(ms)), nil
}

// decodeMode reads the outbound mode; null blocks, as it does where a JavaScript host configures an executor.
func decodeMode(text json.RawMessage) (protocol.OutboundMode, error) {
	switch string(text) {
	case "":
		return protocol.OutboundUnset, nil
	case "null":
		return protocol.OutboundBlocked, nil
	}
	var mode protocol.OutboundMode
	if json.Unmarshal(text, &mode) == nil {
		switch mode {
		case protocol.OutboundInherit, protocol.OutboundBlocked, protocol.OutboundStub:
			return mode, nil
		}
	}
	return "", invalid(`outbound must be "inherit", "blocked" or "stub", got %.40s`, text)
}

// encodeInvoke renders a call of a retained function.
func encodeInvoke(r *protocol.InvokeRequest) (capnweb.Object, error) {
	args := r.Args
	if args == nil {
		args = []json.RawMessage{}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return nil, invalid("args: %v", err)
	}
	o := capnweb.Object{{Key: "executionId", Value: r.ExecutionID}, {Key: "handleId", Value: r.HandleID}}
	o = add(o, "args", text)
	if timeout, ok := encodeTimeout(r.Timeout); ok {
		o = append(o, capnweb.Member{Key: "timeout", Value: timeout})
	}
	return o, nil
}

// wireInvoke is a call of a retained function as JSON.
type wireInvoke struct {
	ExecutionID string            `json:"executionId"`
	HandleID    int64             `json:"handleId"`
	Args        []json.RawMessage `json:"args"`
	ArgsJSON    string            `json:"argsJson"`
	Timeout     json.RawMessage   `json:"timeout"`
}

func decodeInvoke(v any) (*protocol.InvokeRequest, error) {
	v, err := markBytes(v)
	if err != nil {
		return nil, err
	}
	var w wireInvoke
	if err := unmarshal("request", v, &w, 2); err != nil {
		return nil, err
	}
	if w.ArgsJSON != "" {
		if err := checkValues("argsJson", []byte(w.ArgsJSON), 1); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(w.ArgsJSON), &w.Args); err != nil {
			return nil, invalid("argsJson is no list: %v", err)
		}
	}
	timeout, err := decodeTimeout(w.Timeout)
	return &protocol.InvokeRequest{ExecutionID: w.ExecutionID, HandleID: w.HandleID, Args: w.Args, Timeout: timeout}, err
}

// markBytes puts the bytes of a JavaScript host into the encoding of values.
func markBytes(v any) (any, error) {
	switch v := v.(type) {
	case []byte:
		return protocol.EncodeValue(v)
	case capnweb.TypedBytes:
		if v.Type == "ArrayBuffer" {
			return protocol.EncodeValue(protocol.ArrayBuffer(v.Data))
		}
		return protocol.EncodeValue(v.Data) // as an argument a view is its bytes
	case []any:
		for i := range v {
			item, err := markBytes(v[i])
			if err != nil {
				return nil, err
			}
			v[i] = item
		}
	case capnweb.Object:
		for i := range v {
			value, err := markBytes(v[i].Value)
			if err != nil {
				return nil, err
			}
			v[i].Value = value
		}
	}
	return v, nil
}

// optionalFunction reads an argument that is a function, null, undefined or not there.
func optionalFunction(name string, args []any, i int) (*capnweb.Stub, error) {
	if i >= len(args) {
		return nil, nil
	}
	switch v := args[i].(type) {
	case *capnweb.Stub:
		return v, nil
	case capnweb.Undefined:
		return nil, nil
	case json.RawMessage:
		if string(v) == "null" {
			return nil, nil
		}
	}
	return nil, invalid("%s must be a function or null", name)
}

// text reads a value that has to be a string.
func text(what string, v any) (string, error) {
	var s string
	raw, ok := v.(json.RawMessage)
	if !ok || json.Unmarshal(raw, &s) != nil || raw[0] != '"' {
		return "", fmt.Errorf("%s is no text", what)
	}
	return s, nil
}
