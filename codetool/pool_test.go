//go:build cgo && (linux || darwin)

package codetool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/protocol"
)

// TestMain makes the test binary its own worker process.
func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

func newPoolTool(t *testing.T, options *codetool.Options, providers ...codetool.Provider) *codetool.Tool {
	t.Helper()
	pool, err := executor.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	tool := codetool.NewTool(pool, providers, options)
	t.Cleanup(func() {
		if err := tool.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return tool
}

func echo(name string) codetool.RawTool {
	return codetool.RawTool{Name: name, Call: func(_ context.Context, args json.RawMessage) (any, error) { return args, nil }}
}

func orders() codetool.Provider {
	type input struct {
		UserID string `json:"userId"`
	}
	type order struct {
		ID     string `json:"id"`
		Total  int    `json:"total"`
		Status string `json:"status"`
	}
	list := codetool.Func("listOrders", "Orders belonging to one user.", func(_ context.Context, in input) ([]order, error) {
		if in.UserID != "u1" {
			return nil, errors.New("no such user")
		}
		return []order{{"o1", 42, "shipped"}, {"o2", 7, "pending"}}, nil
	})
	return codetool.Provider{Tools: []codetool.RawTool{list, echo("list_issues")}}
}

// Programs as models write them, in a real worker.
func TestPrograms(t *testing.T) {
	names := []string{"get-user", "a.b", "1st", "delete", "constructor", "then", "toString", "__proto__", "a-b", "a_b", "天气", "émoji"}
	var all []codetool.RawTool
	for _, name := range names {
		all = append(all, echo(name))
	}
	tool := newPoolTool(t, &codetool.Options{LosslessIntegers: true, Timeout: 5 * time.Second}, orders(), codetool.Provider{Name: "odd names", Tools: all})
	for _, c := range []struct{ code, want string }{
		{"async () => {\n  const orders = await codemode.listOrders({ userId: 'u1' })\n\n  return orders\n    .filter((order) => order.status === 'shipped')\n    .reduce((total, order) => total + order.total, 0)\n}", `{"result":42}`},
		{"console.log('plain'); console.warn('careful'); console.error('broken'); 1", `{"result":1,"logs":["plain","[warn] careful","[error] broken"]}`},
		{"console.log({a:1}); console.info('i')", `{"logs":["{ a: 1 }","[info] i"]}`},
		{"async () => codemode.invoices()", `Code execution failed: Tool "invoices" not found`},
		{"await codemode.lst_isues({})", `Code execution failed: Tool "lst_isues" not found; did you mean "list_issues"?`},
		{"return await codemod.list({})", "Code execution failed: codemod is not defined; did you mean `codemode`?"},
		{"async () => codemode.listOrders({ userId: 5 })", "Code execution failed: Invalid arguments for codemode.listOrders:\n- userId: expected string, got 5"},
		{"try { await codemode.listOrders({ userId: 'x' }) } catch (e) { return 'caught: ' + e.message }", `{"result":"caught: no such user"}`},
		{"await codemode.list_issues({ id: 7960607143101464576n, o: new Uint8Array([0, 255, 128]) })", `{"result":{"id":7960607143101464576,"o":"AP+A"}}`},
		{"new Uint8Array([0, 255, 128])", `{"result":{"__codemode_binary_v1__":"Uint8Array","data":"AP+A"}}`},
		{"(async function(){ return 42 })", `{"result":42}`},
		{"const main = async () => 42; main()", `{"result":42}`},
		{"async (x: string): Promise<number> => { return 1 as number }", `{"result":1}`},
		{"Here you go:\n```js\nasync () => 1\n```\nDone", `{"result":1}`},
		{"const x = 1", `{}`},
		{"", `{}`},
		{"[await odd_names['get-user']({a:1}), await odd_names.get_user({a:2}), await odd_names.a_b({a:3}), await odd_names['a-b']({a:4}), await odd_names.a_b_2({a:5})]",
			`{"result":[{"a":1},{"a":2},{"a":3},{"a":4},{"a":5}]}`},
		{"[await odd_names.天气({a:1}), await odd_names.émoji({a:2}), await odd_names._1st({a:3}), await odd_names['1st']({a:4}), await odd_names.delete_(), await odd_names.then_()]",
			`{"result":[{"a":1},{"a":2},{"a":3},{"a":4},{},{}]}`},
		{"[await odd_names.constructor({a:1}), await odd_names.toString({a:2}), await odd_names.__proto__({a:3})]", `{"result":[{"a":1},{"a":2},{"a":3}]}`},
		{"const r = await Promise.allSettled([codemode.list_issues(), codemode.nope()]); r.map(x => x.status)", `{"result":["fulfilled","rejected"]}`},
	} {
		outcome, err := tool.Call(t.Context(), c.code)
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		got := outcome.ErrorText()
		if envelope, err := outcome.Envelope(); err == nil {
			got = string(envelope)
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.code, got, c.want)
		}
	}
}

func TestFailuresInFull(t *testing.T) {
	slow := codetool.RawTool{Name: "slow", Call: func(ctx context.Context, _ json.RawMessage) (any, error) {
		protocol.Admit(ctx)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	provider := orders()
	provider.Tools = append(provider.Tools, slow)
	tool := newPoolTool(t, &codetool.Options{Timeout: 2 * time.Second}, provider)
	for _, c := range []struct{ code, want string }{
		{"undefinedFn()", "ReferenceError: undefinedFn is not defined (line 1:1)\n  1 | undefinedFn()\n    | ^"},
		{"const a = 1\n\nconst b = a.c.d", "TypeError: Cannot read properties of undefined (reading 'd') (line 3:15)\n  3 | const b = a.c.d\n    |               ^"},
		{"let x = 1;\nlet x = 2;", "SyntaxError:"},
		{"while (true) {}", "Execution timed out at its 2000 ms bound. Do less work per run and return the part that is already finished."},
		{"throw 'x'", "x"},
		{"throw Object.assign(new TypeError('bad q'), { cause: new Error('root') })", "TypeError: bad q (line 1:21)\n  1 | throw Object.assign(new TypeError('bad q'), { cause: new Error('root') })\n    |                     ^\nCaused by: Error: root"},
		{"await Promise.any([Promise.reject(new Error('one')), Promise.reject(new RangeError('two'))])", "AggregateError: All promises were rejected\nCaused by: Error: one\nCaused by: RangeError: two"},
		{"const r = codemode.list_issues({}); await r;\nreturn r.map(x => x)", "TypeError: r.map is not a function (line 2:10); is an await missing? A call gives a promise: await codemode.list_issues(…)\n  2 | return r.map(x => x)\n    |          ^\nCompleted before that, and not to be repeated if they changed something: codemode.list_issues."},
		{"await codemode.list_issues({}); await codemode.list_issues({}); nope()", "ReferenceError: nope is not defined (line 1:65)\n  1 | await codemode.list_issues({}); await codemode.list_issues({}); nope()\n    |                                                                 ^\nCompleted before that, and not to be repeated if they changed something: codemode.list_issues ×2."},
		{"(async function () {\n  return nope.x\n})", "ReferenceError: nope is not defined (line 2:"},
		{"await new Promise(async () => { throw new Error('inside') })", "the program waits for a promise that nothing can settle any more: no tool call, request or timer is pending\nThrown, and nobody heard of it: Error: inside (line 1:39). Await every promise, or catch what it throws."},
		{"codemode.slow({}); await codemode.list_issues({}); null.x", "TypeError: Cannot read properties of null (reading 'x') (line 1:57)\n  1 | codemode.slow({}); await codemode.list_issues({}); null.x\n    |                                                         ^\nCompleted before that, and not to be repeated if they changed something: codemode.list_issues.\nStill under way then, so that it may have happened or not: codemode.slow."},
	} {
		outcome, err := tool.Call(t.Context(), c.code)
		if err != nil || outcome.Failure == nil {
			t.Errorf("%s: %+v, %v", c.code, outcome, err)
			continue
		}
		if got := outcome.Failure.String(); got != c.want && !(strings.HasSuffix(c.want, ":") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s\ngot  %s\nwant %s", c.code, got, c.want)
		}
	}
}

func TestHints(t *testing.T) {
	provider := orders()
	provider.Tools = append(provider.Tools, codetool.RawTool{Name: "rest", Call: func(context.Context, json.RawMessage) (any, error) {
		time.Sleep(200 * time.Millisecond) // in which the calls before it are answered, also on a busy machine
		return nil, nil
	}})
	tool := newPoolTool(t, nil, provider)
	for _, c := range []struct{ code, value, hint string }{
		{"return [codemode.list_issues({}), codemode.list_issues({})]", `[{},{}]`, "codemode.list_issues"},
		{"const m = new Map([[1, 2]]); return m", `{}`, "Object.fromEntries(map)"},
		{"try { null.x } catch (e) { return { error: e } }", `{"error":{}}`, "error.message"},
		{"return await codemode.list_issues({})", `{}`, ""},
		{"return { a: {} }", `{"a":{}}`, ""},
		{"return await Promise.all([codemode.list_issues({}), codemode.list_issues({ a: 1 })])", `[{},{"a":1}]`, ""},
		{`async () => {\n  const s = \"a\";\n  return s;\n}`, `"a"`, ""},
		{"const x = 1", ``, "no value"},
		{"codemode.listOrders({ userId: 'x' }); await codemode.rest({}); return 1", `1`, "since it was not awaited: codemode.listOrders (Error: no such user). Write await before the call."},
		{"for (const u of 'abcde') codemode.listOrders({ userId: u }); await codemode.rest({}); return 1", `1`, "codemode.listOrders (Error: no such user); codemode.listOrders (Error: no such user); codemode.listOrders (Error: no such user); and 2 more."},
		{"const load = async () => {\n  null.x\n}\nload()\nreturn 1", `1`, "Thrown, and nobody heard of it: TypeError: Cannot read properties of null (reading 'x') (line 2:8). Await every promise, or catch what it throws."},
		{"Promise.reject(new Error('x'.repeat(5000))); return 1", `1`, strings.Repeat("x", 293) + "… (line 1:16). Await"},
		{"Here:\n```js\nPromise.reject(new Error('fenced'));\nreturn 1\n```\n", `1`, "Error: fenced (line 3:16)"},
		{"setTimeout(() => { throw new Error('late') }, 1); await new Promise((r) => setTimeout(r, 50)); return 1", `1`, "Thrown, and nobody heard of it: Error: late (line 1:26). Await every promise, or catch what it throws."},
		{"console.log(1); codemode.listOrders({ userId: 'x' }); await codemode.rest({}); return", ``, "codemode.listOrders (Error: no such user)"},
		{"return () => 1", ``, "The program returned a function, which has no JSON: call it, or return data."},
		{"return Symbol('s')", ``, "returned a symbol"},
		{"async () => codemode", `{}`, "codemode is an object of functions, which has no JSON: call one of them, as in await codemode.listOrders(…)."},
		{"async () => { return codemode; }", `{}`, "codemode is an object of functions"},
		{"codemode", `{}`, "codemode is an object of functions"},
		{"const codemode2 = {}; return codemode2", `{}`, ""},
		{"const p = codemode.listOrders({ userId: 'x' }); await codemode.list_issues({}); return p.catch(() => 1)", `1`, ""},
		{"try { await codemode.listOrders({ userId: 'x' }) } catch { return 1 }", `1`, ""},
	} {
		outcome, err := tool.Call(t.Context(), c.code)
		if err != nil || outcome.Failure != nil {
			t.Errorf("%s: %+v, %v", c.code, outcome, err)
			continue
		}
		if string(outcome.Value) != c.value || c.hint == "" && outcome.Hint != "" || !strings.Contains(outcome.Hint, c.hint) {
			t.Errorf("%s: value %s, hint %q; want %s, %q", c.code, outcome.Value, outcome.Hint, c.value, c.hint)
		}
	}
}

func TestManyParallelCalls(t *testing.T) {
	tool := newPoolTool(t, nil, codetool.Provider{Tools: []codetool.RawTool{echo("f")}})
	outcome, err := tool.Call(t.Context(), "return (await Promise.all(Array.from({length:100},(_, i)=>codemode.f({i})))).map(r => r.i).join()")
	want := make([]string, 100)
	for i := range want {
		want[i] = fmt.Sprint(i)
	}
	if err != nil || string(outcome.Value) != `"`+strings.Join(want, ",")+`"` {
		t.Errorf("got %+v, %v", outcome, err)
	}
}

// dataError is a tool's error with more to say.
type dataError struct{ error }

func (dataError) ErrorData() json.RawMessage {
	return json.RawMessage(`{"retryAfter":9007199254740993,"raw":"é"}`)
}

func TestErrorsOfToolsHaveTheirData(t *testing.T) {
	fail := codetool.RawTool{Name: "fail", Call: func(context.Context, json.RawMessage) (any, error) {
		return nil, fmt.Errorf("wrapped: %w", dataError{errors.New("busy")})
	}}
	tool := newPoolTool(t, &codetool.Options{LosslessIntegers: true}, codetool.Provider{Tools: []codetool.RawTool{fail}})
	outcome, err := tool.Call(t.Context(), "try { await codemode.fail({}) } catch (e) { return [e.message, e.data] }")
	if want := `["wrapped: busy",{"retryAfter":9007199254740993,"raw":"é"}]`; err != nil || string(outcome.Value) != want {
		t.Errorf("got %s, %v, %v", outcome.Value, outcome.Failure, err)
	}
}
