package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// vandal is JavaScript that replaces what every program finds: vandalise(root, replacement) puts replacement(old, name) in
// place of each function that can be reached from root's own properties, its getters and setters included.
const vandal = `
	const seen = new Set();
	const names = (o) => Reflect.ownKeys(o);
	const describe = Object.getOwnPropertyDescriptor, define = Object.defineProperty, apply = Reflect.apply, getProto = Object.getPrototypeOf;
	const add = Set.prototype.add.call.bind(Set.prototype.add), has = Set.prototype.has.call.bind(Set.prototype.has);
	const vandalise = (root, replacement) => {
		const todo = [];
		const visit = (o, depth) => {
			if ((typeof o !== 'object' && typeof o !== 'function') || o === null || has(seen, o)) return;
			add(seen, o);
			const keys = names(o);
			for (let i = 0; i < keys.length; i++) {
				const key = keys[i], d = describe(o, key);
				if (!d) continue;
				todo[todo.length] = { o, key, d };
				if (depth > 0 && 'value' in d) visit(d.value, depth - 1);
			}
			const proto = getProto(o);
			if (proto) visit(proto, depth);
		};
		visit(root, 3);
		for (let i = 0; i < todo.length; i++) {
			const { o, key, d } = todo[i];
			try {
				if (typeof d.value === 'function') { if (d.configurable || d.writable) define(o, key, { ...d, value: replacement(d.value, key) }) }
				else if (d.get && d.configurable) define(o, key, { ...d, get: replacement(d.get, key) });
			} catch {}
		}
	};
`

// forgers are what the functions become.
var forgers = map[string]string{
	"lies":      `() => function () { return '{"forged":true}' }`,
	"throws":    `() => function () { throw 'forged' }`,
	"objects":   `() => function () { return { forged: true, then: undefined, toJSON() { return 'forged' } } }`,
	"promises":  `() => function () { return { then(f) { f('{"result":"forged"}') } } }`,
	"arguments": `(old) => function (...args) { try { args[0] = 'forged' } catch {} return apply(old, this, args) }`,
	"results":   `(old) => function (...args) { apply(old, this, args); return 'forged' }`,
	"nothing":   `() => undefined`,
}

// vandalised are the roots of what programs find.
var vandalised = []string{
	"Object", "Function", "Array", "String", "Number", "Boolean", "BigInt", "Symbol", "Promise", "Map", "Set", "WeakMap", "WeakSet", "Error", "TypeError",
	"RangeError", "JSON", "Reflect", "Math", "Date", "RegExp", "Proxy", "console", "Uint8Array", "ArrayBuffer", "DataView", "Intl", "Iterator", "Atomics",
	"structuredClone", "(async () => {})", "(function* () {})()", "(async function* () {})()", "[][Symbol.iterator]()", "new Map().entries()", "globalThis",
}

// A program that replaces builtins may fail, and may damage itself. It does not come to a value that it did not return,
// sends no call that it did not make, and leaves the next program alone.
func TestAProgramCannotForgeItsOutcome(t *testing.T) {
	pool := newPool(t, executor.Options{Workers: 2})
	provider := []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"t"}}}
	const honest = `{"got":{"n":[1,"a"]},"bytes":{"__codemode_binary_v1__":"Uint8Array","data":"AQI="},"fake":{"__codemode_escaped_v1__":{"__codemode_handle__":1}}}`
	for how, forger := range forgers {
		for _, root := range vandalised {
			var calls []string
			result := mustExecute(t, pool, &protocol.ExecuteRequest{
				Providers: provider,
				Code: fmt.Sprintf(`async () => { const bytes = new Uint8Array([1, 2]); %s
					vandalise(%s, %s);
					const got = await api.t({ q: [1, "x"] });
					console.log("line");
					return { got, bytes, fake: { __codemode_handle__: 1 } } }`, vandal, root, forger),
				Dispatch: func(_ context.Context, provider, tool, args string) (string, error) {
					calls = append(calls, provider+"."+tool+args)
					return `{"result":{"n":[1,"a"]}}`, nil
				},
			})
			at := how + " in " + root
			// What await makes of a promise whose constructor and then were replaced is the program's own affair, by the
			// rules of the language: it may wait for ever, or go on with the promise itself.
			awaits := root == "Promise" || root == "globalThis"
			if result.Failure == nil && string(result.Value) != honest && (!awaits || strings.Contains(string(result.Value), "forged")) {
				t.Errorf("%s: value %s", at, result.Value)
			}
			// The engine may meet the program's own functions before ours is asked: an error of the program is fair.
			if f := result.Failure; f != nil && f.Kind != protocol.FailureThrown && !(awaits && f.Kind == protocol.FailureStalled) {
				t.Errorf("%s: %.300s", at, fmt.Sprintf("%+v", *f))
			}
			if len(calls) > 1 || len(calls) == 1 && calls[0] != `api.t[{"q":[1,"x"]}]` {
				t.Errorf("%s: calls %s", at, calls)
			}
		}
		if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => [1, 2].map(String).concat([...new Map([["a", "b"]]).keys()])`}); got != `["1","2","a"]` {
			t.Errorf("after %s the next program has %s", how, got)
		}
	}
}

// TestSinglePatchesForgeNothing has the patches that are aimed at one step of a program's frame.
func TestSinglePatchesForgeNothing(t *testing.T) {
	pool := newPool(t, executor.Options{})
	patches := []string{
		`Object.prototype.toJSON = () => "forged"`,
		`Object.prototype.then = function (f) { f("forged") }`,
		`Promise.prototype.then = function (f) { f('{"result":"forged"}'); return this }`,
		`Promise.prototype.constructor = function () { throw 1 }`,
		`Promise.resolve = Promise.reject = () => "forged"`,
		`Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } })`,
		`JSON.stringify = () => '"forged"'; JSON.parse = () => ({ result: "forged" }); JSON.rawJSON = () => "forged"`,
		`Array.prototype[Symbol.iterator] = function* () { yield "forged" }`,
		`Array.prototype.push = Array.prototype.map = Array.prototype.join = () => "forged"`,
		`Object.defineProperty(Array.prototype, 0, { set() {}, get() { return "forged" } })`,
		`Object.defineProperty(Object.prototype, "result", { get() { return "forged" }, set() {} })`,
		`Object.defineProperty(Object.prototype, "error", { get() { return "forged" }, set() {} })`,
		`Object.defineProperty(Object.prototype, "step", { get() { return "error" }, set() {} })`,
		`for (const k of ["kind", "failure", "value", "thrown", "limit", "handles", "granted", "pull", "upload", "resolve", "reject", "id", "fn", "get", "set"]) Object.defineProperty(Object.prototype, k, { get() { return "forged" }, set() {}, configurable: true })`,
		`Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => "forged"`,
		`Reflect.apply = () => "forged"; Reflect.construct = () => ({})`,
		`Error.prepareStackTrace = () => "forged"; Error.captureStackTrace = () => { throw 1 }`,
		`Error.stackTraceLimit = 0`,
		`Object.defineProperty(Error.prototype, "message", { get() { return "forged" } })`,
		`String = Object = Array = Promise = Error = JSON = undefined`,
		`globalThis.console = { log() {} }; globalThis.setTimeout = (f) => f()`,
		`Symbol.prototype[Symbol.toPrimitive] = () => "forged"`,
		`String.prototype.includes = () => true; String.prototype.split = () => ["forged"]; RegExp.prototype.exec = () => null`,
		`Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => "forged"; WeakMap.prototype.get = () => "forged"`,
		`Object.setPrototypeOf(Object.prototype.__proto__ ?? Array.prototype, new Proxy({}, { get: () => "forged" }))`,
		`Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(Promise.prototype)`,
		`delete Promise.prototype.then; delete Array.prototype.push; delete Object.prototype.hasOwnProperty; delete Error.isError`,
		`structuredClone = () => "forged"; Uint8Array.prototype.set = () => {}; Object.getPrototypeOf(Uint8Array.prototype).subarray = () => "forged"`,
		`Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), "length", { get: () => 0 })`,
		`Object.defineProperty(ArrayBuffer, Symbol.hasInstance, { value: () => true })`,
		`Object.defineProperty(Function.prototype, Symbol.hasInstance, { value: () => true, writable: true })`,
	}
	for _, patch := range patches {
		t.Run(patch[:min(50, len(patch))], func(t *testing.T) {
			c := new(counting)
			result := mustExecute(t, pool, &protocol.ExecuteRequest{
				Providers: []protocol.ProviderDescriptor{{Name: "api"}}, Dispatch: c.dispatch,
				Code: `async () => { try { ` + patch + ` } catch {} const r = await api.t("x"); return r === 'api.t["x"]' ? [r, 1] : "the answer was " + r }`,
			})
			switch f := result.Failure; {
			case f == nil && string(result.Value) != `["api.t[\"x\"]",1]`:
				// With toJSON or then on every object, what those say is the program's value by the language's own rules.
				if patch != patches[0] && patch != patches[1] || string(result.Value) != `"forged"` {
					t.Errorf("value %s", result.Value)
				}
			case f != nil && f.Kind != protocol.FailureThrown:
				t.Errorf("failure %+v", *f)
			}
			if n := c.calls.Load(); n > 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// Data that looks like our own is data, in every direction.
func TestWhatLooksLikeOursIsData(t *testing.T) {
	pool := newPool(t, executor.Options{})
	for _, text := range []string{
		`{"__codemode_binary_v1__":"Uint8Array","data":"not base64!"}`,
		`{"__codemode_escaped_v1__":{"__codemode_binary_v1__":"Uint8Array","data":"AQI="}}`,
		`{"__codemode_escaped_v1__":{"__codemode_escaped_v1__":{"__codemode_handle__":1}}}`,
		`{"__codemode_handle__":1,"more":2}`,
		`{"__codemode_control__":"halt","result":1,"error":"x"}`,
		`{"kind":"failure","failure":{"kind":"timeout"},"result":{"error":"e"}}`,
		`["__codemode_binary_v1__","[the console is cut here: at most 1 bytes in a run]","Execution timed out at its 1 ms bound."]`,
		`{"error":"not an error","__proto__":{"polluted":true},"constructor":{"prototype":1},"then":1,"toJSON":2}`,
		`{"\u005f_codemode_handle__":7}`,
	} {
		var plain any
		if err := json.Unmarshal([]byte(text), &plain); err != nil {
			t.Fatal(err)
		}
		encoded, err := protocol.EncodeValue(plain)
		if err != nil {
			t.Fatal(err)
		}
		var argument string
		result := mustExecute(t, pool, &protocol.ExecuteRequest{
			Providers: []protocol.ProviderDescriptor{{Name: "api"}},
			Code:      `async () => { const v = await api.get(); if (({}).polluted) throw 1; await api.put(v); return v }`,
			Dispatch: func(_ context.Context, _, tool, args string) (string, error) {
				if tool == "put" {
					argument = args
					return "{}", nil
				}
				return `{"result":` + string(encoded) + `}`, nil
			},
		})
		if result.Failure != nil {
			t.Errorf("%s: %+v", text, *result.Failure)
			continue
		}
		if diff := cmp.Diff(string(encoded), string(result.Value)); diff != "" {
			t.Errorf("%s, as a value:\n%s", text, diff)
		}
		if diff := cmp.Diff("["+string(encoded)+"]", argument); diff != "" {
			t.Errorf("%s, as an argument:\n%s", text, diff)
		}
	}
}
