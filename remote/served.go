package remote

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote/internal/capnweb"
)

// main is the session's main object.
func (s *served) main() capnweb.Target {
	return capnweb.Target{
		methodVersion:      capnweb.Async(func(context.Context, []any) (any, error) { return protocol.Version, nil }),
		methodExecute:      s.method(s.execute),
		methodInvokeHandle: s.method(s.invokeHandle),
		methodCloseHandles: s.method(s.closeHandles),
	}
}

// method makes errors cross, and a panic of the executor's a failure of its call that the log shows.
func (s *served) method(f func(ctx context.Context, args []any) (any, error)) capnweb.Func {
	return capnweb.Async(func(ctx context.Context, args []any) (answer any, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("a call panicked", slog.Any("panic", p))
				answer, err = nil, errors.New("the call failed inside the daemon")
			}
		}()
		answer, err = f(ctx, args)
		if err != nil {
			return nil, wireError(err)
		}
		return answer, nil
	})
}

// execute(request, dispatch | null, outbound | null) runs one program.
func (s *served) execute(ctx context.Context, args []any) (any, error) {
	if s.handler.isDraining() {
		return nil, errDraining()
	}
	request, err := s.request(args)
	if err != nil {
		return nil, err
	}
	queued := time.Now()
	leave, err := s.handler.schedule.acquire(ctx, s.tenant)
	if err != nil {
		s.finished(queued, time.Time{}, nil, err)
		return nil, err
	}
	defer leave()
	began := time.Now()
	result, err := s.handler.executor.Execute(ctx, request)
	s.finished(queued, began, result, err)
	if err != nil {
		return nil, err
	}
	if result.ExecutionID != "" {
		sealed := *result
		sealed.ExecutionID = s.sealID(result.ExecutionID)
		result = &sealed
	}
	return encodeResult(result), nil
}

// request reads the arguments of execute and holds the request to what its tenant may use.
func (s *served) request(args []any) (*protocol.ExecuteRequest, error) {
	if len(args) == 0 {
		return nil, invalid("execute takes a request")
	}
	request, mode, err := decodeRequest(args[0])
	if err != nil {
		return nil, err
	}
	dispatch, err := optionalFunction("dispatch", args, 1)
	if err != nil {
		return nil, err
	}
	request.Dispatch = dispatchVia(dispatch)
	outbound, err := optionalFunction("outbound", args, 2)
	if err != nil {
		return nil, err
	}
	switch mode {
	case protocol.OutboundInherit:
		request.Outbound = protocol.InheritOutbound()
	case protocol.OutboundBlocked:
		request.Outbound = protocol.BlockOutbound()
	case protocol.OutboundStub:
		if outbound == nil {
			return nil, invalid(`outbound is "stub", and there is no function beside it`)
		}
		request.Outbound = protocol.OutboundVia(outboundVia(outbound))
	}
	if request.Timeout, err = s.timeout(request.Timeout); err != nil {
		return nil, err
	}
	request.Limits, err = s.limits(request.Limits)
	return request, err
}

// timeout holds a timeout to the tenant's maximum.
func (s *served) timeout(t protocol.Timeout) (protocol.Timeout, error) {
	maximum := s.tenant.MaxTimeout
	if maximum == 0 {
		return t, nil
	}
	d, err := t.Resolve(min(protocol.DefaultTimeout, maximum), maximum)
	return protocol.TimeoutOf(d), err
}

// limits tightens a request's limits by the tenant's; one that asks for more than its tenant has is told so.
func (s *served) limits(request protocol.Limits) (protocol.Limits, error) {
	if s.tenant.Limits == (protocol.Limits{}) {
		return request, nil
	}
	base := s.tenant.Limits.Or(protocol.DefaultLimits())
	if _, err := base.Tighten(request); err != nil {
		return request, err
	}
	return request.Or(s.tenant.Limits), nil
}

// dispatchVia answers a program's tool calls through the caller's function.
func dispatchVia(st *capnweb.Stub) protocol.DispatchFunc {
	if st == nil {
		return nil
	}
	return func(ctx context.Context, provider, tool, argsJSON string) (string, error) {
		pending, err := st.Start("", provider, tool, argsJSON)
		if err != nil {
			return "", localError(err)
		}
		protocol.Admit(ctx) // it arrives before the result does
		answer, err := pending.Wait(ctx)
		if err != nil {
			return "", localError(err)
		}
		defer capnweb.Dispose(answer)
		return text("the dispatch's answer", answer)
	}
}

// invokeHandle(request, dispatch | null) calls a retained function.
func (s *served) invokeHandle(ctx context.Context, args []any) (any, error) {
	retaining, err := s.retaining()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, invalid("invokeHandle takes a request")
	}
	request, err := decodeInvoke(args[0])
	if err != nil {
		return nil, err
	}
	dispatch, err := optionalFunction("dispatch", args, 1)
	if err != nil {
		return nil, err
	}
	request.Dispatch = dispatchVia(dispatch)
	if request.Timeout, err = s.timeout(request.Timeout); err != nil {
		return nil, err
	}
	id, ok := s.openID(request.ExecutionID)
	if !ok {
		return nil, protocol.Errorf(protocol.CodeExecutionUnknown, "there is no retained execution %q", request.ExecutionID)
	}
	sealed := request.ExecutionID
	request.ExecutionID = id
	began := time.Now()
	result, err := retaining.InvokeHandle(ctx, request)
	s.finished(began, began, result, err)
	if err != nil {
		return nil, err
	}
	if result.ExecutionID != "" {
		again := *result
		again.ExecutionID = sealed
		result = &again
	}
	return encodeResult(result), nil
}

// closeHandles(executionId) frees a retained execution.
func (s *served) closeHandles(ctx context.Context, args []any) (any, error) {
	retaining, err := s.retaining()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, invalid("closeHandles takes an execution's id")
	}
	sealed, err := text("executionId", args[0])
	if err != nil {
		return nil, invalid("%v", err)
	}
	if id, ok := s.openID(sealed); ok {
		return capnweb.Undefined{}, retaining.CloseHandles(ctx, id)
	}
	return capnweb.Undefined{}, nil
}

func (s *served) retaining() (protocol.HandleExecutor, error) {
	retaining, ok := s.handler.executor.(protocol.HandleExecutor)
	if !ok {
		return nil, invalid("retainHandles is not supported by this executor")
	}
	return retaining, nil
}

// sealID binds an execution's id to the tenant, so that nobody else's call reaches it, without anything to remember.
func (s *served) sealID(id string) string { return id + "." + s.mac(id) }

func (s *served) openID(sealed string) (id string, ok bool) {
	at := strings.LastIndexByte(sealed, '.')
	if at < 0 {
		return "", false
	}
	id = sealed[:at]
	return id, hmac.Equal([]byte(sealed[at+1:]), []byte(s.mac(id)))
}

func (s *served) mac(id string) string {
	m := hmac.New(sha256.New, s.handler.seal[:])
	m.Write([]byte(s.tenant.Name + "\x00" + id))
	return hex.EncodeToString(m.Sum(nil)[:16])
}

// finished counts a run and writes it to the log. A zero began means that it never got a place.
func (s *served) finished(queued, began time.Time, result *protocol.ExecuteResult, err error) {
	outcome := "value"
	var ours *protocol.Error
	switch {
	case errors.As(err, &ours):
		outcome = string(ours.Code)
	case err != nil:
		outcome = "error"
	case result.Failure != nil:
		outcome = string(result.Failure.Kind)
	}
	attrs := []any{slog.String("outcome", outcome)}
	if began.IsZero() {
		s.handler.metrics.ran(outcome, time.Since(queued), 0)
		attrs = append(attrs, slog.Duration("queued", time.Since(queued)))
	} else {
		s.handler.metrics.ran(outcome, began.Sub(queued), time.Since(began))
		attrs = append(attrs, slog.Duration("queued", began.Sub(queued)), slog.Duration("took", time.Since(began)))
	}
	if result != nil {
		attrs = append(attrs, slog.Int("calls", len(result.Calls)), slog.Int64("memory", result.Usage.PeakMemory))
	}
	s.log.Info("run", attrs...)
}
