// Command bench measures the reference and us side by side and writes the figures, a page and a chart.
//
//	go run ./compat/cmd/bench -out docs
//
// It needs npm ci in compat/reference, and a machine with nothing else to do.
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
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *out, *rounds)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string, rounds int) error {
	report, err := bench.Run(ctx, &bench.Options{Rounds: rounds, Log: func(name string) { fmt.Fprintln(os.Stderr, "measuring:", name) }})
	if err != nil {
		return err
	}
	for _, f := range report.Figures {
		fmt.Printf("%-42s %10.2f %10.2f %-7s %6.1f×\n", f.Name, f.Reference, f.Ours, f.Unit, f.Ratio())
	}
	return report.Write(out)
}
