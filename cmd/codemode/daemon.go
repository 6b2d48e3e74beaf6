package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

func daemonCommand() command {
	return command{
		name:    "daemon",
		usage:   "daemon [--listen ADDR] [--token-file F] [flags]",
		summary: "Run programs for hosts on other machines, over Cap'n Web.",
		description: `A host connects with remote.Dial, with codemode run or serve --remote URL, or with the npm package "capnweb". Only programs,
tool calls and results cross: tools and credentials stay with the host. "listening URL" on standard error says that it
accepts. ADDR is host:port (port 0 takes a free one; without a host it is loopback) or unix:/path; an address that others can
reach needs --token-file or --client-ca. GET /healthz, /readyz and /metrics answer without a token.

A token file has a line NAME TOKEN [concurrency=N] [queue=N] [queueTimeout=30s] [timeout=60s] [memory=64MiB] for each token; a
line of one word is a token without a name. It is read anew when it changes and on SIGHUP (replace it by a rename); a token that was
taken away ends its sessions. SIGTERM drains: no new sessions and runs, what runs finishes within --drain-timeout, and the
sessions end with a code. A second SIGTERM ends at once.`,
		setup: func(flags *flag.FlagSet) runFunc {
			var o daemonOptions
			o.declare(flags)
			return func(ctx context.Context, term terminal, args []string) error {
				if len(args) > 0 {
					return unexpected(args, "--listen")
				}
				return o.run(ctx, term)
			}
		},
	}
}

type daemonOptions struct {
	listen, tokenFile         string
	tlsCert, tlsKey, clientCA string
	origins                   stringList
	outbound, logLevel        string
	allowed                   []netip.Prefix
	hardened                  bool
	workers, maxSessions      int
	memory                    int64
	maxTimeout, drainTimeout  time.Duration
}

func (o *daemonOptions) declare(flags *flag.FlagSet) {
	flags.StringVar(&o.listen, "listen", "127.0.0.1:8080", "the `ADDR` to listen on: host:port or unix:/path")
	flags.StringVar(&o.tokenFile, "token-file", "", "the `file` with the bearer tokens that may connect")
	flags.StringVar(&o.tlsCert, "tls-cert", "", "serve TLS with this certificate `file`")
	flags.StringVar(&o.tlsKey, "tls-key", "", "the certificate's key `file`")
	flags.StringVar(&o.clientCA, "client-ca", "", "with TLS, ask for a client's certificate of an authority in this `file`")
	flags.Var((*originList)(&o.origins), "origin", "a web `origin` (https://app.example) whose pages may connect; may be repeated")
	flags.IntVar(&o.workers, "workers", max(4, runtime.GOMAXPROCS(0)), "at most `N` programs run at one time")
	flags.IntVar(&o.maxSessions, "max-sessions", 0, "at most `N` sessions at one time (default 10000)")
	flags.Func("memory", "the memory a program may use, a `size` such as 64MB, 64MiB or a number of bytes (default 128 MiB)", func(text string) (err error) {
		if text != "0" { // which was the default, and is
			o.memory, err = remote.ParseBytes(text)
		}
		return err
	})
	flags.DurationVar(&o.maxTimeout, "max-timeout", 0, "the longest timeout a request may name (default 30m)")
	flags.DurationVar(&o.drainTimeout, "drain-timeout", 30*time.Second, "how long running programs have to finish after SIGTERM")
	flags.StringVar(&o.outbound, "outbound", "inherit", "the `NETWORK` of a program whose request names none: inherit or blocked")
	flags.Func("allow-address", "an address or `range` (10.1.0.0/16) that programs may reach beside the public internet; may be repeated", o.allow)
	flags.BoolVar(&o.hardened, "hardened", false, "interpret programs and compile nothing to machine code: slower, and no WebAssembly")
	flags.StringVar(&o.logLevel, "log-level", "warn", "what goes to standard error, from this `LEVEL` on: debug, info (sessions and runs), warn or error")
}

func (o *daemonOptions) allow(text string) error {
	prefix, err := config.ParsePrefix(text)
	if err != nil {
		return errors.New("must be an address or a range such as 10.1.0.0/16")
	}
	o.allowed = append(o.allowed, prefix)
	return nil
}

// endingSignals are what ends a command. A daemon reads its tokens anew on SIGHUP, serve its configuration.
func endingSignals(args []string) []os.Signal {
	if len(args) > 0 && (args[0] == "daemon" || args[0] == "serve") {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

func (o *daemonOptions) run(ctx context.Context, term terminal) (err error) {
	logger, err := newLogger(term.err, o.logLevel)
	if err != nil {
		return err
	}
	options, tlsConfig, err := o.resolve(logger)
	if err != nil {
		return err
	}
	var outbound protocol.Outbound
	switch o.outbound {
	case "inherit":
	case "blocked":
		outbound = protocol.BlockOutbound()
	default:
		return usagef("--outbound is inherit or blocked, not %q", o.outbound)
	}
	pool, err := executor.New(&executor.Options{
		Workers: o.workers, Hardened: o.hardened, Outbound: outbound, AllowAddresses: o.allowed, MaxTimeout: o.maxTimeout, Limits: protocol.Limits{Memory: o.memory}, Logger: logger,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	handler, err := remote.NewHandler(pool, options)
	if err != nil {
		return err
	}
	listener, url, err := listenOn(ctx, o.listen, tlsConfig)
	if err != nil {
		return errors.Join(err, handler.Close())
	}
	return o.serve(ctx, term, logger, listener, url, handler, options.Tokens)
}

// resolve reads the files that the flags name.
func (o *daemonOptions) resolve(logger *slog.Logger) (*remote.HandlerOptions, *tls.Config, error) {
	options := &remote.HandlerOptions{Origins: o.origins, Concurrency: o.workers, MaxSessions: o.maxSessions, Logger: logger}
	switch {
	case o.workers < 1:
		return nil, nil, usagef("--workers must be at least 1, got %d", o.workers)
	case o.maxSessions < 0:
		return nil, nil, usagef("--max-sessions must not be negative, got %d", o.maxSessions)
	case o.maxTimeout < 0:
		return nil, nil, usagef("--max-timeout must not be negative, got %s", o.maxTimeout)
	}
	if o.tokenFile != "" {
		var err error
		if options.Tokens, err = remote.LoadTokens(o.tokenFile); err != nil {
			return nil, nil, usagef("--token-file: %w", err)
		}
	}
	config, err := o.tls()
	if err != nil {
		return nil, nil, err
	}
	if _, unix := socketPath(o.listen); unix && config != nil {
		return nil, nil, usagef("--tls-cert goes with host:port; a socket's permissions say who may connect")
	}
	if o.tokenFile == "" && o.clientCA == "" && !onlyHere(o.listen) {
		return nil, nil, usagef("refusing to listen on %s, which others can reach, without --token-file or --client-ca", o.listen)
	}
	return options, config, nil
}

func (o *daemonOptions) tls() (*tls.Config, error) {
	if (o.tlsCert == "") != (o.tlsKey == "") {
		return nil, usagef("--tls-cert and --tls-key go together")
	}
	if o.tlsCert == "" {
		if o.clientCA != "" {
			return nil, usagef("--client-ca goes with --tls-cert")
		}
		return nil, nil
	}
	certificate, err := keyPair("--tls-cert", o.tlsCert, "--tls-key", o.tlsKey)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	if o.clientCA == "" {
		return config, nil
	}
	if config.ClientCAs, err = certificatePool(o.clientCA); err != nil {
		return nil, err
	}
	config.ClientAuth = tls.RequireAndVerifyClientCert
	return config, nil
}

// onlyHere reports whether only this machine reaches an address.
func onlyHere(addr string) bool {
	if _, unix := socketPath(addr); unix {
		return true
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil || host == "" || host == "localhost" {
		return true // what is no address fails soon
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// listenOn opens the listener, and says how a client reaches it.
func listenOn(ctx context.Context, addr string, config *tls.Config) (net.Listener, string, error) {
	scheme := "ws"
	network, said := "tcp", addr
	path, unix := socketPath(addr)
	if unix && path == "" {
		return nil, "", usagef("--listen %s names no socket: unix:/path", addr)
	} else if unix {
		network, addr = "unix", path
		removeStale(addr)
	} else if err := checkHostPort(ctx, "--listen", addr, "host:port or unix:/path"); err != nil {
		return nil, "", err
	} else if host, port, _ := net.SplitHostPort(addr); host == "" {
		addr = net.JoinHostPort("127.0.0.1", port)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, network, addr)
	if err != nil {
		return nil, "", unlistened("--listen", said, err)
	}
	if unix {
		if err := os.Chmod(addr, 0o600); err != nil {
			return nil, "", errors.Join(err, listener.Close())
		}
		scheme = "ws+unix"
	}
	if config != nil {
		listener = tls.NewListener(listener, config)
		scheme = strings.Replace(scheme, "ws", "wss", 1)
	}
	return listener, scheme + "://" + listener.Addr().String(), nil
}

// removeStale takes away a socket that a daemon left which was killed: nobody answers at it.
func removeStale(path string) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return
	}
	if conn, err := net.Dial("unix", path); err == nil {
		conn.Close()
		return
	}
	_ = os.Remove(path) // or listening says why not
}

// serve accepts until ctx ends, and then drains.
func (o *daemonOptions) serve(ctx context.Context, term terminal, logger *slog.Logger, listener net.Listener, url string, handler *remote.Handler, tokens *remote.Tokens) error {
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }() // ends with Shutdown below
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	look := time.NewTicker(2 * time.Second)
	defer look.Stop()
	listening(term, url)
	for {
		select {
		case err := <-failed:
			return errors.Join(err, handler.Close())
		case <-reload:
			if tokens != nil {
				if err := tokens.Reload(); err != nil {
					logger.Error("the tokens stay what they were", "reason", err)
				}
			}
			handler.Refresh()
		case <-look.C:
			handler.Refresh()
		case <-ctx.Done():
			o.drain(web, handler)
			return nil
		}
	}
}

// drain lets what runs finish, and serves /healthz and /readyz meanwhile. A second signal ends the wait.
func (o *daemonOptions) drain(web *http.Server, handler *remote.Handler) {
	again, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	patience, cancel := context.WithTimeout(again, o.drainTimeout)
	defer cancel()
	handler.Drain(patience)
	closing, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	_ = web.Shutdown(closing) // what is left is somebody reading metrics
	_ = web.Close()
}
