package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/codemode-go/codemode/cmd/codemode/internal/metrics"
	"github.com/codemode-go/codemode/cmd/codemode/internal/ui"
	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

func serveCommand() command {
	return command{
		name:    "serve",
		usage:   "serve --config F [--config F]… [--http ADDR [--token-file F]] [--ui ADDR] [--remote URL… [--token T]]",
		summary: "Serve the code tool in front of the MCP servers of a configuration.",
		description: `Reads configurations as Claude Desktop, Claude Code and Cursor write them ({"mcpServers": {…}}); of two servers with one
name the later file's counts. A file that changes is read again, and so are all on SIGHUP: a configuration that cannot be used
changes nothing. Each server becomes one namespace of the program. Speaks MCP on standard input and output,
or Streamable HTTP with --http, where a listener prints "listening URL" on standard error once it accepts (ADDR may end
in :0); GET /metrics there, with the same token, is for Prometheus. Clients with the token of one of the configuration's views see
that view alone; access tokens of authorization servers count with its http.oauth. With --ui the runs are shown as they go on a page
of this machine, whose address is printed as "ui listening URL"; it has their programs and results, from memory.
The servers start with the first client. One that cannot run is named on standard error and in the tool's description; the others work.`,
		setup: func(flags *flag.FlagSet) runFunc {
			var o serveOptions
			o.declare(flags)
			files := (*stringList)(&o.files)
			flags.Var(files, "config", "a configuration `file`; may be repeated")
			demo := flags.Bool("demo", false, "serve the demonstration's users and orders, without a configuration")
			return func(ctx context.Context, term terminal, args []string) error {
				switch {
				case len(args) > 0:
					return usagef("%w (one server without a file: codemode wrap -- CMD ARGS…)", unexpected(args, "--config"))
				case *demo && len(o.files) > 0:
					return usagef("--demo goes without --config")
				case *demo:
					o.learn = false // it is to look the same each time
					return o.serve(ctx, term, []mcpserver.Upstream{mcpserver.InProcess(codetool.DefaultNamespace, newDemoUpstream())}, &config.Config{})
				case len(o.files) == 0:
					return usagef("say which servers: --config FILE, or --demo to look around")
				}
				logger, err := o.logger(term.err)
				if err != nil {
					return err
				}
				cfg, err := o.load(term, logger)
				if err != nil {
					return err
				}
				return o.serve(ctx, term, mcpserver.FromConfig(cfg), cfg)
			}
		},
	}
}

// serveOptions are the flags that serve and wrap share.
type serveOptions struct {
	files     []string
	http      string
	ui        string
	tokenFile string
	logLevel  string
	cert, key string
	origins   []string
	hosts     []string
	reference bool
	form      string
	budget    int
	learn     bool
	check     bool
	resources bool
	prompts   bool
	remote    remoteOptions
	// once says that there is one run, and no other that could reach a daemon later.
	once bool
	runs *ui.Store // with --ui, the newest runs
	// instruments measure the runs, see observe; metrics is one of them with --http, and pool what programs run on, unless
	// that is a daemon.
	instruments []mcpserver.Instrument
	metrics     *metrics.Metrics
	pool        *executor.Pool
	// progress shows the calls of programs; nil shows none.
	progress *progress
}

func (o *serveOptions) declare(flags *flag.FlagSet) {
	flags.StringVar(&o.http, "http", "", "serve Streamable HTTP on `ADDR` (127.0.0.1:8765) in place of standard input and output")
	flags.StringVar(&o.ui, "ui", "", "show the runs on a page at `ADDR` (127.0.0.1:0) of this machine")
	flags.StringVar(&o.tokenFile, "token-file", "", "with --http, the `file` that holds the bearer token clients must send")
	flags.StringVar(&o.cert, "tls-cert", "", "with --http, the `file` of the certificate to serve HTTPS with")
	flags.StringVar(&o.key, "tls-key", "", "the `file` of the certificate's key")
	flags.Var((*originList)(&o.origins), "allow-origin", "with --http, a web `origin` whose pages may call; may be repeated")
	flags.Var((*stringList)(&o.hosts), "allow-host", "with --http, a `name` under which a proxy on this machine makes the server known; may be repeated")
	flags.BoolVar(&o.reference, "reference", false, "answer word for word as codeMcpServer of @cloudflare/codemode does")
	o.declareDescription(flags)
	flags.BoolVar(&o.learn, "learn-types", true, "remember names and types, never values, of what tools without an output schema returned, and declare them as observed")
	flags.BoolVar(&o.check, "check", false, "check programs against the declarations before they run, with tsgo or tsc on PATH")
	flags.BoolVar(&o.resources, "resources", false, "pass the servers' resources on, to clients and to programs")
	flags.BoolVar(&o.prompts, "prompts", false, "pass the servers' prompts on, to clients and to programs")
	o.remote.declare(flags)
	flags.StringVar(&o.logLevel, "log-level", "warn", "what goes to standard error, from this `LEVEL` on: debug, info, warn or error")
}

// declareDescription declares the flags about what the model reads.
func (o *serveOptions) declareDescription(flags *flag.FlagSet) {
	flags.StringVar(&o.form, "description", string(codetool.FormAuto), "what the tool's description shows: `FORM` is full (declarations), compact, or auto, full where they fit")
	flags.IntVar(&o.budget, "budget", 0, "how many `characters` the description may have; 0 is 50,000, and 2,000 for Claude Code, which cuts what is longer")
}

// describe puts what the flags say about the description into options.
func (o *serveOptions) describe(options *codetool.Options) error {
	switch form := codetool.Form(o.form); form {
	case "", codetool.FormAuto, codetool.FormFull, codetool.FormCompact:
		options.Form = form
	default:
		return usagef("--description is full, compact or auto, not %q", o.form)
	}
	if o.budget < 0 {
		return usagef("--budget is a number of characters, not %d", o.budget)
	}
	if o.budget > 0 {
		options.DescriptionBudget = o.budget
	}
	if o.check {
		checker, err := codetool.FindChecker()
		if err != nil {
			return usageError{fmt.Errorf("--check: %w", err)}
		}
		options.Check = checker
	}
	return nil
}

// load reads the configurations and says what is wrong with them, to a log unless that is nil, which is standard error as it is.
func (o *serveOptions) load(term terminal, log *slog.Logger) (*config.Config, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(o.files, &config.Options{Executable: self})
	if err != nil {
		return nil, usageError{err}
	}
	warnings := cfg.Warnings
	if o.http != "" {
		warnings = append(warnings, cfg.ViewWarnings...)
	}
	for _, warning := range warnings {
		say(term, log, slog.LevelWarn, warning)
	}
	for _, problem := range cfg.Problems {
		say(term, log, slog.LevelError, problem.Error())
	}
	return cfg, nil
}

// serve runs the server until its client goes or ctx ends.
func (o *serveOptions) serve(ctx context.Context, term terminal, upstreams []mcpserver.Upstream, cfg *config.Config) (err error) {
	logger, err := o.logger(term.err)
	if err != nil {
		return err
	}
	if err := o.onlyWithHTTP(); err != nil {
		return err
	}
	token, err := o.token()
	if err != nil {
		return err
	}
	listen := mcpserver.HTTPOptions{
		Token: token, OAuth: cfg.Settings.ResourceServer, AllowedOrigins: o.origins, AllowedHosts: o.hosts, CertFile: o.cert, KeyFile: o.key,
	}
	if o.http != "" {
		if err := o.checkHTTP(ctx, &listen); err != nil {
			return err
		}
	}
	if o.ui != "" {
		o.runs = ui.NewStore(nil)
	}
	stopObserving, err := o.observe(ctx, logger)
	if err != nil {
		return err
	}
	defer stopObserving() // after the server, whose last runs end with it
	server, closeAll, err := o.newServer(ctx, upstreams, cfg, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	closePage, err := o.showPage(ctx, term, server, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closePage()) }()
	if len(o.files) > 0 {
		watching, stop := context.WithCancel(ctx)
		var watcher sync.WaitGroup
		watcher.Go(func() { (&reloader{o, term, server, logger, cfg.Settings}).run(watching) })
		defer watcher.Wait()
		defer stop()
	}
	if o.http == "" {
		if isTyped(term) {
			fmt.Fprintln(term.err, "codemode: waiting for an MCP client on standard input. Programs start this themselves (codemode install HOST); Ctrl-C ends it")
		}
		os.Stdout = os.Stderr // only term.out carries JSON-RPC, whatever a library may print
		return ignoreCanceled(ctx, server.ServeStdio(ctx, term.in, term.out))
	}
	listen.Metrics = o.metricsOf(server)
	return ignoreCanceled(ctx, unlistened("--http", o.http, server.ListenHTTP(ctx, o.http, &listen, func(url string) { listening(term, url) })))
}

// checkHTTP says in the words of the command line why nothing could be served there, before anything is started.
func (o *serveOptions) checkHTTP(ctx context.Context, listen *mcpserver.HTTPOptions) error {
	if err := checkHostPort(ctx, "--http", o.http, "host:port"); err != nil {
		return err
	}
	if (o.cert == "") != (o.key == "") {
		return usagef("--tls-cert and --tls-key go together")
	}
	if o.cert != "" {
		if _, err := keyPair("--tls-cert", o.cert, "--tls-key", o.key); err != nil {
			return err
		}
	}
	if err := listen.Check(o.http); err != nil {
		return usageError{err} // it has the address
	}
	return nil
}

// newServer puts a server over an executor of its own; closeAll ends both.
func (o *serveOptions) newServer(ctx context.Context, upstreams []mcpserver.Upstream, cfg *config.Config, logger *slog.Logger) (server *mcpserver.Server, closeAll func() error, err error) {
	native, err := o.newExecutor(ctx, cfg.Settings, logger)
	if err != nil {
		return nil, nil, err
	}
	native = o.progress.watch(native)
	options, err := o.serverOptions(cfg, logger)
	if err != nil {
		return nil, nil, errors.Join(err, native.Close())
	}
	server, err = mcpserver.New(native, upstreams, options)
	if err != nil {
		return nil, nil, errors.Join(usageError{err}, native.Close())
	}
	return server, func() error { return errors.Join(server.Close(), native.Close()) }, nil
}

// serverOptions are what the configuration and the flags say.
func (o *serveOptions) serverOptions(cfg *config.Config, logger *slog.Logger) (*mcpserver.Options, error) {
	options := mcpserver.OptionsFromConfig(cfg)
	options.Version = version()
	options.Logger = logger
	options.Reference = o.reference
	options.Resources = options.Resources || o.resources
	options.Prompts = options.Prompts || o.prompts
	options.AwaitClient = true
	options.CacheDir = cacheDir()
	if o.runs != nil {
		options.Watcher = o.runs
	}
	options.Instruments = o.instruments
	if store := loginStore(logger); store != nil {
		options.Logins = store
	}
	if err := o.remember(&options.Tool, options.CacheDir); err != nil {
		logger.Warn("what results look like is not remembered", "error", err)
	}
	return options, o.describe(&options.Tool)
}

// newExecutor is what the programs run on: a daemon, or a pool of this process.
func (o *serveOptions) newExecutor(ctx context.Context, settings config.Settings, logger *slog.Logger) (protocol.Executor, error) {
	dial := func(ctx context.Context) (protocol.Executor, error) {
		return o.remote.executor(ctx, &remote.DialOptions{Outbound: outboundOf(settings), Limits: settings.Limits, Logger: logger})
	}
	reach := func() (protocol.Executor, error) { return dialedOrLate(ctx, logger, dial) }
	if o.once {
		reach = func() (protocol.Executor, error) { return dial(ctx) }
	}
	daemon, err := reach()
	if daemon != nil || err != nil {
		return daemon, err
	}
	o.pool, err = executor.New(&executor.Options{
		Workers: settings.Workers, Hardened: settings.Hardened, Outbound: outboundOf(settings), AllowAddresses: settings.AllowAddresses,
		Limits: settings.Limits, Logger: logger, Metrics: o.poolMetrics(),
	})
	if err != nil {
		return nil, err
	}
	return o.pool, nil
}

// outboundOf is the configuration's network policy: blocked unless it opens it.
func outboundOf(settings config.Settings) protocol.Outbound {
	if settings.Outbound == protocol.OutboundInherit {
		return protocol.InheritOutbound()
	}
	return protocol.BlockOutbound()
}

// cacheDir is where tool lists are kept between starts; empty, which keeps none, when the machine has no such place.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "codemode")
}

func (o *serveOptions) logger(w io.Writer) (*slog.Logger, error) { return newLogger(w, o.logLevel) }

// onlyWithHTTP refuses flags that would do nothing: whoever gives them takes the server for one of HTTP.
func (o *serveOptions) onlyWithHTTP() error {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"token-file", o.tokenFile != ""}, {"tls-cert", o.cert != ""}, {"tls-key", o.key != ""}, {"allow-origin", len(o.origins) > 0}, {"allow-host", len(o.hosts) > 0},
	} {
		if f.given && o.http == "" {
			return usagef("--%s goes with --http", f.name)
		}
	}
	return nil
}

// token reads the token file; its last line end does not count.
func (o *serveOptions) token() (string, error) {
	if o.tokenFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return "", usageError{err}
	}
	token := strings.TrimRight(string(text), "\r\n")
	if token == "" {
		return "", usagef("--token-file %s is empty", o.tokenFile)
	}
	return token, nil
}

// ignoreCanceled drops the error of a server that was asked to stop.
func ignoreCanceled(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// stringList is a flag that may be repeated.
type stringList []string

func (l *stringList) String() string     { return strings.Join(*l, ", ") }
func (l *stringList) Set(s string) error { *l = append(*l, s); return nil }
