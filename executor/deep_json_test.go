package executor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// Deep JSON is an ordinary error in either direction, whoever's parser it is too deep for.
func TestDeepJSONIsAnErrorBothWays(t *testing.T) {
	pool := newPool(t, executor.Options{})
	for _, depth := range []int{100, 5_000, 10_500, 20_000, 200_000} {
		nest := fmt.Sprintf(`const nest = () => { let v = 1; for (let i = 0; i < %d; i++) v = [v]; return v };`, depth)
		shallow := depth == 100
		providers := []protocol.ProviderDescriptor{{Name: "api"}}
		check := func(what string, result *protocol.ExecuteResult, kinds ...protocol.FailureKind) {
			t.Helper()
			if result.Failure == nil {
				// Some parsers know no depth.
				if what == "value" && depth >= 20_000 {
					t.Errorf("%s, %d deep: value %.50s", what, depth, result.Value)
				}
				return
			}
			if shallow && what != "thrown" || !slices.Contains(kinds, result.Failure.Kind) {
				t.Errorf("%s, %d deep: %.300s", what, depth, fmt.Sprintf("%+v", *result.Failure))
			}
		}
		check("value", mustExecute(t, pool, &protocol.ExecuteRequest{Code: "async () => { " + nest + " return nest() }"}), protocol.FailureStack)
		check("thrown", mustExecute(t, pool, &protocol.ExecuteRequest{Code: "async () => { " + nest + " throw nest() }"}), protocol.FailureThrown)
		if shallow {
			continue
		}
		check("argument", mustExecute(t, pool, &protocol.ExecuteRequest{
			Code: "async () => { " + nest + " await api.t(nest()); return nest() }", Providers: providers,
			Dispatch: func(context.Context, string, string, string) (string, error) { return "{}", nil },
		}), protocol.FailureThrown, protocol.FailureStack)
		check("tool result", mustExecute(t, pool, &protocol.ExecuteRequest{
			Code: "async () => { const v = await api.t(); return typeof v }", Providers: providers,
			Dispatch: func(context.Context, string, string, string) (string, error) {
				return `{"result":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`, nil
			},
		}), protocol.FailureThrown)
		check("tool result with a marker", mustExecute(t, pool, &protocol.ExecuteRequest{
			Code: "async () => { const v = await api.t(); return typeof v }", Providers: providers,
			Dispatch: func(context.Context, string, string, string) (string, error) {
				return `{"result":{"__codemode_escaped_v1__":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}}`, nil
			},
		}), protocol.FailureThrown)
		check("module", mustExecute(t, pool, &protocol.ExecuteRequest{
			Code: "import v from 'deep.json'\nasync () => typeof v", Modules: map[string]string{"deep.json": strings.Repeat("[", depth) + strings.Repeat("]", depth)},
		}), protocol.FailureThrown, protocol.FailureSyntax, protocol.FailureStack, protocol.FailureMemory)
		check("source", mustExecute(t, pool, &protocol.ExecuteRequest{
			Code: "async () => typeof " + strings.Repeat("[", depth) + strings.Repeat("]", depth),
		}), protocol.FailureThrown, protocol.FailureSyntax, protocol.FailureStack)
	}
}

func TestAStackOverflowIsAnOrdinaryRangeError(t *testing.T) {
	pool := newPool(t, executor.Options{})
	for code, want := range map[string]string{
		`async () => { const f = () => f() + 1; try { f() } catch (e) { return [e instanceof RangeError, e.message] } }`:                                `[true,"Maximum call stack size exceeded"]`,
		`async () => { let v = []; for (let i = 0; i < 1e5; i++) v = [v]; try { JSON.stringify(v) } catch (e) { return e.name } }`:                      `"RangeError"`,
		`async () => { let v = []; for (let i = 0; i < 1e5; i++) v = [v]; try { structuredClone(v) } catch (e) { return e.name } }`:                     `"RangeError"`,
		`async () => { const p = new Proxy({}, { get: (t, k, r) => r[k] }); try { p.x } catch (e) { return e.name } }`:                                  `"RangeError"`,
		`async () => { try { new RegExp("(".repeat(1e5) + ")".repeat(1e5)) } catch (e) { return e.name } }`:                                             `"SyntaxError"`,
		`async () => { const f = async () => await f(); try { await f() } catch (e) { return e.name } }`:                                                `"RangeError"`,
		`async () => { class A { toString() { return "" + this } } try { "" + new A() } catch (e) { return e.name } }`:                                  `"RangeError"`,
		`async () => { const f = () => { try { f() } finally { f() } }; setTimeout(() => { try { (function g() { g() })() } catch {} }); return "ok" }`: `"ok"`,
	} {
		if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: code}); got != want {
			t.Errorf("%s: %s", code, got)
		}
	}
	mustFail(t, pool, &protocol.ExecuteRequest{Code: `async () => { const f = () => f() + 1; f() }`}, protocol.FailureThrown)
}
