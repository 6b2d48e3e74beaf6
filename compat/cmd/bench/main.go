// Command bench measures the reference and us side by side and writes the figures, a page and a chart.
//
//	go run ./compat/cmd/bench -codemode bin/codemode -out docs
//	go run ./compat/cmd/bench -catalogue ../shared/mcp-tools -out docs   # what a model reads of many tools; the others stay
//	go run ./compat/cmd/bench -codemode bin/codemode -proxy -out docs    # the proxy's figures alone; the others stay
//	go run ./compat/cmd/bench -codemode bin/codemode -daemon -out docs   # the daemon's alone
//	go run ./compat/cmd/bench -platform -out docs                        # the web platform's, beside node's
//
// It needs a machine with nothing else to do and, but for the proxy's figures, npm ci in compat/reference and remote/testdata/npm.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/codemode-go/codemode/compat/bench"
	"github.com/codemode-go/codemode/executor/worker"
)

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	out := flag.String("out", "docs", "the `directory` for performance.json, .md and .svg")
	rounds := flag.Int("rounds", 9, "how often each figure is measured on each side")
	binary := flag.String("codemode", "bin/codemode", "the `file` of the binary whose serve is measured")
	proxy := flag.Bool("proxy", false, "measure the proxy alone")
	catalogue := flag.String("catalogue", "", "measure descriptions alone, over the tools/list answers in this `directory`")
	daemon := flag.Bool("daemon", false, "measure the daemon alone")
	platform := flag.Bool("platform", false, "measure the web platform beside node alone")
	flag.Parse()
	if play := roles[flag.Arg(0)]; play != nil {
		if err := play(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *out, *binary, parts{all: !*proxy && !*daemon && !*platform && *catalogue == "", proxy: *proxy, daemon: *daemon, platform: *platform, catalogue: *catalogue}, &bench.Options{Rounds: *rounds, Log: func(name string) { fmt.Fprintln(os.Stderr, "measuring:", name) }})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// The arguments that make this program one of the processes that are measured.
const (
	echoServer     = "echo-server"
	callbackDaemon = "callback-daemon"
)

var roles = map[string]func(io.Reader, io.Writer) error{echoServer: bench.EchoServer, callbackDaemon: bench.CallbackDaemon}

// parts is what is measured; what is not stays as it was.
type parts struct {
	all, proxy, daemon, platform bool
	catalogue                    string
}

// captured is where the tools/list answers of real servers are.
const captured = "../shared/mcp-tools"

func run(ctx context.Context, out, binary string, wanted parts, options *bench.Options) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var report *bench.Report
	if wanted.all {
		report, err = bench.Run(ctx, options)
	} else {
		report, err = bench.Read(out)
	}
	if err != nil {
		return err
	}
	if wanted.all {
		for _, f := range report.Figures {
			fmt.Printf("%-50s %10.2f %10.2f %-7s %6.1f×\n", f.Name, f.Reference, f.Ours, f.Unit, f.Ratio())
		}
	}
	if wanted.all && wanted.catalogue == "" {
		wanted.catalogue = captured
	}
	if wanted.catalogue != "" {
		if report.Catalogue, err = bench.RunCatalogue(ctx, wanted.catalogue, options); err != nil {
			return err
		}
		for _, m := range report.Catalogue.Measures {
			fmt.Printf("%-50s %10s %10.2f %-7s (wanted: %g)\n", m.Name, "", m.Value, m.Unit, m.Wanted)
		}
	}
	if wanted.all || wanted.proxy {
		if report.Proxy, err = bench.RunProxy(ctx, binary, []string{self, echoServer}, options); err != nil {
			return err
		}
		for _, m := range report.Proxy.Measures {
			fmt.Printf("%-50s %10s %10.2f %-7s (wanted: %g)\n", m.Name, "", m.Value, m.Unit, m.Wanted)
		}
	}
	if wanted.all || wanted.daemon {
		if report.Daemon, err = bench.RunDaemon(ctx, binary, []string{self, callbackDaemon}, options); err != nil {
			return err
		}
		for _, c := range report.Daemon.Comparisons {
			fmt.Printf("%-50s %10.2f %10.2f %-7s %6.2f× of %s (wanted: %s)\n", c.Name, c.Other, c.Ours, c.Unit, c.Ratio(), c.Beside, c.Wanted)
		}
	}
	if wanted.all || wanted.platform {
		if report.Platform, err = bench.RunPlatform(ctx, options); err != nil {
			return err
		}
		for _, c := range report.Platform.Comparisons {
			fmt.Printf("%-50s %10.2f %10.2f %-7s %6.2f× of %s (wanted: %s)\n", c.Name, c.Other, c.Ours, c.Unit, c.Ratio(), c.Beside, c.Wanted)
		}
	}
	return report.Write(out)
}
