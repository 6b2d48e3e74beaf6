package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/protocol"
)

// release is the version a release build stamps with -ldflags "-X main.release=…".
var release string

func versionCommand() command {
	return command{
		name:    "version",
		usage:   "version",
		summary: "Print the versions of codemode, its protocol and its engine.",
		setup: func(*flag.FlagSet) runFunc {
			return func(_ context.Context, term terminal, args []string) error {
				if len(args) > 0 {
					return usagef("version takes no arguments, got %q", args)
				}
				_, err := fmt.Fprintf(term.out, "codemode %s\nprotocol v%d\nengine   %s\n%s %s/%s\n",
					version(), protocol.Version, worker.Engine(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
				return err
			}
		},
	}
}

// version is the release, or what the module system knows of this build.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
