package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/login"
)

func authCommand() command {
	return command{
		name:    "auth",
		usage:   "auth --config F [--config F]… [--forget] [--timeout D] NAME",
		summary: "Log in to an HTTP server of a configuration that wants OAuth.",
		description: `Prints the address to open in a browser, waits until you come back from it, and keeps the login in the user's configuration
directory, readable by you alone; serve sends its token and renews it. No other command ever opens a browser or waits for
one. Where a server's authorization server registers no clients, put {"oauth": {"clientId": …, "callbackPort": …}} into the
server's entry. --forget removes a login.`,
		setup: func(flags *flag.FlagSet) runFunc {
			var o serveOptions
			flags.Var((*stringList)(&o.files), "config", "a configuration `file`; may be repeated")
			forget := flags.Bool("forget", false, "remove the login in place of making one")
			timeout := flags.Duration("timeout", 5*time.Minute, "how long to wait for you to come back")
			return func(ctx context.Context, term terminal, args []string) error {
				switch {
				case len(args) != 1:
					return usagef("say which server: codemode auth --config F NAME")
				case len(o.files) == 0:
					return usagef("say where the server is: --config FILE")
				}
				server, err := o.remoteServer(term, args[0])
				if err != nil {
					return err
				}
				store := loginStore(nil)
				if store == nil {
					return fmt.Errorf("this machine has no place for the user's configuration, and so none for a login")
				}
				if *forget {
					return forgetLogin(term, store, server)
				}
				ctx, cancel := context.WithTimeout(ctx, *timeout)
				defer cancel()
				err = store.Login(ctx, server, func(url string) {
					fmt.Fprintf(term.err, "Open this address in a browser:\n\n  %s\n\n", url)
				})
				if err != nil {
					return fmt.Errorf("%s: %w", server.Name, err)
				}
				fmt.Fprintf(term.out, "logged in to %s\n", server.Name)
				return nil
			}
		},
	}
}

func forgetLogin(term terminal, store *login.Store, server *config.Server) error {
	forgot, err := store.Forget(server)
	if err == nil && !forgot {
		err = fmt.Errorf("there is no login to %s", server.Name)
	}
	if err == nil {
		fmt.Fprintf(term.out, "logged out of %s\n", server.Name)
	}
	return err
}

// remoteServer finds a server of the configuration that is reached over HTTP.
func (o *serveOptions) remoteServer(term terminal, name string) (*config.Server, error) {
	cfg, err := o.load(term, nil)
	if err != nil {
		return nil, err
	}
	var there []string
	for _, s := range cfg.Servers {
		if s.Transport == config.TransportHTTP {
			there = append(there, s.Name)
		}
		if s.Name != name && s.Namespace != name {
			continue
		}
		switch s.Transport {
		case config.TransportStdio:
			return nil, usagef("%s is a child process; there is nothing to log in to", s.Name)
		case config.TransportOpenAPI:
			return nil, usagef("%s is an OpenAPI document; put its login into \"security\" or \"headers\" of its entry", s.Name)
		}
		return &s, nil
	}
	if len(there) == 0 {
		return nil, usagef("the configuration has no server %q, and none that is reached over HTTP", name)
	}
	return nil, usagef("the configuration has no server %q that can be used; over HTTP there are %s", name, strings.Join(there, ", "))
}

// loginStore keeps logins where the user's configuration is; nil when there is no such place.
func loginStore(logger *slog.Logger) *login.Store {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil
	}
	return login.NewStore(filepath.Join(dir, "codemode", "logins"), logger)
}
