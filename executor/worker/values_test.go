//go:build cgo && (linux || darwin)

package worker_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

func TestArguments(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, test := range []struct{ args, want string }{
		{"", "[]"},
		{"undefined, () => 1, Symbol('s'), NaN, null", "[null,null,null,null,null]"},
		{"1, 'a\\0\\ud800\u00e9', [2], {b: 3}", `[1,"a\u0000\ud800` + "\u00e9" + `",[2],{"b":3}]`},
		{"new Uint8Array([10, 20, 30]).subarray(1)", `[{"__codemode_binary_v1__":"Uint8Array","data":"FB4="}]`},
		{"new Int32Array([-2])", `[{"__codemode_binary_v1__":"Uint8Array","data":"/v///w=="}]`},
		{"new DataView(new Uint8Array([1, 2, 3]).buffer, 1, 1)", `[{"__codemode_binary_v1__":"Uint8Array","data":"Ag=="}]`},
		{"{a: [new Uint8Array([1]).buffer]}", `[{"a":[{"__codemode_binary_v1__":"ArrayBuffer","data":"AQ=="}]}]`},
		{"{__codemode_binary_v1__: 1, x: {__codemode_handle__: 2}}", `[{"__codemode_escaped_v1__":{"__codemode_binary_v1__":1,"x":{"__codemode_escaped_v1__":{"__codemode_handle__":2}}}}]`},
		{"{__codemode_escaped_v1__: {__codemode_escaped_v1__: 1}}", `[{"__codemode_escaped_v1__":{"__codemode_escaped_v1__":{"__codemode_escaped_v1__":{"__codemode_escaped_v1__":1}}}}]`},
		{"new Date(0), new Map([[1, 2]]), codemode, Promise.resolve(1)", `["1970-01-01T00:00:00.000Z",{},{},{}]`},
		{"Object.setPrototypeOf({a: 1}, ArrayBuffer.prototype)", `[{"a":1}]`},
		{"Object.assign(() => 1, {toJSON: () => new Uint8Array([1])})", `[{"__codemode_binary_v1__":"Uint8Array","data":"AQ=="}]`},
		{"Object.assign(() => 1, {toJSON: () => ({__codemode_handle__: 2})})", `[{"__codemode_escaped_v1__":{"__codemode_handle__":2}}]`},
	} {
		o := c.run(program{code: "async () => { await codemode.t(" + test.args + ") }"})
		if len(o.calls) != 1 {
			t.Errorf("%s: %d calls, %s", test.args, len(o.calls), o.summary())
			continue
		}
		if diff := cmp.Diff(call{"codemode", "t", test.want}, o.calls[0], cmp.AllowUnexported(call{})); diff != "" {
			t.Errorf("%s: %s", test.args, diff)
		}
	}
}

// A call that is made while the arguments of another are encoded is a call of its own, and neither takes from the other.
func TestACallAmongTheArgumentsOfAnother(t *testing.T) {
	c := startChild(t, wire.Options{})
	o := c.run(program{code: `async () => {
		let inner;
		const outer = codemode.outer([{ toJSON() { inner = codemode.inner({ a: 1 }, codemode); return 'first' } }, codemode, { get b() { return 2 } }]);
		return [await outer, await inner];
	}`})
	if got, want := o.summary(), `[["first",{},{"b":2}],{"a":1}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := []call{{"codemode", "inner", `[{"a":1},{}]`}, {"codemode", "outer", `[["first",{},{"b":2}]]`}}
	if diff := cmp.Diff(want, o.calls, cmp.AllowUnexported(call{})); diff != "" {
		t.Error(diff)
	}
}

// The names that a proxySource gives its calls are its own.
func TestNamesWithDotsAreToldApart(t *testing.T) {
	c := startChild(t, wire.Options{})
	h := header("codemode")
	h.Providers[0].ProxySource = "(provider, tool) => __dispatch(provider, tool, '[]')"
	o := c.run(program{header: h, code: `async () => { await codemode('a.b', 'c'); await codemode('a', 'b.c'); await codemode('a', ''); await codemode('', 'a.b.c') }`})
	want := []call{{"a.b", "c", "[]"}, {"a", "b.c", "[]"}, {"a", "", "[]"}, {"", "a.b.c", "[]"}}
	if diff := cmp.Diff(want, o.calls, cmp.AllowUnexported(call{})); diff != "" {
		t.Error(diff)
	}
}

func TestAnswers(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, test := range []struct{ envelope, code, want string }{
		{`{}`, "typeof await codemode.t()", `"undefined"`},
		{`{"result":null}`, "await codemode.t() === null", "true"},
		{`{"error":""}`, "await codemode.t().catch(e => [e.name, e.message, e instanceof Error])", `["Error","",true]`},
		{`{"result":{"error":"data"}}`, "await codemode.t()", `{"error":"data"}`},
		{`{"result":{"__proto__":{"x":1},"a":2}}`, "JSON.stringify(await codemode.t())", `"{\"__proto__\":{\"x\":1},\"a\":2}"`},
		{`{"result":[{"__codemode_binary_v1__":"Uint8Array","data":"AQI="}]}`, "(await codemode.t()).map(x => x.constructor.name + [...x])", `["Uint8Array1,2"]`},
		{`{"result":{"__codemode_binary_v1__":"ArrayBuffer","data":"AQI"}}`, "new Uint8Array(await codemode.t()).length", "2"},
		{`{"result":{"__codemode_escaped_v1__":{"__codemode_binary_v1__":"Uint8Array","data":"AQI="}}}`, "Object.keys(await codemode.t())", `["__codemode_binary_v1__","data"]`},
		{`{"result":{"__codemode_binary_v1__":"Uint8Array","data":"*"}}`, "(await codemode.t()).data", `"*"`},
		{`{"result":"a\u0000b\ud800"}`, "(await codemode.t()).length", "4"},
		{`nonsense`, "await codemode.t()", "SyntaxError: "},
	} {
		o := c.run(program{code: "async () => " + test.code, answer: func(call) string { return test.envelope }})
		if got := o.summary(); got != test.want && !(strings.HasSuffix(test.want, ": ") && strings.HasPrefix(got, test.want)) {
			t.Errorf("%s %s: got %s, want %s", test.envelope, test.code, got, test.want)
		}
	}
}

func TestLosslessIntegers(t *testing.T) {
	c := startChild(t, wire.Options{})
	const envelope = `{"result":{"id":12345678901234567890,"small":5,"float":1.2345678901234567,"text":"12345678901234567890","list":[-9007199254740993]}}`
	code := "async () => { await codemode.t(2n); const r = await codemode.t({n: 10n ** 20n}); return {types: [r.id, r.small, r.float, r.text, r.list[0]].map(x => typeof x), r} }"
	h := header("codemode")
	h.LosslessIntegers = true
	o := c.run(program{code: code, header: h, answer: func(call) string { return envelope }})
	want := `{"types":["bigint","number","number","string","bigint"],"r":{"id":12345678901234567890,"small":5,"float":1.2345678901234567,"text":"12345678901234567890","list":[-9007199254740993]}}`
	if diff := cmp.Diff(want, o.summary()); diff != "" {
		t.Error(diff)
	}
	if len(o.calls) != 2 || o.calls[0].args != "[2]" || o.calls[1].args != `[{"n":100000000000000000000}]` {
		t.Errorf("calls: %v", o.calls)
	}
	c.check("async () => await codemode.t(1n)", "TypeError: Do not know how to serialize a BigInt")
	c.check("async () => ({n: 1n})", "TypeError: Do not know how to serialize a BigInt")
}

func TestBytesOfAnySizeSurvive(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, size := range []int{0, 1, 4095, 4096, 4097, 3_000_000} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i * 7)
		}
		text := `{"__codemode_binary_v1__":"Uint8Array","data":"` + base64.StdEncoding.EncodeToString(data) + `"}`
		o := c.run(program{code: "async () => await codemode.t()", answer: func(call) string { return `{"result":` + text + `}` }})
		if o.value != text {
			t.Errorf("%d bytes: %.80s", size, o.summary())
		}
	}
}

func TestResults(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, test := range []struct{ code, want string }{
		{"async () => undefined", "undefined"},
		{"async () => () => 1", "undefined"},
		{"async () => [new Date(0), new Map(), () => 1, NaN, Promise.resolve(1), new (class { x = 1 })()]", `["1970-01-01T00:00:00.000Z",{},null,null,{},{"x":1}]`},
		{"async () => Object.groupBy([1, 2], x => x)", `{"1":[1],"2":[2]}`},
		{"async () => new Float64Array([1.5])", `{"__codemode_binary_v1__":"ArrayBufferView","view":"Float64Array","data":"AAAAAAAA+D8="}`},
		{"async () => new DataView(new ArrayBuffer(1))", `{"__codemode_binary_v1__":"ArrayBufferView","view":"DataView","data":"AA=="}`},
		{"async () => new BigInt64Array(1)", `{"__codemode_binary_v1__":"ArrayBufferView","view":"BigInt64Array","data":"AAAAAAAAAAA="}`},
		{"async () => ({__codemode_handle__: 1})", `{"__codemode_escaped_v1__":{"__codemode_handle__":1}}`},
		{"async () => { const o = {}; o.o = o; return o }", "TypeError: Converting circular structure to JSON\n    --> starting at object with constructor 'Object'\n    --- property 'o' closes the circle"},
		{"async () => ({get a() { throw new RangeError('no') }})", "RangeError: no"},
		{"async () => { let o = {}; for (let i = 0; i < 500; i++) o = {o}; return JSON.stringify(o).length }", "3002"},
		{"async () => ({then(resolve) { resolve(5) }})", "5"},
	} {
		c.check(test.code, test.want)
	}
	o := c.run(program{code: "async () => { let o = {}; for (let i = 0; i < 100000; i++) o = {o}; return o }"})
	if f := o.done.Failure; f == nil || f.Kind != "stack" || f.Name != "RangeError" {
		t.Errorf("a deep value: %+v", f)
	}
}

// Long texts cross another way than short ones, and memory is kept for them: each stays what it is, whatever comes after it.
func TestLongTextsCrossWhole(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, unit := range []string{"x", "é", "中", "😀", `\"`, `\ud800`} {
		for _, length := range []int{1<<16 - 3, 1 << 16, 1<<17 + 5} {
			long := strings.Repeat(unit, length/len(unit))
			back := func(code string) string {
				o := c.run(program{code: code, answer: func(asked call) string { return `{"result":` + strings.TrimSuffix(asked.args[1:], "]") + `}` }})
				return o.value
			}
			want := `"` + long + `"`
			if got := back(`async () => "` + long + `"`); got != want {
				t.Errorf("%d times %s as a value: %d bytes, %.40q, want %d", length, unit, len(got), got, len(want))
			}
			if got := back(`async () => await codemode.t("` + long + `")`); got != want {
				t.Errorf("%d times %s as argument and answer: %d bytes, %.40q, want %d", length, unit, len(got), got, len(want))
			}
			if got := back(`async () => (await Promise.all(["a", "b", "c"].map((x) => codemode.t(x + "` + long + `")))).map((s) => s[0] + s.length).join()`); got != fmt.Sprintf(`"a%[1]d,b%[1]d,c%[1]d"`, 1+units(long)) {
				t.Errorf("%d times %s, three at a time: %.60q", length, unit, got)
			}
		}
	}
	// A text of a byte a unit is ASCII up to its last one.
	for n := range 9 {
		want := `"` + strings.Repeat("x", 1<<16+n) + `é"`
		o := c.run(program{code: "async () => await codemode.t(" + want + ")", answer: func(asked call) string { return `{"result":` + strings.TrimSuffix(asked.args[1:], "]") + `}` }})
		if o.value != want {
			t.Errorf("with one é after %d: %d bytes, want %d", 1<<16+n, len(o.value), len(want))
		}
	}
	hostile := `async () => {
		let seen = 0;
		Object.defineProperty(Object.prototype, "text", { get() { seen++; return "forged" }, set() { seen++ }, configurable: true });
		const out = await codemode.t("y".repeat(1e5));
		return [seen, out.length, "z".repeat(1e5)];
	}`
	o := c.run(program{code: hostile, answer: func(asked call) string { return `{"result":` + strings.TrimSuffix(asked.args[1:], "]") + `}` }})
	if want := `[0,100000,"` + strings.Repeat("z", 100_000) + `"]`; o.value != want {
		t.Errorf("with a member text on every object: %.60q", o.summary())
	}
}

// units is the length of what a string literal of the given inside means, as JavaScript counts.
func units(inside string) int {
	var text string
	if err := json.Unmarshal([]byte(`"`+inside+`"`), &text); err != nil {
		panic(err) // the test's own text
	}
	return len(utf16.Encode([]rune(text)))
}
