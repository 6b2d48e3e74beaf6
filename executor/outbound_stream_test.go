package executor_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// site is a server and a pool whose programs may reach it. Programs find its address as the constant "site".
type site struct {
	pool *executor.Pool
	url  string
	mux  *http.ServeMux
}

func newSite(t *testing.T, options executor.Options) *site {
	s := &site{mux: http.NewServeMux()}
	server := httptest.NewServer(s.mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	options.AllowAddresses = loopback
	s.pool = newPool(t, options)
	return s
}

func (s *site) handle(path string, f http.HandlerFunc) { s.mux.HandleFunc(path, f) }

// run runs the body of a program.
func (s *site) run(t *testing.T, body string) *protocol.ExecuteResult {
	t.Helper()
	return mustExecute(t, s.pool, &protocol.ExecuteRequest{Code: fmt.Sprintf("async () => { const site = %q; %s }", s.url, body)})
}

func (s *site) check(t *testing.T, body, want string) {
	t.Helper()
	result := s.run(t, body)
	if result.Failure != nil || string(result.Value) != want {
		t.Errorf("%s\n value %s, failure %+v\n want %s", body, result.Value, result.Failure, want)
	}
}

const megabytes = 48

func TestBodiesStreamInBoundedMemory(t *testing.T) {
	needLinux(t)
	s := newSite(t, executor.Options{Limits: protocol.Limits{Memory: 40 << 20, ArgumentBytes: 4 << 20}})
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	s.handle("/down", func(w http.ResponseWriter, _ *http.Request) {
		for range megabytes {
			w.Write(chunk)
		}
	})
	s.handle("/up", func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err, r.ContentLength)
	})
	s.check(t, `
		const response = await fetch(site + '/down');
		let n = 0;
		for await (const part of response.body) n += part.length;
		return n`, fmt.Sprint(megabytes<<20))
	s.check(t, fmt.Sprintf(`
		let left = %d;
		const body = new ReadableStream({ pull(c) { if (left-- > 0) c.enqueue(new Uint8Array(1 << 20)); else c.close() } });
		return await (await fetch(site + '/up', { method: 'POST', body, duplex: 'half' })).text()`, megabytes), fmt.Sprintf(`"%d <nil> -1"`, megabytes<<20))
	s.check(t, `return await (await fetch(site + '/up', { method: 'POST', body: new Uint8Array(3 << 20) })).text()`, fmt.Sprintf(`"%d <nil> %d"`, 3<<20, 3<<20))
	result := s.run(t, `await fetch(site + '/up', { method: 'POST', body: new Uint8Array(5 << 20) })`)
	if result.Failure == nil || result.Failure.Limit != "argumentBytes" || result.Failure.LimitValue != 4<<20 {
		t.Errorf("a body over argumentBytes: %s, %+v", result.Value, result.Failure)
	}
}

func TestAResponseIsThereBeforeItsBody(t *testing.T) {
	s := newSite(t, executor.Options{})
	next := make(chan struct{}, 8)
	s.handle("/events", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(201)
		w.(http.Flusher).Flush()
		for i := range 3 {
			select {
			case <-next:
			case <-r.Context().Done():
				return
			}
			fmt.Fprintf(w, "event %d;", i)
			w.(http.Flusher).Flush()
		}
	})
	s.handle("/next", func(http.ResponseWriter, *http.Request) { next <- struct{}{} })
	s.check(t, `
		const response = await fetch(site + '/events');
		const seen = [response.status];
		const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
		for (;;) {
			if (seen.length < 4) await fetch(site + '/next');
			const { value, done } = await reader.read();
			if (done) return seen;
			seen.push(value);
		}`, `[201,"event 0;","event 1;","event 2;"]`)
}

func TestWhatAProgramNeedNoMoreIsCancelled(t *testing.T) {
	s := newSite(t, executor.Options{})
	begun, ended := make(chan string, 8), make(chan string, 8)
	wait := func(w http.ResponseWriter, r *http.Request) {
		begun <- r.URL.Path
		if r.URL.Path == "/body" {
			w.Write([]byte("begun"))
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
		ended <- r.URL.Path
	}
	s.handle("/head", wait)
	s.handle("/body", wait)
	s.handle("/reached", func(http.ResponseWriter, *http.Request) { begun <- <-begun }) // answers once another request is there
	over := func(t *testing.T, want string) {
		t.Helper()
		<-begun
		if got := <-ended; got != want {
			t.Errorf("%s ended, want %s", got, want)
		}
	}
	for _, c := range []struct{ body, want, path string }{
		{`return await fetch(site + '/head', { signal: AbortSignal.timeout(500) }).catch((e) => e.name)`, `"TimeoutError"`, "/head"},
		{`const c = new AbortController(); const p = fetch(site + '/head', { signal: c.signal }); await fetch(site + '/reached'); c.abort('enough'); return await p.catch((e) => e)`, `"enough"`, "/head"},
		{`const c = new AbortController(); const r = await fetch(site + '/body', { signal: c.signal }); setTimeout(() => c.abort('enough'), 20); return await r.text().catch((e) => e)`, `"enough"`, "/body"},
		{`const r = await fetch(site + '/body'); const reader = r.body.getReader(); await reader.read(); await reader.cancel(); return 'cancelled'`, `"cancelled"`, "/body"},
		{`const r = await fetch(site + '/body'); return r.status`, `200`, "/body"}, // the run's end
		{`fetch(site + '/body').catch(() => {}); await fetch(site + '/reached'); return 1`, `1`, "/body"},
	} {
		s.check(t, c.body, c.want)
		over(t, c.path)
	}
	// One that waits for nothing but a body that it does not read is stalled; one that reads it is timed out.
	result := s.run(t, `globalThis.r = await fetch(site + '/body'); await new Promise(() => {})`)
	if result.Failure == nil || result.Failure.Kind != protocol.FailureStalled {
		t.Errorf("%s, %+v", result.Value, result.Failure)
	}
	over(t, "/body")
	result = mustExecute(t, s.pool, &protocol.ExecuteRequest{Code: `async () => (await fetch("` + s.url + `/body")).text()`, Timeout: protocol.TimeoutOf(200 * time.Millisecond)})
	if result.Failure == nil || result.Failure.Kind != protocol.FailureTimeout || len(result.Failure.Pending) != 1 || !strings.HasPrefix(result.Failure.Pending[0], "fetch http://127") {
		t.Errorf("%s, %+v", result.Value, result.Failure)
	}
	over(t, "/body")
}

func TestRedirectsAreFollowedAsFetchHasIt(t *testing.T) {
	s := newSite(t, executor.Options{})
	other := httptest.NewServer(s.mux)
	defer other.Close()
	s.handle("/to/{status}", func(w http.ResponseWriter, r *http.Request) {
		to := "/echo"
		if r.URL.Query().Has("away") {
			to = other.URL + "/echo"
		}
		if where := r.URL.Query().Get("where"); where != "" {
			to = where
		}
		w.Header().Set("Location", to)
		var status int
		fmt.Sscan(r.PathValue("status"), &status)
		w.WriteHeader(status)
	})
	s.handle("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %d %s %s", r.Method, len(body), r.Header.Get("Content-Type"), r.Header.Get("Authorization"))
	})
	s.handle("/nowhere", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(302) })
	const send = `const send = async (path, init) => { try { const r = await fetch(site + path, init); return await r.text() } catch (e) { return e.message } };
		const headers = { 'content-type': 'text/x', authorization: 'secret' };`
	for _, c := range []struct{ call, want string }{
		{`'/to/301', { method: 'POST', body: 'abc', headers }`, "GET 0  secret"},
		{`'/to/302', { method: 'PUT', body: 'abc', headers }`, "PUT 3 text/x secret"},
		{`'/to/303', { method: 'DELETE', headers }`, "GET 0  secret"},
		{`'/to/303', { method: 'HEAD' }`, ""},
		{`'/to/307', { method: 'POST', body: 'abc', headers }`, "POST 3 text/x secret"},
		{`'/to/308', { method: 'POST', body: new Uint8Array(200000), headers }`, "POST 200000 text/x secret"},
		{`'/to/307?away', { method: 'POST', body: 'abc', headers }`, "POST 3 text/x "},
		{`'/to/307', { method: 'POST', body: new Blob(['abc']).stream() }`, "the redirect asks for the body again, and a stream can be sent only once"},
		{`'/to/303', { method: 'POST', body: new Blob(['abc']).stream() }`, "GET 0  "},
		{`'/to/302', { redirect: 'manual' }`, ""},
		{`'/to/302?where=file:///etc/passwd'`, `the redirect leads to the scheme "file", which is not supported`},
		{`'/to/302?where=http://[::1]/'`, "dial tcp [::1]:80: ::1 is not an address of the public internet, and none that this executor lets programs reach"},
		{`'/to/302?where=http://0x7f.2.3.4:8080/'`, "dial tcp 127.2.3.4:8080: connect: connection refused"}, // allowed, with the rest of 127.0.0.0/8
		{`'/to/302?where=//169.254.169.254/latest/'`, "dial tcp 169.254.169.254:80: 169.254.169.254 is not an address of the public internet, and none that this executor lets programs reach"},
		{`'/nowhere'`, ""},
	} {
		s.check(t, send+"return await send("+c.call+")", fmt.Sprintf("%q", c.want))
	}
	s.check(t, `const r = await fetch(site + '/to/302', { redirect: 'manual' }); return [r.status, r.headers.get('location'), r.redirected]`, `[302,"/echo",false]`)
}

func TestContentIsDecodedAndHeadersAreLeft(t *testing.T) {
	s := newSite(t, executor.Options{})
	text := strings.Repeat("hello hello ", 20_000)
	encode := func(open func(io.Writer) io.WriteCloser, data []byte) []byte {
		var out bytes.Buffer
		w := open(&out)
		w.Write(data)
		w.Close()
		return out.Bytes()
	}
	zip := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	br := func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }
	plain := []byte(text)
	bodies := map[string][]byte{
		"gzip": encode(zip, plain), "br": encode(br, plain), "identity": plain, "compress": plain,
		"deflate":  encode(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, plain),
		"gzip, br": encode(br, encode(zip, plain)),
	}
	raw := encode(func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 1); return f }, plain)
	s.handle("/raw", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "deflate")
		w.Write(raw)
	})
	s.handle("/broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write([]byte("this is not what gzip would write"))
	})
	var asked atomic.Value
	s.handle("/coded", func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Header.Get("Accept-Encoding"))
		coding := r.URL.Query().Get("as")
		w.Header().Set("Content-Encoding", coding)
		w.Write(bodies[coding])
	})
	for coding := range bodies {
		s.check(t, `const r = await fetch(site + '/coded?as=`+coding+`'); const t = await r.text(); return [t.length, t.slice(0, 5), r.headers.get('content-encoding')]`,
			fmt.Sprintf(`[%d,"hello",%q]`, len(text), coding))
	}
	if asked.Load() != "gzip, deflate, br" {
		t.Errorf("accept-encoding: %v", asked.Load())
	}
	s.check(t, `return (await (await fetch(site + '/raw')).text()).length`, fmt.Sprint(len(text)))
	s.check(t, `return await (await fetch(site + '/broken')).text().catch((e) => e.message)`, `"the response broke off: the body is not what its content-encoding says: gzip: invalid header"`)
}

func TestTheExecutorReachesOnlyThePublicInternet(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	pool := newPool(t, executor.Options{})
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	for _, url := range []string{server.URL, "http://localhost" + port, "http://2130706433" + port, "http://[::ffff:127.0.0.1]" + port, "http://0" + port, "http://169.254.169.254/", "http://metadata.localhost" + port} {
		result := mustExecute(t, pool, &protocol.ExecuteRequest{Code: `async () => await fetch("` + url + `")`})
		if f := result.Failure; f == nil || !strings.Contains(f.Message, "is not an address of the public internet") && !strings.Contains(f.Message, "lookup metadata.localhost") {
			t.Errorf("%s: %s, %+v", url, result.Value, result.Failure)
		}
	}
}

// The caller's own function streams, too, and the clock stands while the program waits for it.
func TestAStubStreamsAndTheClockStands(t *testing.T) {
	pool := newPool(t, executor.Options{})
	var sent bytes.Buffer
	via := protocol.OutboundVia(func(ctx context.Context, request *http.Request) (*http.Response, error) {
		io.Copy(&sent, request.Body)
		read, write := io.Pipe()
		go func() {
			for range 3 {
				time.Sleep(800 * time.Millisecond)
				write.Write([]byte("tick "))
			}
			write.Close()
		}()
		return &http.Response{StatusCode: 200, Body: read}, nil
	})
	request := &protocol.ExecuteRequest{Outbound: via, Timeout: protocol.TimeoutOf(2 * time.Second), Code: `async () => {
		const r = await fetch('https://api.example/', { method: 'POST', body: new Blob(['x'.repeat(100000)]).stream() });
		return await r.text() }`}
	if got := mustValue(t, pool, request); got != `"tick tick tick "` || sent.Len() != 100000 {
		t.Errorf("value %s, %d bytes sent", got, sent.Len())
	}
}

// badBody is a body that does not behave.
type badBody struct{ read, close func() }

func (b badBody) Read(p []byte) (int, error) { b.read(); return len(p) + 1, nil }
func (b badBody) Close() error               { b.close(); return nil }

// What the body of the caller's response does costs the request, and not the process or the run.
func TestBodiesOfAStubThatDoNotBehave(t *testing.T) {
	pool := newPool(t, executor.Options{})
	panics, exits, fine := func() { panic("boom") }, runtime.Goexit, func() {}
	bodies := map[string]badBody{
		"its body panicked: boom":                  {panics, panics},
		"its body ended without an answer":         {exits, exits},
		"its body read more than it was asked for": {fine, fine},
	}
	for want, body := range bodies {
		request := &protocol.ExecuteRequest{
			Outbound: protocol.OutboundVia(func(context.Context, *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: body}, nil
			}),
			Code: `async () => { const r = await fetch('https://api.example/'); return r.text().catch((e) => e.message + (e.cause?.message ?? '')) }`,
		}
		if got := mustValue(t, pool, request); !strings.Contains(got, want) {
			t.Errorf("value %s, want %q in it", got, want)
		}
	}
}

// A transport may go on reading the body of a request that is over: what answers before it has all does.
func TestABodyThatIsReadAfterItsRequestDoesNotStopTheClock(t *testing.T) {
	upload := make(chan io.Reader, 1)
	pool := newPool(t, executor.Options{MaxWall: 3 * later})
	mustFail(t, pool, &protocol.ExecuteRequest{
		Code: `async () => {
			await (await fetch("https://a.example/", { method: "POST", body: new ReadableStream({}), duplex: "half" })).text();
			await new Promise((r) => setTimeout(r, 20));
			await api.read();
			await new Promise((r) => setTimeout(r, 1e6));
		}`,
		Providers: []protocol.ProviderDescriptor{{Name: "api"}},
		Outbound: protocol.OutboundVia(func(_ context.Context, request *http.Request) (*http.Response, error) {
			upload <- request.Body
			return &http.Response{StatusCode: http.StatusRequestEntityTooLarge}, nil
		}),
		Dispatch: func(context.Context, string, string, string) (string, error) {
			if _, err := (<-upload).Read(make([]byte, 1)); err == nil {
				t.Error("the body can be read, so the test shows nothing")
			}
			return "{}", nil
		},
		Timeout: protocol.TimeoutOf(soon),
	}, protocol.FailureTimeout)
}
