//go:build cgo && (linux || darwin)

package worker_test

import (
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

func TestNothingSurvivesARun(t *testing.T) {
	c := startChild(t, wire.Options{})
	c.check("async () => { globalThis.left = 1; Object.prototype.left = 2; JSON.stringify = 0; setInterval(() => {}, 1); codemode.never(); console.group('x'); return typeof left }", `"number"`)
	c.check("async () => [typeof left, typeof ({}).left, typeof JSON.stringify]", `["undefined","undefined","function"]`)
}

// A late answer to a call of an earlier run must not be taken for one of the next.
func TestALateAnswerFindsNobody(t *testing.T) {
	c := startChild(t, wire.Options{})
	c.run(program{code: "async () => { codemode.t(); return 1 }", answer: func(call) string { return "" }})
	for id := range 20 {
		c.send(wire.Answer, []byte{byte('0' + id/10), byte('0' + id%10)}, []byte(`{"result":"stale"}`))
	}
	first := true
	o := c.run(program{code: "async () => await codemode.t()", answer: func(call) string {
		if first {
			c.send(wire.Answer, []byte("1"), []byte(`{"result":"stale"}`))
		}
		first = false
		return `{"result":"fresh"}`
	}})
	if o.value != `"fresh"` {
		t.Errorf("got %s", o.summary())
	}
}

// damages are what a program may do to the language.
var damages = []string{
	"JSON.stringify = () => '\"forged\"'; JSON.parse = () => ({result: 'forged'})",
	"Promise.prototype.then = function () { return 5 }; Promise.resolve = 0; globalThis.Promise = class {}",
	"Promise.prototype.constructor = class { constructor(f) { f(() => {}, () => {}) } }",
	"for (const k of Reflect.ownKeys(Array.prototype)) if (typeof Array.prototype[k] === 'function' && k !== 'constructor') Array.prototype[k] = () => { throw 1 }",
	"Array.prototype[Symbol.iterator] = function* () { yield 'forged' }",
	"for (const k of Object.getOwnPropertyNames(Object)) try { Object[k] = () => { throw 1 } } catch {}",
	"const d = Object.create(null); d.value = 1; for (const k of ['get', 'set', 'value', 'writable']) Object.defineProperty(Object.prototype, k, d)",
	"Object.defineProperty(Array.prototype, '0', {set(v) { throw 1 }, get() { return 'forged' }})",
	"Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }",
	"globalThis.setTimeout = globalThis.Error = globalThis.Map = globalThis.Proxy = globalThis.String = undefined",
	"Map.prototype.get = Map.prototype.set = WeakMap.prototype.get = WeakSet.prototype.has = () => { throw 1 }",
	"const g = globalThis; g.globalThis = 5; g.console.log = 5",
	"String.prototype.includes = String.prototype.slice = RegExp.prototype.exec = () => { throw 1 }",
	"Error.prepareStackTrace = () => { throw 1 }; Error.captureStackTrace = 5; Error.stackTraceLimit = 0",
	"Object.freeze(Object.prototype); Object.freeze(Error); Object.freeze(Promise.prototype)",
	"for (const k of Object.getOwnPropertyNames(Reflect)) Reflect[k] = () => { throw 1 }",
	"String.prototype[Symbol.split] = Object.prototype[Symbol.replace] = () => { throw 1 }",
	"Object.prototype.enumerable = Object.prototype.configurable = true",
	"for (let o = globalThis; o !== Object.prototype; o = Object.getPrototypeOf(o)) Object.freeze(o)",
}

// A program that replaces what the language has damages itself alone.
func TestReplacedBuiltins(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, damage := range damages {
		c.check("async () => { "+damage+"; const a = await codemode.echo({x: [1, 'y']}); return {a} }", `{"a":{"x":[1,"y"]}}`)
		o := c.run(program{code: "async () => { " + damage + "; await codemode.echo(1); throw new TypeError('real') }"})
		if o.summary() != "TypeError: real" {
			t.Errorf("%s: %s", damage, o.summary())
		}
	}
}

// A script that runs when a global is first read comes after what the program has done by then.
func TestReplacedBuiltinsBeforeAScriptRuns(t *testing.T) {
	c := startChild(t, wire.Options{})
	const touch = `
		const url = new URL('http://a.example/b?q=%C3%A9+x');
		return {
			url: url.href, query: url.searchParams.get('q'), base64: btoa(atob('aGk=')), pattern: new URLPattern({ pathname: '/:x' }).test('http://a/b'),
			text: new TextDecoder().decode(new TextEncoder().encode('\u00e9')), clone: structuredClone({ x: bytes }).x.length, hex: bytes.toHex(),
			header: new Headers({ a: 'b' }).get('A'), map: map.getOrInsert(1, 2), buffer: Buffer.from('hi??').toString('base64url'), body: await new Response('x').text(),
		};`
	const want = `{"url":"http://a.example/b?q=%C3%A9+x","query":"é x","base64":"aGk=","pattern":true,"text":"é","clone":2,"hex":"0000","header":"b","map":2,"buffer":"aGk_Pw","body":"x"}`
	for _, damage := range damages {
		c.check("async () => { const map = new Map(), bytes = new Uint8Array(2); "+damage+"; "+touch+" }", want)
	}
	c.check(`async () => { const { inspect } = await import('node:util'); const g = globalThis, entries = new Map([[1, 2]]).entries(); g.globalThis = 5; return inspect(entries) }`,
		`"[Map Entries] { [ 1, 2 ] }"`)
}

// Whatever a program can walk to from what it is given, the worker's own functions and objects are not there.
func TestNoWayToTheHost(t *testing.T) {
	c := startChild(t, wire.Options{})
	c.check(`async () => {
		const seen = new Set(), queue = [globalThis, codemode, codemode.echo, console, setTimeout, (async () => {}).constructor.prototype];
		const found = [];
		while (queue.length > 0) {
			const value = queue.pop();
			if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
			seen.add(value);
			queue.push(Object.getPrototypeOf(value));
			for (const key of Reflect.ownKeys(value)) {
				if (['primordials', 'native', 'dispatch', 'settle', 'takeBytes', 'ops'].includes(key)) found.push(String(key));
				const d = Object.getOwnPropertyDescriptor(value, key);
				if ('value' in d) queue.push(d.value); else queue.push(d.get, d.set);
			}
		}
		return [found, seen.size > 500];
	}`, `[[],true]`)
	c.check(`async () => {
		let sites = [];
		Error.prepareStackTrace = (e, s) => { sites = s; return '' };
		await codemode.echo(1); new Error().stack;
		JSON.stringify({ toJSON() { new Error().stack } });
		return sites.map((s) => [typeof s.getThis(), typeof s.getFunction()]).flat().filter((x) => x !== 'undefined');
	}`, `[]`)
	c.check("async () => { const names = []; for (let f = codemode.echo; f; f = Object.getPrototypeOf(f)) names.push(...Object.getOwnPropertyNames(f).filter((n) => n === 'caller' || n === 'arguments')); try { return codemode.echo.caller } catch (e) { return e.name } }", `"TypeError"`)
}

func TestTheScopeOfAProgram(t *testing.T) {
	c := startChild(t, wire.Options{})
	h := header("Object", "undefined", "globalThis", "fetch", "NaN", "_", "host", "scope", "$")
	o := c.run(program{code: "async () => [await Object.echo(1), await undefined.echo(2), await globalThis.echo(3), await fetch.echo(4), await NaN.echo(5), await _.echo(6), await $.echo(7)]", header: h})
	if o.value != "[1,2,3,4,5,6,7]" {
		t.Errorf("odd names: %s", o.summary())
	}
	c.check("async () => { codemode = 5 }", "TypeError: Assignment to constant variable.")
	c.check("async () => [typeof arguments, typeof this, typeof host, typeof scope, typeof _, typeof native]", `["undefined","object","undefined","undefined","undefined","undefined"]`)
	c.check("async () => [typeof this.m, typeof hooks, typeof provide, typeof make]", `["undefined","undefined","undefined","undefined"]`)
	c.check("async () => [typeof new.target, super.toString === Object.prototype.toString]", `["undefined",true]`)
	for _, breakout := range []string{"async () => super.a)}}), ({m(){return(1", "async () => super.a\n}}.m}), (() => {return {m(){return 0,1"} {
		if o := c.run(program{code: breakout}); o.done.Failure == nil || o.done.Failure.Kind != "syntax" {
			t.Errorf("%s: %s", breakout, o.summary())
		}
	}
	c.check("async () => { with ({}) {} }", "SyntaxError: Strict mode code may not include a with statement")
	c.check("async () => { delete Object.freeze({a: 1}).a }", "TypeError: Cannot delete property 'a' of #<Object>")
}

// TestThis looks at the entrypoint that a program is a method of, whatever way it is compiled.
func TestThis(t *testing.T) {
	c := startChild(t, wire.Options{})
	const look = "[Object.keys(this), Object.keys(this.env), Object.prototype.toString.call(this.ctx), this.ctx.waitUntil(Promise.reject(1))]"
	const want = `[["ctx","env"],[],"[object ExecutionContext]",null]`
	c.check("async () => "+look, want)
	c.check("async () => { await import('node:path'); return "+look+" }", want)
	c.check("import 'node:path'\nasync () => "+look, want)
	c.check("async () => { const x: number = 1; return "+look+" }", want)
	c.check("async () => (0, this.ctx.waitUntil)()", "TypeError: Illegal invocation: function called with incorrect `this` reference. See https://developers.cloudflare.com/workers/observability/errors/#illegal-invocation-errors for details.")
	c.check("async () => { this.ctx.abort(new Error('stop')); return 1 }", "Error: stop")
	c.check("async () => { globalThis.f = function () { 'use strict'; return this }; return [typeof f(), typeof this.f] }", `["undefined","undefined"]`)
}

func TestNamespaces(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, test := range []struct{ code, want string }{
		{"codemode.mine = () => 5, [await codemode.mine(), Object.keys(codemode)]", `[5,["mine"]]`},
		{"[typeof codemode.then, typeof codemode[Symbol.iterator], typeof codemode.x, typeof codemode.toString]", `["undefined","undefined","function","function"]`},
		{"await codemode", "{}"},
		{"JSON.stringify({c: codemode})", `"{\"c\":{}}"`},
		{"[await codemode.constructor('c'), await codemode.hasOwnProperty('h'), await codemode.__proto__('p'), await codemode.valueOf('v')]", `["c","h","p","v"]`},
		{"(({echo}) => echo(9))(codemode)", "9"},
		{"Object.getOwnPropertyNames(codemode.echo)", `["length","name"]`},
		{"codemode.echo.toString().slice(0, 20)", `"async (...args) => {"`},
		{"codemode instanceof Object", "true"},
		{"[await codemode[0]('zero'), await codemode['a b\"c']('odd'), await codemode['']('empty')]", `["zero","odd","empty"]`},
	} {
		c.check("async () => { return ("+test.code+") }", test.want)
	}
}

func TestNoCodeFromData(t *testing.T) {
	c := startChild(t, wire.Options{})
	const refusal = "EvalError: Code generation from strings disallowed for this context"
	for _, code := range []string{"eval('1')", "(0, eval)('1')", "eval(5)", "new Function('return 1')", "(async function* () {}).constructor('1')", "setTimeout.constructor('1')()"} {
		c.check("async () => "+code, refusal)
	}
	const header = "new Uint8Array([0,97,115,109,1,0,0,0])"
	c.check("async () => new WebAssembly.Module("+header+")", "CompileError: WebAssembly.Module(): Wasm code generation disallowed by embedder")
	c.check("async () => new WebAssembly.Module.prototype.constructor("+header+")", "CompileError: WebAssembly.Module(): Wasm code generation disallowed by embedder")
	c.check("async () => WebAssembly.compile("+header+")", "CompileError: WebAssembly.compile(): Wasm code generation disallowed by embedder")
	c.check("async () => WebAssembly.instantiate("+header+")", "CompileError: WebAssembly.instantiate(): Wasm code generation disallowed by embedder")
	c.check("async () => [WebAssembly.validate("+header+"), new WebAssembly.Memory({initial: 1}).buffer.byteLength]", "[true,65536]")
}

func TestEveryRunHasItsOwnRandomness(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		c := startChild(t, wire.Options{})
		for range 3 {
			seen[c.run(program{code: "async () => Math.random()"}).value] = true
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d different numbers of 6", len(seen))
	}
}
