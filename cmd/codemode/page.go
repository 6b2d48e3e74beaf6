package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/codemode-go/codemode/cmd/codemode/internal/ui"
	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/mcpserver/config"
)

func uiCommand() command {
	return command{
		name:    "ui",
		usage:   "ui [--file F] [--config F]… [--listen ADDR] [--open]",
		summary: "Show the runs that were written down on a page of this machine, and new ones as they come.",
		description: `Prints "listening URL" on standard error; the address has a token, and only this machine reaches it. The page has the runs
with their calls on a time axis. With --config it also has what the servers of the configuration offer and what that costs in
tokens, for which it starts them, and the audit file is the configuration's. Programs, arguments and results are there where
the configuration says {"codemode": {"audit": {"payloads": true}}}. To see the runs of one server as they go: serve --ui.

Exit code 2 when nothing was written down, or the address is taken.`,
		setup: func(flags *flag.FlagSet) runFunc {
			var o pageOptions
			flags.StringVar(&o.file, "file", "", "the audit `file` (default: the configuration's, else where serve writes it)")
			flags.Var((*stringList)(&o.serve.files), "config", "a configuration `file`, for the catalogue; may be repeated")
			flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "the `ADDR` of the page; port 0 takes a free one")
			flags.BoolVar(&o.open, "open", false, "open the page in the browser")
			flags.StringVar(&o.serve.logLevel, "log-level", "error", "what goes to standard error, from this `LEVEL` on: debug, info, warn or error")
			return func(ctx context.Context, term terminal, args []string) error {
				if len(args) > 0 {
					return unexpected(args, "--config")
				}
				return o.run(ctx, term)
			}
		},
	}
}

// pageOptions are the flags of ui.
type pageOptions struct {
	file, listen string
	open         bool
	serve        serveOptions
}

// run shows an audit file until ctx ends.
func (o *pageOptions) run(ctx context.Context, term terminal) (err error) {
	logger, err := o.serve.logger(term.err)
	if err != nil {
		return err
	}
	cfg := &config.Config{}
	if len(o.serve.files) > 0 {
		if cfg, err = o.serve.load(term, nil); err != nil {
			return err
		}
	}
	if err := o.findFile(cfg.Settings.Audit.File); err != nil {
		return err
	}
	options := &ui.Options{Source: "Runs of " + o.file, Logger: logger}
	if len(o.serve.files) > 0 {
		server, closeAll, err := o.serve.newServer(ctx, mcpserver.FromConfig(cfg), cfg, logger)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeAll()) }()
		settling, cancel := context.WithCancel(ctx)
		var starting sync.WaitGroup
		starting.Go(func() { server.Settled(settling) })
		defer starting.Wait()
		defer cancel()
		describePage(options, server)
	}
	return o.follow(ctx, term, options)
}

// findFile says which audit file it is: the one that was named, else the configuration's, which need not be there yet, else the
// usual one.
func (o *pageOptions) findFile(configured string) (err error) {
	expected := o.file == "" && configured != ""
	switch {
	case expected:
		o.file = configured
	case o.file == "":
		if o.file, err = config.DefaultAuditFile(); err != nil {
			return usageError{err}
		}
	}
	if _, err := os.Stat(o.file); err != nil && !(expected && errors.Is(err, fs.ErrNotExist)) {
		return nothingWrittenDown(err)
	}
	o.file, err = filepath.Abs(o.file)
	return err
}

// follow serves the page and reads what is written, until ctx ends.
func (o *pageOptions) follow(ctx context.Context, term terminal, options *ui.Options) error {
	store := ui.NewStore(nil)
	follower, err := ui.NewFollower(o.file, store, func(text string) { fmt.Fprintln(term.err, "codemode ui:", text) })
	if err != nil {
		return usageError{err}
	}
	page, err := listenPage(ctx, "--listen", o.listen, store, options)
	if err != nil {
		return errors.Join(err, follower.Close())
	}
	listening(term, page.URL())
	var opening sync.WaitGroup
	if o.open {
		opening.Go(func() { openBrowser(ctx, term, page.URL()) })
	}
	follower.Run(ctx)
	opening.Wait()
	return errors.Join(page.Close(), follower.Close())
}

// listenPage opens the page; an address where it cannot be is a mistake of the command line.
func listenPage(ctx context.Context, flag, addr string, store *ui.Store, options *ui.Options) (*ui.Page, error) {
	if err := checkHostPort(ctx, flag, addr, "host:port"); err != nil {
		return nil, err
	}
	page, err := ui.Listen(ctx, addr, store, options)
	if errors.As(err, new(*ui.AddressError)) {
		return nil, usageError{err}
	}
	return page, err
}

// openBrowser asks the desktop to show an address. Without one the person opens it, whom the address was printed for. Where
// the browser is what was started, it returns with the browser, or with ctx; it reads no output, which a browser that
// stays holds open.
func openBrowser(ctx context.Context, term terminal, url string) {
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	if err := exec.CommandContext(ctx, name, url).Run(); err != nil && ctx.Err() == nil {
		fmt.Fprintf(term.err, "codemode ui: no browser could be opened (%s: %v); open the address by hand\n", name, err)
	}
}

// showPage is serve --ui: it shows the runs of a server, with their programs, from memory.
func (o *serveOptions) showPage(ctx context.Context, term terminal, server *mcpserver.Server, logger *slog.Logger) (closePage func() error, err error) {
	if o.ui == "" {
		return func() error { return nil }, nil
	}
	options := &ui.Options{Source: fmt.Sprintf("Runs of codemode serve, process %d, kept in its memory", os.Getpid()), Logger: logger}
	describePage(options, server)
	page, err := listenPage(ctx, "--ui", o.ui, o.runs, options)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(term.err, "ui listening", page.URL())
	return page.Close, nil
}

// describePage lets the page show what a server's upstreams offer.
func describePage(options *ui.Options, server *mcpserver.Server) {
	counted := &tokenCounter{}
	options.Catalogue = func() ui.Catalogue { return catalogueOf(server) }
	options.Savings = func() (*ui.Savings, error) { return savingsOf(server, counted) }
}

func catalogueOf(server *mcpserver.Server) (c ui.Catalogue) {
	functions := map[string][]ui.Function{}
	for _, f := range server.Functions() {
		functions[f.Namespace] = append(functions[f.Namespace], ui.Function{Path: f.Namespace + "." + f.Identifier, Description: f.Description, Declaration: f.Text})
	}
	for _, s := range server.Servers() {
		c.Servers = append(c.Servers, ui.Server{Name: s.Name, Namespace: s.Namespace, State: s.State, Reason: s.Reason,
			About: strings.TrimSpace(s.Server + " " + s.Version), Functions: functions[s.Namespace]})
	}
	return c
}

func savingsOf(server *mcpserver.Server, counter *tokenCounter) (*ui.Savings, error) {
	m, err := measure(server, counter.size)
	if err != nil {
		return nil, err
	}
	savings := &ui.Savings{Raw: m.total.raw.tokens, Description: m.description.tokens, Counted: "o200k"}
	for _, s := range m.servers {
		savings.Servers = append(savings.Servers, ui.ServerTokens{Name: s.name, Tools: s.tools, Raw: s.raw.tokens, Full: s.full.tokens, Compact: s.compact.tokens})
	}
	return savings, nil
}

// tokenCounter remembers the sizes of the texts that it was asked for lately: counting takes longer than a page should.
type tokenCounter struct {
	mu    sync.Mutex
	known map[string]size
}

// maxCounted bounds the texts that are remembered: some per server.
const maxCounted = 1000

func (c *tokenCounter) size(text string) (size, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.known[text]; ok {
		return known, nil
	}
	counted, err := sizeOf(text)
	if err != nil {
		return counted, err
	}
	if c.known == nil || len(c.known) >= maxCounted {
		c.known = map[string]size{}
	}
	c.known[text] = counted
	return counted, nil
}
