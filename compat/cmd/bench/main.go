// Command bench measures the reference and us side by side and writes the figures, a page and a chart.
//
//	go run ./compat/cmd/bench -codemode bin/codemode -out docs
//	go run ./compat/cmd/bench -codemode bin/codemode -proxy -out docs   # the proxy's figures alone; the others stay
//
// It needs a machine with nothing else to do and, but for the proxy's figures, npm ci in compat/reference.
package main

import (
	"context"
	"flag"
	"fmt"
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
	flag.Parse()
	if flag.Arg(0) == echoServer {
		if err := bench.EchoServer(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *out, *binary, *proxy, &bench.Options{Rounds: *rounds, Log: func(name string) { fmt.Fprintln(os.Stderr, "measuring:", name) }})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// echoServer is the argument that makes this program the server whose calls are measured.
const echoServer = "echo-server"

func run(ctx context.Context, out, binary string, proxyAlone bool, options *bench.Options) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var report *bench.Report
	if proxyAlone {
		report, err = bench.Read(out)
	} else {
		report, err = bench.Run(ctx, options)
	}
	if err != nil {
		return err
	}
	if report.Proxy, err = bench.RunProxy(ctx, binary, []string{self, echoServer}, options); err != nil {
		return err
	}
	if !proxyAlone {
		for _, f := range report.Figures {
			fmt.Printf("%-50s %10.2f %10.2f %-7s %6.1f×\n", f.Name, f.Reference, f.Ours, f.Unit, f.Ratio())
		}
	}
	for _, m := range report.Proxy.Measures {
		fmt.Printf("%-50s %10s %10.2f %-7s (wanted: %g)\n", m.Name, "", m.Value, m.Unit, m.Wanted)
	}
	return report.Write(out)
}
