//go:build linux

package executor_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

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
	"freed":          freed,
	"shared":         `async () => { const a = []; for (;;) a.push(new Uint8Array(new SharedArrayBuffer(1 << 20)).fill(1)) }`,

	// By the list, what the ones above have not.
	"small objects":    `async () => { let list = null; for (let i = 0;; i++) list = { list, i, name: "n" + i } }`,
	"typed arrays":     `async () => { const a = []; for (;;) a.push(new Float64Array(1e5).fill(Math.PI), new BigUint64Array(1e5).fill(7n)) }`,
	"length tracking":  `async () => { const a = []; for (;;) { const b = new ArrayBuffer(1 << 16, { maxByteLength: 1 << 20 }); b.resize(1 << 20); a.push(new Uint8Array(b).fill(1)) } }`,
	"growable shared":  `async () => { const b = new SharedArrayBuffer(0, { maxByteLength: 2 ** 31 }); for (let n = 1 << 20;; n += 1 << 20) { b.grow(n); new Uint8Array(b).fill(1) } }`,
	"transferred":      `async () => { const a = []; for (;;) { const b = new Uint8Array(1 << 20).fill(1); a.push(structuredClone(b, { transfer: [b.buffer] })) } }`,
	"ropes":            `async () => { let s = "ab"; const a = []; for (let i = 0;; i++) { s = s + i + s.slice(0, 1e6); a.push(s); s.charCodeAt(s.length >> 1) } }`,
	"two byte strings": `async () => { const a = []; for (let i = 0;; i++) a.push(("\u4e2d" + i).repeat(1e5).toUpperCase()) }`,
	"split":            `async () => { const a = []; for (let i = 0;; i++) a.push((i + ",").repeat(1e5).split(",")) }`,
	"patterns":         `async () => { const a = []; for (let i = 0;; i++) { const r = new RegExp(("[a-z" + i + "]{1,500}x").repeat(20)); r.exec("abc".repeat(100)); a.push(r) } }`,
	"stringify":        `async () => { const o = { a: Array.from({ length: 1e5 }, (_, i) => ({ i })) }; const a = []; for (;;) a.push(JSON.stringify(o, null, 2)) }`,
	"parse of one":     `async () => { let text = "[1]"; for (;;) { text = "[" + text + "," + text + "]"; JSON.parse(text) } }`,
	"set":              `async () => { const s = new Set(); for (let i = 0;; i++) s.add("key " + i) }`,
	"weak map":         `async () => { const m = new WeakMap(); const keys = []; for (let i = 0;; i++) { const k = {}; keys.push(k); m.set(k, [i]) } }`,
	"clones":           `async () => { const value = new Map(Array.from({ length: 1e3 }, (_, i) => [i, "text ".repeat(100) + i])); const a = []; for (;;) a.push(structuredClone(value)) }`,
	"formats":          `async () => { const a = []; const l = ["en", "de", "zh", "ar", "hi", "th", "ja"]; for (let i = 0;; i++) { const f = new Intl.DateTimeFormat(l[i % 7], { dateStyle: "full", timeStyle: "full" }); f.format(0); a.push(f, new Intl.NumberFormat(l[i % 7])) } }`,
	"segments":         `async () => { const a = []; const s = new Intl.Segmenter("en", { granularity: "word" }); for (;;) a.push([...s.segment("a word and another ".repeat(1000))]) }`,
	"generators":       `async () => { const a = []; function* g(x) { const big = [x, x, x]; yield big; yield g(big) } for (;;) { const i = g(a.length); i.next(); a.push(i) } }`,
	"proxies":          `async () => { let p = {}; for (;;) p = new Proxy(p, { get: (t, k) => t[k] }) }`,
	"errors":           `async () => { const a = []; const f = (n) => (n ? f(n - 1) : new Error("e".repeat(100))); for (;;) { const e = f(8); e.stack; a.push(e) } }`,
	"dictionary":       `async () => { const o = {}; for (let i = 0;; i++) { o["k" + i] = i; delete o["k" + (i - 3) + "x"] } }`,
	"sparse":           `async () => { const a = []; for (let i = 0;; i++) a[i * 1000] = { i } }`,
	"from":             `async () => Array.from({ length: 1e9 }, (_, i) => [i])`,
	"spread":           `async () => { let a = [1, 2, 3]; for (;;) a = [...a, ...a, {}] }`,
	"functions":        `async () => { const a = []; for (let i = 0;; i++) a.push(class { #x = i; get x() { return this.#x } }) }`,
	"microtasks":       `async () => { for (;;) Promise.resolve(new Array(50).fill(1)).then((x) => x) }`,
	"listeners":        `async () => { const t = new EventTarget(); for (;;) { const x = new Array(1e4).fill(1.5); t.addEventListener("x", () => x) } }`,
	"stream":           `async () => { let c; new ReadableStream({ start(x) { c = x } }); for (;;) c.enqueue(new Uint8Array(1 << 16).fill(1)) }`,
	"writable":         `async () => { const w = new WritableStream({ write: () => new Promise(() => {}) }).getWriter(); for (;;) w.write(new Uint8Array(1 << 16).fill(1)) }`,
	"tee":              `async () => { const [a] = new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(1 << 16).fill(1)) } }).tee(); for await (const x of a); }`,
	"transform":        `async () => { const t = new TransformStream({}, { highWaterMark: Infinity }, { highWaterMark: Infinity }); const w = t.writable.getWriter(); for (;;) await w.write(new Uint8Array(1 << 16).fill(1)) }`,
	"response":         `async () => { const a = []; for (;;) a.push(await new Response(new Uint8Array(1 << 20).fill(1)).arrayBuffer()) }`,
	"form data":        `async () => { const f = new FormData(); for (let i = 0;; i++) f.append("k" + i, "v".repeat(1000) + i) }`,
	"search params":    `async () => { const u = new URLSearchParams(); for (let i = 0;; i++) u.append("k" + i, "v".repeat(1000) + i) }`,
	"headers":          `async () => { const h = new Headers(); for (let i = 0;; i++) h.append("k" + i, "v".repeat(1000)) }`,
	"urls":             `async () => { const a = []; for (let i = 0;; i++) a.push(new URL("https://example.com/" + "p".repeat(100_000) + i)) }`,
	"base64":           `async () => { const a = []; const s = "x".repeat(1e6); for (;;) a.push(btoa(s)) }`,
	"decoded text":     `async () => { const a = []; const d = new TextDecoder(); const bytes = new Uint8Array(1 << 20).fill(97); for (;;) a.push(d.decode(bytes)) }`,
	"encoded text":     `async () => { const a = []; const e = new TextEncoder(); const s = "é".repeat(1e6); for (;;) a.push(e.encode(s)) }`,
	"random":           `async () => { const a = []; for (;;) a.push(crypto.getRandomValues(new Uint8Array(65536))) }`,
	"digests":          `async () => { const a = []; const data = new Uint8Array(1 << 20); for (;;) a.push(await crypto.subtle.digest("SHA-512", data), data.slice()) }`,
	"node buffers":     `async () => { const { Buffer } = await import("node:buffer"); const a = []; for (;;) a.push(Buffer.alloc(1 << 20, "x")) }`,
	"concat":           `async () => { const { Buffer } = await import("node:buffer"); let b = Buffer.alloc(1 << 20, 1); for (;;) b = Buffer.concat([b, b]) }`,
	"random bytes":     `async () => { const { randomBytes } = await import("node:crypto"); const a = []; for (;;) a.push(randomBytes(1 << 21)) }`,
	"derived bytes":    `async () => { const { pbkdf2Sync } = await import("node:crypto"); const a = []; for (;;) a.push(pbkdf2Sync("p", "s", 1, 1 << 21, "sha1")) }`,
	"scrypt":           `async () => { const { scryptSync } = await import("node:crypto"); const a = []; for (;;) a.push(scryptSync("p", "s", 1 << 22, { N: 2 ** 17, r: 16, p: 1, maxmem: 2 ** 31 })) }`,
	"gunzip":           `async () => { const { gzipSync, gunzipSync } = await import("node:zlib"); const bomb = gzipSync(new Uint8Array(1 << 21)); const a = []; for (;;) a.push(gunzipSync(bomb)) }`,
	"brotli":           `async () => { const { brotliCompressSync, brotliDecompressSync } = await import("node:zlib"); const bomb = brotliCompressSync(new Uint8Array(1 << 21)); const a = []; for (;;) a.push(brotliDecompressSync(bomb)) }`,
	"decompression":    `async () => { const { gzipSync } = await import("node:zlib"); const bomb = gzipSync(new Uint8Array(1 << 21)); const a = []; for (;;) a.push(await new Response(new Blob([bomb]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer()) }`,
	"one tool's bomb":  `async () => { const { gunzipSync } = await import("node:zlib"); const bomb = await api.bomb(); const a = []; for (;;) a.push(gunzipSync(bomb)) }`,
	"tool results":     `async () => { const a = []; for (let i = 0;; i++) a.push(await api.text(i)) }`,
	"arguments":        `async () => { const all = []; const text = "x".repeat(1e6); for (;;) all.push(api.never(text)) }`,
	"bodies":           `async () => { const a = []; for (;;) a.push(await (await fetch("https://endless.example/10")).arrayBuffer()) }`,
	"an endless body":  `async () => await (await fetch("https://endless.example/")).text()`,
	"the value":        `async () => { const a = []; for (let i = 0; i < 3e7; i++) a.push("é" + i); return a }`,
	"console":          `async () => { const a = []; for (let i = 0;; i++) { console.log("x".repeat(1e5)); a.push("y".repeat(1e5) + i) } }`,
}

// freed drops what it has before its error is out, so that only the peak says what the error came from.
const freed = `async () => { try { const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1)) } catch (e) { for (let i = 0; i < 200; i++) new Array(1e5).fill(i); throw e } }`

// refusedAtOnce are hogs that ask for more in one piece than there can be: the engine refuses that with an error of the
// program's, which is over before its memory is.
var refusedAtOnce = map[string]bool{"one buffer": true, "one string": true, "ropes": true, "scrypt": true, "spread": true, "parse of one": true, "concat": true, "one tool's bomb": true}

// overshoot is what a worker may have had beyond its run's memory: the contract's 32 MiB.
const overshoot = 32 << 20

// kindsOfHogs has one road of each kind.
var kindsOfHogs = []string{"arrays", "small objects", "strings", "bytes", "resizable", "wasm memory", "ropes", "parse", "formats", "tee", "gunzip", "derived bytes", "bodies", "tool results", "console"}

// make test, and with it CI, takes every road, and go test alone, which is to be quick, one of each kind.
func TestEveryRoadToMemoryEndsAtItsBound(t *testing.T) {
	names := kindsOfHogs
	if whole {
		names = slices.Sorted(maps.Keys(hogs))
	}
	grow(t, 24<<20, names)
}

// At the default limit it is one of each kind and some of them; make hammer takes all.
func TestRoadsToMemoryEndAtTheDefaultBound(t *testing.T) {
	names := []string{"arrays", "bytes", "ropes", "tool results"}
	switch {
	case os.Getenv("CODEMODE_HAMMER_RUNS") != "":
		names = slices.Sorted(maps.Keys(hogs))
	case whole:
		names = kindsOfHogs
	}
	grow(t, protocol.DefaultLimits().Memory, names)
}

// whole says that a run of the tests is to have all of it.
var whole = os.Getenv("CODEMODE_WHOLE") != ""

// grow runs hogs in a pool with that limit.
func grow(t *testing.T, limit int64, names []string) {
	pool := newPool(t, executor.Options{Workers: 2, Limits: protocol.Limits{Memory: limit}, Outbound: protocol.OutboundVia(endlessBody)})
	for _, name := range names {
		t.Run(name, func(t *testing.T) { growOver(t, pool, limit, name, hogs[name]) })
	}
}

// growOver runs a hog beside another program, watches both workers from outside, and wants the pool whole afterwards.
func growOver(t *testing.T, pool *executor.Pool, limit int64, name, code string) {
	eventually(t, "the pool is at rest", func() bool { s := pool.Status(); return s.Running+s.Starting == 0 && s.Idle > 0 })
	peaks := watchPeaks(t)
	var neighbour sync.WaitGroup
	neighbour.Go(func() {
		if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => { await new Promise(r => setTimeout(r, 100)); return 2 }`}); got != "2" {
			t.Errorf("the neighbour has %s", got)
		}
	})
	result := mustExecute(t, pool, &protocol.ExecuteRequest{
		Code: code, Timeout: protocol.TimeoutOf(3 * time.Minute), Dispatch: generousTools, Providers: []protocol.ProviderDescriptor{{Name: "api"}},
	})
	neighbour.Wait()
	peak := peaks()
	t.Logf("%v, peak of the run %d MiB, of a worker %d MiB over its rest", result.Usage.Wall.Round(time.Millisecond), result.Usage.PeakMemory>>20, peak>>20)
	if peak > limit+overshoot {
		t.Errorf("a worker had %d KiB beyond the limit", (peak-limit)>>10)
	}
	if result.Failure == nil {
		t.Fatalf("it has the value %.100s", result.Value)
	}
	refused := refusedAtOnce[name] && result.Failure.Kind == protocol.FailureThrown && result.Failure.Name == "RangeError"
	if result.Failure.Kind != protocol.FailureMemory && !refused {
		t.Errorf("failure %+v", *result.Failure)
	}
	requireBothPlaces(t, pool)
}

// requireBothPlaces runs two programs that only end together.
func requireBothPlaces(t *testing.T, pool *executor.Pool) {
	t.Helper()
	var here, both sync.WaitGroup
	here.Add(2)
	for range 2 {
		both.Go(func() {
			mustValue(t, pool, &protocol.ExecuteRequest{
				Code: `async () => await api.meet()`, Providers: []protocol.ProviderDescriptor{{Name: "api"}},
				Dispatch: func(context.Context, string, string, string) (string, error) {
					here.Done()
					here.Wait()
					return `{"result":1}`, nil
				},
			})
		})
	}
	both.Wait()
}

// generousTools give programs what fills memory.
func generousTools(ctx context.Context, _, tool, _ string) (string, error) {
	switch tool {
	case "bomb":
		return string(zeros()), nil
	case "text":
		return `{"result":"` + strings.Repeat("x", 1<<20) + `"}`, nil
	}
	<-ctx.Done() // never
	return "{}", nil
}

// zeros is the envelope of a gigabyte of zeros, compressed to one megabyte.
var zeros = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	piece := make([]byte, 1<<20)
	for range 1 << 10 {
		w.Write(piece)
	}
	w.Close()
	return fmt.Appendf(nil, `{"result":{"__codemode_binary_v1__":"Uint8Array","data":%q}}`, base64.StdEncoding.EncodeToString(packed.Bytes()))
})

// endlessBody answers with so many megabytes as the path says, and without end when it says nothing.
func endlessBody(_ context.Context, request *http.Request) (*http.Response, error) {
	var megabytes int64 = 1 << 40
	fmt.Sscan(strings.TrimPrefix(request.URL.Path, "/"), &megabytes)
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(io.LimitReader(letters{}, megabytes<<20))}, nil
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// watchPeaks follows the memory of every worker from outside. What it returns ends that, and gives the most that one of
// them had beyond what it had at first.
func watchPeaks(t *testing.T) (peak func() int64) {
	t.Helper()
	var workers []*watched
	for _, stat := range children(t) {
		file, err := os.Open("/proc/" + strings.Fields(stat)[0] + "/status")
		if err != nil {
			continue // it ended
		}
		w := &watched{status: file}
		w.first, w.highest, _ = w.read()
		workers = append(workers, w)
	}
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			for _, w := range workers {
				w.look()
			}
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	return func() (peak int64) {
		close(over)
		watching.Wait()
		for _, w := range workers {
			peak = max(peak, w.most-w.first)
			w.status.Close()
		}
		return peak
	}
}

// watched is a worker that is looked at: its own memory in bytes at first and at most, and the highest resident size, that
// of files included, that the kernel knew of before.
type watched struct {
	status               *os.File
	first, most, highest int64
}

func (w *watched) look() {
	own, highest, files := w.read()
	if highest > w.highest { // reached since, perhaps between two looks
		own = max(own, highest-files)
	}
	w.most = max(w.most, own)
}

// read is all zero for a process that ended.
func (w *watched) read() (own, highest, files int64) {
	var text [4096]byte
	n, _ := w.status.ReadAt(text[:], 0)
	for line := range strings.Lines(string(text[:n])) {
		name, value, _ := strings.Cut(line, ":")
		var kilobytes int64
		fmt.Sscan(value, &kilobytes)
		switch name {
		case "RssAnon", "RssShmem", "VmSwap":
			own += kilobytes << 10
		case "VmHWM":
			highest = kilobytes << 10
		case "RssFile":
			files = kilobytes << 10
		}
	}
	return own, highest, files
}
