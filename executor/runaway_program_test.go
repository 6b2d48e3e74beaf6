package executor_test

import (
	"strings"
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
