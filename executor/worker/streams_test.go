//go:build cgo && (linux || darwin)

package worker_test

import (
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// TestCompressionStreams uses streams half way: what comes out early, what waits, what is refused and what is let go of.
func TestCompressionStreams(t *testing.T) {
	c := startChild(t, wire.Options{})
	const packed = "const pack = async (size, format = 'gzip') => new Uint8Array(await new Response(new Blob([new Uint8Array(size)]).stream().pipeThrough(new CompressionStream(format))).arrayBuffer());\n"
	for _, test := range []struct{ code, want string }{
		// Output comes before the end of the input, of each format.
		{"Promise.all(['gzip', 'deflate', 'deflate-raw'].map(async (format) => {" +
			"const data = await pack(300000, format);" +
			"const d = new DecompressionStream(format), w = d.writable.getWriter(), r = d.readable.getReader();" +
			"w.write(data.subarray(0, data.length - 9));" +
			"return (await r.read()).value.length > 0 }))", "[true,true,true]"},
		{"(async () => { const c = new CompressionStream('gzip'), w = c.writable.getWriter(), r = c.readable.getReader();" +
			"w.write(crypto.getRandomValues(new Uint8Array(65000))); w.write(crypto.getRandomValues(new Uint8Array(65000))); return (await r.read()).value.length > 0 })()", "true"},
		// Writes wait for no reader, until much waits for one.
		{"(async () => { const d = new DecompressionStream('gzip'), w = d.writable.getWriter(); await w.write(await pack(20e6)); await w.close();" +
			"let n = 0; for await (const piece of d.readable) n += piece.length; return n })()", "20000000"},
		{"(async () => { const d = new DecompressionStream('gzip'), w = d.writable.getWriter(); let state = 'waits'; w.write(await pack(40e6)).then(() => { state = 'written' });" +
			"await new Promise(f => setTimeout(f, 20)); const before = state, r = d.readable.getReader(); let n = 0;" +
			"while (state === 'waits') n += (await r.read()).value.length; return [before, n >= 7e6, state] })()", `["waits",true,"written"]`},
		// A reader that goes ends it, and so does a writer that aborts.
		{"(async () => { const d = new DecompressionStream('gzip'), w = d.writable.getWriter(); const written = w.write(await pack(40e6)).catch(e => 'refused ' + e);" +
			"const r = d.readable.getReader(); await r.read(); await r.cancel('enough'); await written; return w.write(new Uint8Array(1)).catch(e => String(e)) })()", `"enough"`},
		{"(async () => { for (let i = 0; i < 400; i++) { const d = new DecompressionStream('gzip'), w = d.writable.getWriter(); await w.write((await pack(10)).subarray(0, 12)); await w.abort() } return 'all' })()", `"all"`},
		{"(async () => { const data = (await pack(10)).subarray(0, 12); for (let i = 0; i < 400; i++) { const d = new DecompressionStream('gzip'), w = d.writable.getWriter(); await w.write(data); await w.close().catch(() => {}) } return 'all' })()", `"all"`},
		// Those that are left open are bounded.
		{"(async () => { const data = (await pack(10)).subarray(0, 12), open = []; for (let i = 0; ; i++) { const d = new DecompressionStream('gzip'), w = d.writable.getWriter(); open.push(w);" +
			"try { await w.write(data) } catch (e) { return [i, String(e)] } } })().catch(String)", `[256,"RangeError: Too many compression streams are open: at most 256, or 96 MB of memory"]`},
	} {
		c.check("async () => {"+packed+"return "+test.code+" }", test.want)
	}
}
