package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

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
				info, _ := debug.ReadBuildInfo()
				_, err := fmt.Fprintf(term.out, "codemode %s%s\nprotocol v%d\nengine   %s\nwith     %s\n%s %s/%s\n",
					version(), revision(info), protocol.Version, worker.Engine(), libraries(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
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

// revision is the commit of this build, with a space in front; empty when it is not known.
func revision(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := settings["vcs.revision"]
	if text == "" {
		return ""
	}
	if settings["vcs.modified"] == "true" {
		text += ", modified"
	}
	return " (" + text + ")"
}

// libraries names what of the build runs programs, strips their types and speaks MCP.
func libraries(info *debug.BuildInfo) string {
	if info == nil {
		return "libraries that this build does not name"
	}
	shown := []string{"github.com/tommie/v8go", "github.com/evanw/esbuild", "github.com/mark3labs/mcp-go"}
	var list []string
	for _, module := range info.Deps {
		if slices.Contains(shown, module.Path) {
			list = append(list, module.Path[strings.LastIndex(module.Path, "/")+1:]+" "+module.Version)
		}
	}
	return strings.Join(list, ", ")
}
