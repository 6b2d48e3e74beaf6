//go:build cgo && (linux || darwin)

package worker_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

func TestLimits(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, test := range []struct {
		limit string
		value int64
		set   func(*wire.RunHeader)
		code  string
	}{
		{"resultBytes", 10, func(h *wire.RunHeader) { h.ResultBytes = 10 }, "async () => 'x'.repeat(9)"},
		{"resultBytes", 10, func(h *wire.RunHeader) { h.ResultBytes = 10 }, "async () => '\u00e9'.repeat(5)"},
		{"resultBytes", 1000, func(h *wire.RunHeader) { h.ResultBytes = 1000 }, "async () => 'x'.repeat(1e6)"},
		{"argumentBytes", 10, func(h *wire.RunHeader) { h.ArgumentBytes = 10 }, "async () => { await codemode.t('x'.repeat(9)) }"},
		{"toolCalls", 3, func(h *wire.RunHeader) { h.ToolCalls = 3 }, "async () => { for (;;) await codemode.t() }"},
		{"callsInFlight", 2, func(h *wire.RunHeader) { h.CallsInFlight = 2 }, "async () => { await Promise.all([codemode.t(), codemode.t(), codemode.t()]) }"},
		{"timers", 2, func(h *wire.RunHeader) { h.Timers = 2 }, "async () => { for (;;) setTimeout(() => {}, 1e6) }"},
	} {
		h := header("codemode")
		test.set(h)
		o := c.run(program{code: test.code, header: h})
		f := o.done.Failure
		if f == nil || f.Kind != "limit" || f.Limit != test.limit || f.LimitValue != test.value || f.Message == "" {
			t.Errorf("%s: %s %+v", test.limit, o.value, f)
		}
		if refused := test.limit == "argumentBytes" || test.limit == "toolCalls" || test.limit == "callsInFlight"; refused != slices.Contains(o.done.Refused, "codemode.t") {
			t.Errorf("%s: refused %v", test.limit, o.done.Refused)
		}
	}
}

// A limit that the program handles is no failure of the run.
func TestALimitCanBeCaught(t *testing.T) {
	c := startChild(t, wire.Options{})
	h := header("codemode")
	h.ToolCalls, h.Timers = 2, 1
	o := c.run(program{header: h, code: `async () => {
		const out = [];
		for (let i = 0; i < 3; i++) try { out.push(await codemode.echo(i)) } catch (e) { out.push(e.message) }
		setTimeout(() => {}, 1e6);
		try { setTimeout(() => {}, 1e6) } catch (e) { out.push(e.message) }
		return out;
	}`})
	if want := `[0,1,"too many tool calls: at most 2 in a run","too many timers: at most 1 may be set at one time"]`; o.summary() != want {
		t.Errorf("got %s", o.summary())
	}
	if len(o.calls) != 2 {
		t.Errorf("%d calls arrived", len(o.calls))
	}
}

// The engine's own limit of the heap is met before the process is in trouble, and the worker goes on.
func TestHeapLimit(t *testing.T) {
	c := startChild(t, wire.Options{Memory: 16 << 20})
	for _, code := range []string{
		"async () => { const a = []; for (let i = 0; ; i++) a.push({ i, text: 'x' + i }) }",
		"async () => { const a = []; for (let i = 0; ; i++) { a.push({ i, text: 'x' + i }); if (i % 1000 === 0) await null } }",
	} {
		o := c.run(program{code: code})
		if f := o.done.Failure; f == nil || f.Kind != "memory" {
			t.Errorf("%s: %s", code, o.summary())
		}
		c.check("async () => 1", "1")
	}
}

// What is far over a limit is cut or refused where it is, and the worker goes on.
func TestHugeText(t *testing.T) {
	c := startChild(t, wire.Options{})
	o := c.run(program{code: "async () => { console.log('x'.repeat(1 << 28)) }"})
	if len(o.logs) != 2 || len(o.logs[0]) != len("log ")+1<<20 {
		t.Errorf("a line: %d", len(o.logs))
	}
	o = c.run(program{code: "async () => { throw new Error('x'.repeat(1 << 28)) }"})
	if f := o.done.Failure; f == nil || len(f.Message) > 2<<20 {
		t.Errorf("a message: %.100s", o.summary())
	}
	o = c.run(program{code: "async () => { await codemode.t('x'.repeat(1 << 28)) }"})
	if f := o.done.Failure; f == nil || f.Limit != "argumentBytes" {
		t.Errorf("an argument: %.100s", o.summary())
	}
	o = c.run(program{code: "async () => { throw 'x'.repeat(1 << 28) }"})
	if f := o.done.Failure; f == nil || f.Thrown != "" || len(f.Message) > 2<<20 {
		t.Errorf("a thrown text: %.100s", o.summary())
	}
	c.check("async () => 1", "1")
}

// A pool that goes away in the middle of a run takes its worker along.
func TestTheWorkerEndsWithItsPool(t *testing.T) {
	for _, code := range []string{"async () => { console.log('now'); for (;;) ; }", "async () => { console.log('now'); await codemode.never() }"} {
		c := startChild(t, wire.Options{})
		text, err := json.Marshal(header("codemode"))
		if err != nil {
			t.Fatal(err)
		}
		c.send(wire.Run, text, []byte(code), nil)
		if frame := c.read(); frame.Kind != wire.Logs {
			t.Errorf("a frame of kind %d", frame.Kind)
		}
		// The cleanup closes the pipes and waits for the process.
	}
}

func TestTimers(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, test := range []struct{ code, want string }{
		{"const o = []; setTimeout(() => o.push('a'), 200); setTimeout(() => o.push('b'), 100); setTimeout(() => o.push('c'), 0); setImmediate(() => o.push('d')); await new Promise(r => setTimeout(r, 300)); return o", `["c","d","b","a"]`},
		{"const o = []; setTimeout(() => { o.push(1); Promise.resolve().then(() => o.push(2)) }, 1); setTimeout(() => o.push(3), 1); await new Promise(r => setTimeout(r, 20)); return o", "[1,2,3]"},
		{"let n = 0; await new Promise(r => { const i = setInterval(() => { if (++n === 3) { clearInterval(i); r() } }, 1) }); return n", "3"},
		{"setTimeout(() => { throw new Error('x') }, 1); queueMicrotask(() => { throw 1 }); await new Promise(r => setTimeout(r, 5)); return 'survived'", `"survived"`},
		{"clearTimeout(undefined); clearTimeout({}); clearTimeout('x'); clearTimeout(99); const t = setTimeout(() => {}, 1e6); clearTimeout(String(t)); return typeof t", `"number"`},
		{"for (let i = 0; i < 5000; i++) clearTimeout(setTimeout(() => {}, 1e6)); return 1", "1"},
		{"const o = []; setTimeout(() => o.push('inf'), Infinity); setTimeout(() => o.push('nan'), 'x'); setTimeout(() => o.push('never'), 1e300); await new Promise(r => setTimeout(r, 5)); return o", `["nan"]`},
		{"setTimeout(5, 1)", "TypeError: Failed to execute 'setTimeout' on 'ServiceWorkerGlobalScope': parameter 1 is not of type 'function'."},
		{"const wrong = []; for (const f of [setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, queueMicrotask]) { try { f.call({}, () => {}) } catch (e) { wrong.push(e.message.slice(0, 18)) } f.call(undefined, f.name.startsWith('clear') ? undefined : () => {}) } return [wrong.length, ...new Set(wrong)]", `[7,"Illegal invocation"]`},
		{"await scheduler.wait(1); return String(scheduler)", `"[object Scheduler]"`},
		// Set within a millisecond, which a busy machine may have to try again.
		{`let order; for (let before = -Infinity; performance.now() - before > 1;) {
			const mine = order = []
			before = performance.now()
			for (const d of [3, 1, 4, 1, 5, 9, 2, 6]) setTimeout(() => mine.push(d), d * 3)
		}
		await new Promise(r => setTimeout(r, 60)); return order`, "[1,1,2,3,4,5,6,9]"},
	} {
		c.check("async () => { "+test.code+" }", test.want)
	}
}

func TestFetch(t *testing.T) {
	c := startChild(t, wire.Options{})
	h := header("codemode")
	h.Outbound = true
	var asked wire.FetchHeader
	var body string
	o := c.run(program{
		header: h,
		code: `async () => {
			const r = await fetch('https://example.com/p', { method: 'POST', headers: { 'x-a': 'b' }, body: 'h\u00e9' });
			return [r.status, r.headers.get('x-c'), await r.text(), await fetch('https://example.com/').catch((e) => e.message)];
		}`,
		fetch: func(head wire.FetchHeader, data []byte) (wire.FetchedHeader, []byte) {
			if head.Method == "GET" {
				return wire.FetchedHeader{Error: "refused"}, nil
			}
			asked, body = head, string(data)
			return wire.FetchedHeader{Status: 201, StatusText: "Created", Headers: [][2]string{{"x-c", "d"}}, URL: head.URL}, []byte("answer \u00fc")
		},
	})
	if want := `[201,"d","answer ` + "\u00fc" + `","refused"]`; o.summary() != want {
		t.Errorf("got %s", o.summary())
	}
	if asked.URL != "https://example.com/p" || asked.Method != "POST" || !asked.HasBody || body != "h\u00e9" || asked.Redirect != "follow" {
		t.Errorf("asked %+v with %q", asked, body)
	}
	o = c.run(program{code: "async () => fetch('https://example.com/')"})
	if o.done.Failure == nil || o.done.Failure.Kind != "thrown" {
		t.Errorf("without outbound: %s", o.summary())
	}
}
