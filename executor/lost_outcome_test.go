package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// api is a provider with tools of every temper, behind the envelope dispatch that hosts use.
func api() ([]protocol.ProviderDescriptor, protocol.DispatchFunc) {
	handler := func(_ context.Context, tool, args string) (json.RawMessage, error) {
		switch tool {
		case "args":
			return json.RawMessage(args), nil
		case "fail":
			return nil, errors.New("no such id")
		case "big":
			return json.RawMessage(`{"id":9007199254740993}`), nil
		case "bytes":
			return protocol.EncodeValue([]byte{0, 255, 128})
		case "nothing":
			return nil, nil
		}
		return nil, &protocol.ToolNotFoundError{Tool: tool}
	}
	return []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"args", "fail", "big", "bytes", "nothing"}}},
		protocol.NewEnvelopeDispatch(map[string]protocol.Handler{"api": handler}, new(protocol.CompletionGuard))
}

func TestAProgramsValueArrives(t *testing.T) {
	pool := newPool(t, executor.Options{})
	providers, dispatch := api()
	for _, c := range []struct{ code, want string }{
		{`async () => 6 * 7`, `42`},
		{`() => "x"`, `"x"`},
		{`async () => ({ b: 1, a: [true, null] })`, `{"b":1,"a":[true,null]}`},
		{`async () => {}`, ``},
		{`async () => null`, `null`},
		{`async () => new Uint8Array([0, 255, 128])`, `{"__codemode_binary_v1__":"Uint8Array","data":"AP+A"}`},
		{`async () => ({ __codemode_handle__: 7 })`, `{"__codemode_escaped_v1__":{"__codemode_handle__":7}}`},
		{`async () => api.args({ a: 1 }, 2)`, `[{"a":1},2]`},
		{`async () => [...await api.bytes()]`, `[0,255,128]`},
		{`async () => await api.nothing() === undefined`, `true`},
		{`async () => { try { await api.fail() } catch (e) { return e.constructor.name + ": " + e.message } }`, `"Error: no such id"`},
		{`async () => { try { await api.other() } catch (e) { return e.message } }`, `"Tool \"other\" not found"`},
		{`async () => (await Promise.allSettled([api.args(1), api.fail()])).map(x => x.status)`, `["fulfilled","rejected"]`},
		{`async () => (await Promise.all(Array.from({ length: 300 }, (_, i) => api.args(i)))).every(([n], i) => n === i)`, `true`},
		{`import { two } from "two"` + "\n" + `async () => two`, `2`},
	} {
		result := mustExecute(t, pool, &protocol.ExecuteRequest{
			Code: c.code, Providers: providers, Dispatch: dispatch, Modules: map[string]string{"two": "export const two = 2"},
		})
		if result.Failure != nil || string(result.Value) != c.want {
			t.Errorf("%s: value %s, failure %+v; want %s", c.code, result.Value, result.Failure, c.want)
		}
	}
	lossless := &protocol.ExecuteRequest{Code: `async () => (await api.big()).id`, Providers: providers, Dispatch: dispatch, LosslessIntegers: true}
	if got := mustValue(t, pool, lossless); got != "9007199254740993" {
		t.Errorf("a large integer arrives as %s", got)
	}
}

func TestAProgramsFailureArrives(t *testing.T) {
	pool := newPool(t, executor.Options{})
	for _, c := range []struct {
		code    string
		kind    protocol.FailureKind
		name    string
		message string
	}{
		{`async () => { throw new TypeError("bad q") }`, protocol.FailureThrown, "TypeError", "bad q"},
		{`async () => { throw { code: 5 } }`, protocol.FailureThrown, "", ""},
		{`async () => nope`, protocol.FailureThrown, "ReferenceError", "nope is not defined"},
		{`async () => {`, protocol.FailureSyntax, "SyntaxError", ""},
		{"  \n", protocol.FailureSyntax, "SyntaxError", "The program is empty"},
		{`async () => await new Promise(() => {})`, protocol.FailureStalled, "", ""},
		{`async () => { const f = () => f(); f() }`, protocol.FailureThrown, "RangeError", "Maximum call stack size exceeded"},
		{`async () => { throw new Error("Execution timed out waiting for the vendor API") }`, protocol.FailureThrown, "Error", "Execution timed out waiting for the vendor API"},
	} {
		result := mustFail(t, pool, &protocol.ExecuteRequest{Code: c.code, Timeout: protocol.TimeoutOf(10 * time.Second)}, c.kind)
		if c.name != "" && result.Failure.Name != c.name || !strings.Contains(result.Failure.Message, c.message) {
			t.Errorf("%s: failure %+v", c.code, *result.Failure)
		}
	}
	result := mustFail(t, pool, &protocol.ExecuteRequest{Code: "async () => {\n  boom()\n}"}, protocol.FailureThrown)
	if diff := cmp.Diff(&protocol.Position{Line: 2, Column: 3}, result.Failure.Position); diff != "" {
		t.Error(diff)
	}
}

func TestLogsArriveWithTheirLevelsAlsoOfAProgramThatFails(t *testing.T) {
	pool := newPool(t, executor.Options{})
	code := `async () => { for (const level of ["log", "debug", "info", "warn", "error"]) console[level](level, 1); throw new Error("x") }`
	result := mustFail(t, pool, &protocol.ExecuteRequest{Code: code}, protocol.FailureThrown)
	var lines []string
	for _, line := range result.Logs {
		lines = append(lines, string(line.Level)+": "+line.Text)
	}
	if diff := cmp.Diff([]string{"log: log 1", "debug: debug 1", "info: info 1", "warn: warn 1", "error: error 1"}, lines); diff != "" {
		t.Error(diff)
	}
}

func TestAFloodOfLogsIsCutAndDoesNotSlowTheRun(t *testing.T) {
	pool := newPool(t, executor.Options{})
	code := `async () => { for (let i = 0; i < 1e5; i++) console.log("line", i); return 1 }`
	result := mustExecute(t, pool, &protocol.ExecuteRequest{Code: code, Limits: protocol.Limits{LogLines: 100}, Timeout: protocol.TimeoutOf(20 * time.Second)})
	if string(result.Value) != "1" || len(result.Logs) < 100 || len(result.Logs) > 104 {
		t.Errorf("value %s, failure %+v, %d lines", result.Value, result.Failure, len(result.Logs))
	}
	code = `async () => { for (let i = 0; i < 100; i++) console.log("x".repeat(1e5)); return 1 }`
	result = mustExecute(t, pool, &protocol.ExecuteRequest{Code: code, Limits: protocol.Limits{LogBytes: 250_000}})
	size := 0
	for _, line := range result.Logs {
		size += len(line.Text)
	}
	if string(result.Value) != "1" || size > 252_000 || size < 200_000 {
		t.Errorf("value %s, failure %+v, %d bytes", result.Value, result.Failure, size)
	}
}

func TestSizesOverTheirBoundsAreNamed(t *testing.T) {
	pool := newPool(t, executor.Options{})
	providers, dispatch := api()
	for limit, request := range map[string]protocol.ExecuteRequest{
		"sourceBytes":  {Code: `async () => "` + strings.Repeat("x", 1000) + `"`, Limits: protocol.Limits{SourceBytes: 1000}},
		"modulesBytes": {Code: `async () => 1`, Modules: map[string]string{"m": strings.Repeat("/", 1000)}, Limits: protocol.Limits{ModulesBytes: 1000}},
		"resultBytes":  {Code: `async () => "x".repeat(1000)`, Limits: protocol.Limits{ResultBytes: 1000}},
	} {
		result := mustFail(t, pool, &request, protocol.FailureLimit)
		if result.Failure.Limit != limit || result.Failure.LimitValue != 1000 {
			t.Errorf("%s: failure %+v", limit, *result.Failure)
		}
	}
	// What one call asks for too much the program can catch, and the run stands.
	for what, limits := range map[string]protocol.Limits{
		"arguments": {ArgumentBytes: 1000}, "toolResultBytes": {ToolResultBytes: 1000},
	} {
		code := `async () => { try { await api.args("x".repeat(1000)) } catch (e) { return e.message } }`
		got := mustValue(t, pool, &protocol.ExecuteRequest{Code: code, Providers: providers, Dispatch: dispatch, Limits: limits})
		if !strings.Contains(got, what) || !strings.Contains(got, "1000") {
			t.Errorf("%s: %s", what, got)
		}
	}
}

func TestCallsOverTheirBoundAreRefusedAndBooked(t *testing.T) {
	pool := newPool(t, executor.Options{})
	providers, dispatch := api()
	for _, limits := range []protocol.Limits{{ToolCalls: 3}, {CallsInFlight: 3}} {
		code := `async () => (await Promise.allSettled(Array.from({ length: 5 }, () => api.args()))).filter(x => x.status === "fulfilled").length`
		result := mustExecute(t, pool, &protocol.ExecuteRequest{Code: code, Providers: providers, Dispatch: dispatch, Limits: limits})
		refused := 0
		for _, call := range result.Calls {
			if call.Outcome == protocol.CallRefused {
				refused++
			}
		}
		if result.Failure != nil || string(result.Value) != "3" || refused != 2 || result.Usage.ToolCalls != 3 {
			t.Errorf("%+v: value %s, failure %+v, ledger %+v", limits, result.Value, result.Failure, result.Calls)
		}
	}
}

func TestRequestsThatMakeNoSenseCostNoWorker(t *testing.T) {
	pool := newFakePool(t, executor.Options{MaxTimeout: time.Minute})
	for want, request := range map[string]*protocol.ExecuteRequest{
		"nil":            nil,
		"timeout":        {Code: "x", Timeout: protocol.TimeoutOf(time.Hour)},
		"limits.memory":  {Code: "x", Limits: protocol.Limits{Memory: 1 << 40}},
		"providers[0]":   {Code: "x", Providers: []protocol.ProviderDescriptor{{Name: "class"}}},
		"consoleFormat":  {Code: "x", ConsoleFormat: "loud"},
		"greater than 0": {Code: "x", Timeout: protocol.TimeoutOf(0)},
	} {
		result, err := pool.Execute(context.Background(), request)
		if !errors.Is(err, protocol.CodeInvalidRequest) || !strings.Contains(err.Error(), want) || result != nil {
			t.Errorf("%s: result %v, error %v", want, result, err)
		}
	}
}

func TestNoStateSurvivesARun(t *testing.T) {
	pool := newPool(t, executor.Options{Workers: 1, SpareWorkers: -1})
	for range 5 {
		code := `async () => { const before = [globalThis.x, Array.prototype.y, api.z]; globalThis.x = 1; Array.prototype.y = 2; return before.map(v => typeof v) }`
		providers, dispatch := api()
		if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: code, Providers: providers, Dispatch: dispatch}); got != `["undefined","undefined","function"]` {
			t.Errorf("value %s", got)
		}
	}
}

func TestManyRunsAtOnceKeepApart(t *testing.T) {
	pool := newPool(t, executor.Options{Workers: 3, RecycleAfter: 7})
	providers, _ := api()
	var runs sync.WaitGroup
	for caller := range 8 {
		runs.Go(func() {
			for i := range 10 {
				mine := fmt.Sprintf("%d-%d", caller, i)
				dispatch := func(_ context.Context, _, _, args string) (string, error) {
					if !strings.Contains(args, mine) {
						t.Errorf("the run %s got a call of another: %s", mine, args)
					}
					return `{"result":` + args + `}`, nil
				}
				code := fmt.Sprintf(`async () => { const all = await Promise.all([api.args(%q), api.args(%q)]); return all.flat() }`, mine, mine)
				if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: code, Providers: providers, Dispatch: dispatch}); got != fmt.Sprintf(`[%q,%q]`, mine, mine) {
					t.Errorf("run %s: value %s", mine, got)
				}
			}
		})
	}
	runs.Wait()
}
