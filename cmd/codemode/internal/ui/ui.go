// Package ui is a web page, for the person at this machine, of what programs did: the runs with their calls on a time axis, the
// functions that programs may call, and what the one tool saves.
//
// Four nouns are enough to read it. A [Store] keeps the newest runs in memory; a server tells it of runs as they go, for it is a
// mcpserver.Watcher, or a [Follower] reads them from an audit file. A [Catalogue] is what the servers offer. A [Page] shows
// them on an address of the loopback interface.
//
//	store := ui.NewStore(nil)
//	page, err := ui.Listen(ctx, "127.0.0.1:0", store, nil)
//	// …
//	defer page.Close()
//	fmt.Fprintln(os.Stderr, "listening", page.URL())
//
// # Safety
//
// The address has a token, which the first answer turns into a cookie that scripts cannot read and other sites cannot send. Requests
// under another name than this machine's are refused. The page asks no other host for anything, has no inline script or
// style, and changes nothing: it answers GET and HEAD. All of it works without JavaScript, which brings live updates and the
// keyboard. What programs and servers said is escaped, and characters that cannot be seen are shown as their codes.
//
// # Limits
//
// DefaultMaxRuns and DefaultMaxBytes bound a Store, maxCalls and maxPayload what one page shows of a run, maxStreams the
// browsers that are kept up to date at one time.
package ui

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

//go:embed static
var static embed.FS

//go:embed templates
var templateFiles embed.FS

// templates are parsed once, when there is a page: every start of this program would pay for them, that of a worker too.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"visible": visible, "oneLine": oneLine, "duration": duration, "size": size[int], "size64": size[int64], "number": number, "counted": counted,
		"moment": moment, "mark": outcomeMark, "class": outcomeClass, "json": pretty, "answer": answerLines,
		"minus": func(a, b int) int { return a - b },
	}).ParseFS(templateFiles, "templates/*.html"))
})

// Options adjusts a Page. The zero value of every field is its documented default.
type Options struct {
	// Source says in a few words where the runs come from.
	Source string
	// Catalogue has what the servers offer, as they are now; nil says that it is not known.
	Catalogue func() Catalogue
	// Savings has what the tool lists and the description cost; nil says that it is not known.
	Savings func() (*Savings, error)
	// Logger gets what goes wrong. Nil discards it.
	Logger *slog.Logger
}

// Page is the web page. Make it with Listen.
type Page struct {
	store   *Store
	options Options
	guard   *guard
	host    string
	web     *http.Server
	streams chan struct{} // a place for each
	ctx     context.Context
	cancel  context.CancelFunc
	served  sync.WaitGroup
}

// Listen serves the page on addr until Close or ctx ends. addr is host:port of the loopback interface, without a host
// 127.0.0.1; port 0 takes a free one. An address that others can reach is an *AddressError, and so is one that is taken.
func Listen(ctx context.Context, addr string, store *Store, options *Options) (*Page, error) {
	var o Options
	if options != nil {
		o = *options
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	local, err := localAddress(addr)
	if err != nil {
		return nil, &AddressError{err}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", local)
	if err != nil {
		return nil, &AddressError{fmt.Errorf("%w (port 0 takes a free one)", err)}
	}
	p := &Page{store: store, options: o, host: listener.Addr().String(), streams: make(chan struct{}, maxStreams)}
	p.ctx, p.cancel = context.WithCancel(ctx)
	_, port, _ := net.SplitHostPort(p.host) // it is an address
	p.guard = newGuard(port, p.routes())
	p.web = &http.Server{Handler: p.guard, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug), BaseContext: func(net.Listener) context.Context { return p.ctx }}
	p.served.Go(func() {
		if err := p.web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			o.Logger.Error("the page ended", "error", err)
		}
	})
	p.served.Go(func() {
		<-p.ctx.Done()
		patience, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer done()
		if p.web.Shutdown(patience) != nil {
			_ = p.web.Close() // a browser that does not let go
		}
	})
	return p, nil
}

// AddressError is an address on which the page cannot be.
type AddressError struct{ Err error }

func (e *AddressError) Error() string { return e.Err.Error() }
func (e *AddressError) Unwrap() error { return e.Err }

// URL is the page's address, with the token.
func (p *Page) URL() string { return "http://" + p.host + "/?token=" + p.guard.token }

// Close ends the page and waits. It is idempotent.
func (p *Page) Close() error {
	p.cancel()
	p.served.Wait()
	return nil
}

func (p *Page) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.list)
	mux.HandleFunc("GET /runs/{id}", p.run)
	mux.HandleFunc("GET /catalogue", p.catalogue)
	mux.HandleFunc("GET /tokens", p.tokens)
	mux.HandleFunc("GET /events", p.events)
	mux.Handle("GET /static/", http.FileServerFS(static))
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		render(w, http.StatusNotFound, "message", message{"Not here", "There is no such page."})
	})
	return mux
}

// message is a page that only says something.
type message struct{ Title, Text string }

// frame is what all pages have around their own part.
type frame struct {
	Title, Source string
	// At is the part of the navigation that the page is of.
	At string
	// Live is what events concern the page: * for all, else a run's ID; empty is none.
	Live string
}

func (p *Page) frame(title, at, live string) frame { return frame{title, p.options.Source, at, live} }

// render writes a page, whole or not at all.
func render(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "This page could not be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the browser may be gone
}
