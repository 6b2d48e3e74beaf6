package main

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

// tokenVariable is where a token for --remote is taken from when no flag has it: a command line can be read by anyone on
// the machine.
const tokenVariable = "CODEMODE_TOKEN"

// remoteOptions are the flags of commands whose programs may run on a daemon.
type remoteOptions struct{ url, token string }

func (o *remoteOptions) declare(flags *flag.FlagSet) {
	flags.StringVar(&o.url, "remote", "", "run programs on the daemon at this `URL` (ws, wss, or ws+unix:///socket), not here")
	flags.StringVar(&o.token, "token", "", "with --remote, the bearer `token` (default $"+tokenVariable+")")
}

// executor dials the daemon; nil when the programs run here. defaults may be nil.
func (o *remoteOptions) executor(ctx context.Context, defaults *remote.DialOptions) (protocol.Executor, error) {
	if o.url == "" {
		if o.token != "" {
			return nil, usagef("--token goes with --remote")
		}
		return nil, nil
	}
	var options remote.DialOptions
	if defaults != nil {
		options = *defaults
	}
	if options.Token = o.token; options.Token == "" {
		options.Token = strings.TrimSpace(os.Getenv(tokenVariable))
	}
	return remote.Dial(ctx, o.url, &options)
}

// newLogger writes to w what is at least of a level.
func newLogger(w io.Writer, name string) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(name)); err != nil {
		return nil, usagef("--log-level is debug, info, warn or error, not %q", name)
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})), nil
}
