package executor

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// plan is a request that was checked, with every default in place.
type plan struct {
	request  *protocol.ExecuteRequest
	limits   protocol.Limits
	timeout  time.Duration
	maxWall  time.Duration
	outbound protocol.Outbound
	// kind and fields are the frame that starts it.
	kind   wire.Kind
	fields [][]byte
}

// prepare checks a request. A request that makes no sense is an error; a program that is too large, or no program, is a
// failure of the program.
func (p *Pool) prepare(request *protocol.ExecuteRequest) (*plan, *protocol.Failure, error) {
	if request == nil {
		return nil, nil, protocol.Errorf(protocol.CodeInvalidRequest, "the request is nil")
	}
	made := &plan{request: request, maxWall: p.options.MaxWall, outbound: request.Outbound}
	if made.outbound.Mode() == protocol.OutboundUnset {
		made.outbound = p.options.Outbound
	}
	var err error
	if made.timeout, err = request.Timeout.Resolve(p.options.Timeout, p.options.MaxTimeout); err != nil {
		return nil, nil, err
	}
	if made.limits, err = p.options.Limits.Tighten(request.Limits); err != nil {
		return nil, nil, err
	}
	if err := checkRequest(request); err != nil {
		return nil, nil, err
	}
	if failure := p.checkSizes(request, made.limits); failure != nil {
		return nil, failure, nil
	}
	modules := p.modules
	if request.Modules != nil {
		if modules, err = encodeModules(request.Modules); err != nil {
			return nil, nil, err
		}
	}
	header, err := encodeHeader(made)
	made.kind, made.fields = wire.Run, [][]byte{header, []byte(request.Code), modules}
	return made, nil, err
}

func checkRequest(request *protocol.ExecuteRequest) error {
	if err := protocol.ValidateProviders(request.Providers); err != nil {
		return err
	}
	switch request.ConsoleFormat {
	case "", protocol.ConsoleString, protocol.ConsoleInspect:
	default:
		return protocol.Errorf(protocol.CodeInvalidRequest, "consoleFormat must be %q or %q, got %q", protocol.ConsoleString, protocol.ConsoleInspect, request.ConsoleFormat)
	}
	return nil
}

func (p *Pool) checkSizes(request *protocol.ExecuteRequest, limits protocol.Limits) *protocol.Failure {
	if strings.TrimSpace(request.Code) == "" {
		return &protocol.Failure{Kind: protocol.FailureSyntax, Name: "SyntaxError", Message: "The program is empty; an arrow function expression is expected"}
	}
	if n := int64(len(request.Code)); n > limits.SourceBytes {
		return limitFailure("sourceBytes", limits.SourceBytes, "The program's source has %d bytes, too many", n)
	}
	modules := request.Modules
	if modules == nil {
		modules = p.options.Modules
	}
	n := sumBytes(modules)
	for _, provider := range request.Providers {
		n += int64(len(provider.Prelude) + len(provider.ProxySource))
	}
	if n > limits.ModulesBytes {
		return limitFailure("modulesBytes", limits.ModulesBytes, "The modules, preludes and proxy sources have %d bytes together, too many", n)
	}
	return nil
}

func encodeHeader(made *plan) ([]byte, error) {
	l, request := made.limits, made.request
	header := wire.RunHeader{
		Outbound: made.outbound.Mode() != protocol.OutboundBlocked, LosslessIntegers: request.LosslessIntegers,
		ConsoleFormat: string(request.ConsoleFormat), Retain: request.RetainHandles, Handles: l.Handles,
		ArgumentBytes: l.ArgumentBytes, ResultBytes: l.ResultBytes, LogBytes: l.LogBytes, LogLines: l.LogLines,
		ToolCalls: l.ToolCalls, CallsInFlight: l.CallsInFlight, Timers: l.Timers,
	}
	if header.ConsoleFormat == "" {
		header.ConsoleFormat = string(protocol.ConsoleString)
	}
	for _, provider := range request.Providers {
		header.Providers = append(header.Providers, wire.Provider{Name: provider.Name, Prelude: provider.Prelude, ProxySource: provider.ProxySource})
	}
	return encodeJSON("providers", header)
}

func encodeModules(modules map[string]string) ([]byte, error) {
	if modules == nil {
		modules = map[string]string{}
	}
	return encodeJSON("modules", modules)
}

func encodeJSON(what string, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidRequest, "%s: %w", what, err)
	}
	return text, nil
}
