package executor_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// runaways are programs that never come to an end of their own, each in another place of the engine or of our frame.
var runaways = map[string]string{
	"loop":            `async () => { while (true) {} }`,
	"after an await":  `async () => { await null; for (;;); }`,
	"microtasks":      `async () => { for (;;) await null }`,
	"in a timer":      `async () => { await new Promise(() => setTimeout(() => { for (;;); }, 1)) }`,
	"timers":          `async () => { await new Promise(() => { const again = () => setTimeout(again, 0); again() }) }`,
	"regex":           `async () => /^(a+)+$/.test("a".repeat(40) + "!")`,
	"toJSON":          `async () => ({ toJSON() { for (;;); } })`,
	"getter":          `async () => ({ get a() { for (;;); } })`,
	"proxy trap":      `async () => new Proxy({}, { ownKeys() { for (;;); } })`,
	"thenable":        `async () => ({ then() { for (;;); } })`,
	"thrown getter":   `async () => { throw { get message() { for (;;); } } }`,
	"toString in log": `async () => { console.log({ toString() { for (;;); } }) }`,
	"sort":            `async () => { for (;;) [3, 1, 2].sort(() => 1) }`,
	"catch all":       `async () => { for (;;) { try { for (;;); } catch {} finally { for (;;); } } }`,
	"generator":       `async () => { function* g() { for (;;) yield 1 } for (const x of g()); }`,
	"big int":         `async () => { let n = 3n; for (;;) n *= n }`,
	"rejections":      `async () => { for (;;) { Promise.reject(new Error("x")); await null } }`,
	"module":          `import "spin"` + "\n" + `async () => 1`,
	"queueMicrotask":  `async () => { const again = () => queueMicrotask(again); again(); await new Promise(() => {}) }`,
	"interval":        `async () => { await new Promise(() => setInterval(() => {}, 0)) }`,
	"nested getter":   `async () => ({ a: [{ get b() { for (;;); } }] })`,
	"trap of keys":    `async () => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get() { for (;;); } })`,
	"trap of proto":   `async () => { throw new Proxy(new Error("x"), { getPrototypeOf() { for (;;); } }) }`,
	"thrown name":     `async () => { throw Object.defineProperty(new Error("x"), "name", { get() { for (;;); } }) }`,
	"prepare stack":   `async () => { Error.prepareStackTrace = () => { for (;;); }; return new Error("x").stack }`,
	"argument":        `async () => { await api.t({ toJSON() { for (;;); } }) }`,
	"long serialise":  `async () => { const a = []; a.length = 1e9; return a }`,
	"wide serialise":  `async () => { const o = {}; o.get = new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 40 : 1) }); return o }`,
	"replacer":        `async () => "x".repeat(1e6).replace(/x/g, () => { for (;;); })`,
	"comparator":      `async () => [3, 1, 2].sort(() => { for (;;); })`,
	"listener":        `async () => { const t = new EventTarget(); t.addEventListener("x", () => { for (;;); }); t.dispatchEvent(new Event("x")) }`,
	"stream":          `async () => { const s = new ReadableStream({ pull(c) { c.enqueue(1) } }); for await (const x of s); }`,
	"clone":           `async () => structuredClone({ get a() { for (;;); } })`,
	"rejection":       `async () => { addEventListener("unhandledrejection", () => { for (;;); }); Promise.reject(1); await new Promise((r) => setTimeout(r, 50)) }`,
	"async iterator":  `async () => { for await (const x of { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false }) }) }); }`,
	"json reviver":    `async () => JSON.parse("[1]", () => { for (;;); })`,
	"native loops":    `async () => { for (;;) new Array(1e6).fill(1).sort(); }`,
	"long native":     `async () => String(3n ** 10_000_000n).length`,
	"then setter":     `async () => { Object.defineProperty(Object.prototype, "then", { get() { for (;;); } }); return {} }`,
	"finalizer":       `async () => { try { await new Promise(() => setTimeout(() => { for (;;); })) } finally { for (;;); } }`,
}

// unbounded are those that may meet another bound before their clock's.
var unbounded = map[string]bool{"big int": true, "long serialise": true, "wide serialise": true, "native loops": true}

func TestARunawayProgramIsStoppedWhereverItIs(t *testing.T) {
	pool := newPool(t, executor.Options{Workers: 2, Modules: map[string]string{"spin": "for (;;);"}})
	for name, code := range runaways {
		t.Run(name, func(t *testing.T) {
			result := mustExecute(t, pool, &protocol.ExecuteRequest{
				Code: code, Timeout: protocol.TimeoutOf(60 * time.Millisecond), Providers: []protocol.ProviderDescriptor{{Name: "api"}},
			})
			if result.Failure == nil {
				t.Fatalf("it has the value %s", result.Value)
			}
			if unbounded[name] && result.Failure.Kind != protocol.FailureTimeout {
				return // a number or a text past the engine's bound is a RangeError, and memory may run out first
			}
			if result.Failure.Kind != protocol.FailureTimeout || !strings.HasPrefix(result.Failure.Message, "Execution timed out at its 60 ms bound.") ||
				result.Failure.Limit != "timeout" || result.Failure.LimitValue != 60 {
				t.Errorf("failure %+v", *result.Failure)
			}
			if most := 5 * time.Second; result.Usage.Wall > most {
				t.Errorf("it took %s", result.Usage.Wall)
			}
			if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`}); got != "1" {
				t.Errorf("the next run has %s", got)
			}
		})
	}
}

// hogs are programs that fill memory, by every road that leads there.
var hogs = map[string]string{
	"arrays":         `async () => { const a = []; for (;;) a.push(new Array(1e5).fill(1.1)) }`,
	"small arrays":   `async () => { const a = []; for (;;) a.push(new Array(1000).fill(0)) }`,
	"bytes":          `async () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1)) }`,
	"one buffer":     `async () => new Uint8Array(1 << 30).fill(1).length`,
	"strings":        `async () => { const a = []; for (;;) a.push(JSON.stringify("x".repeat(1e6))) }`,
	"one string":     `async () => { let s = "x"; for (;;) { s += s + "y"; /y/.test(s) } }`,
	"map":            `async () => { const m = new Map(); for (let i = 0;; i++) m.set({ i }, [i, String(i)]) }`,
	"closures":       `async () => { let f = null; for (;;) { const g = f; const fill = new Array(100).fill(g); f = () => fill } }`,
	"pending":        `async () => { const all = []; for (;;) all.push(new Promise(() => {}).then(() => new Array(100))) }`,
	"in a serialise": `async () => ({ toJSON() { const a = []; for (;;) a.push(new Array(1e4).fill(1.5)) } })`,
	"after an await": `async () => { const a = []; for (;;) { await null; a.push(new Array(1e4).fill(1.5)) } }`,
	"map of strings": `async () => { const m = new Map(); for (let i = 0;; i++) m.set("key" + i, "value" + i) }`,
	"cons strings":   `async () => { const a = []; for (let i = 0;; i++) a.push("x" + i + "y" + i) }`,
	"parse":          `async () => { const text = JSON.stringify(new Array(1e5).fill({ a: 1 })); const a = []; for (;;) a.push(JSON.parse(text)) }`,
	"regex":          `async () => { const a = []; for (let i = 0;; i++) { const r = new RegExp(("(a|b" + i + ")*").repeat(50)); r.test("ab"); a.push(r) } }`,
	"matches":        `async () => { const a = []; const s = "ab".repeat(1e5); for (;;) a.push([...s.matchAll(/a/g)]) }`,
	"buffers":        `async () => { const a = []; for (;;) a.push(new ArrayBuffer(1 << 20)) && new Uint8Array(a.at(-1)).fill(1) }`,
	"resizable":      `async () => { const b = new ArrayBuffer(0, { maxByteLength: 2 ** 32 }); for (let n = 1 << 20;; n += 1 << 20) { b.resize(n); new Uint8Array(b).fill(1) } }`,
	"wasm memory":    `async () => { const m = new WebAssembly.Memory({ initial: 16, maximum: 65536 }); for (;;) { m.grow(16); new Uint8Array(m.buffer).fill(1) } }`,
	"many memories":  `async () => { const a = []; for (;;) { const m = new WebAssembly.Memory({ initial: 16 }); new Uint8Array(m.buffer).fill(1); a.push(m) } }`,
	"timers":         `async () => { for (;;) { const data = new Array(1e4).fill(1.5); setTimeout(() => data, 1e6) } }`,
	"blobs":          `async () => { const a = []; for (;;) a.push(new Blob([new Uint8Array(1 << 20).fill(1)])) }`,
	"big ints":       `async () => { const a = []; for (let i = 0n;; i++) a.push((1n << 100000n) + i) }`,
	"symbols":        `async () => { const o = {}; for (;;) o[Symbol("x".repeat(100) + Math.random())] = {} }`,
	"shared":         `async () => { const a = []; for (;;) a.push(new Uint8Array(new SharedArrayBuffer(1 << 20)).fill(1)) }`,
}

func TestAProgramOverItsMemoryIsStoppedAndItsNeighboursAreNot(t *testing.T) {
	needLinux(t)
	pool := newPool(t, executor.Options{Workers: 2, Limits: protocol.Limits{Memory: 24 << 20}})
	for name, code := range hogs {
		t.Run(name, func(t *testing.T) {
			var neighbour sync.WaitGroup
			neighbour.Go(func() {
				if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => { await new Promise(r => setTimeout(r, 100)); return 2 }`}); got != "2" {
					t.Errorf("the neighbour has %s", got)
				}
			})
			result := mustExecute(t, pool, &protocol.ExecuteRequest{Code: code, Timeout: protocol.TimeoutOf(20 * time.Second)})
			neighbour.Wait()
			if result.Failure == nil {
				t.Fatalf("it has the value %s", result.Value)
			}
			// The engine refuses some requests by itself, with an error that the program could catch.
			refused := result.Failure.Kind == protocol.FailureThrown && result.Failure.Name == "RangeError"
			if result.Failure.Kind != protocol.FailureMemory && !refused {
				t.Errorf("failure %+v", *result.Failure)
			}
			if most := int64(512 << 20); result.Usage.PeakMemory > most {
				t.Errorf("it grew to %d MiB", result.Usage.PeakMemory>>20)
			}
			if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`}); got != "1" {
				t.Errorf("the next run has %s", got)
			}
		})
	}
}

func TestTheEngineStopsAProgramBesideASlowToolAtItsTimeout(t *testing.T) {
	needLinux(t)
	pool := newPool(t, executor.Options{})
	release := make(chan struct{})
	defer close(release)
	request := &protocol.ExecuteRequest{
		Code:      `async () => { api.slow(); await new Promise(r => setTimeout(r, 10)); for (;;); }`,
		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"slow"}}},
		Dispatch:  stuckDispatch(release),
		Timeout:   protocol.TimeoutOf(later),
	}
	result := mustFail(t, pool, request, protocol.FailureTimeout)
	if len(result.Failure.Pending) != 1 || result.Failure.Pending[0] != "api.slow" {
		t.Errorf("pending %v", result.Failure.Pending)
	}
}
