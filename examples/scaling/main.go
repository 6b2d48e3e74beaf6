// Command scaling says what a number of runs a second takes: cores, memory, daemons, connections, and how long runs wait.
//
// One learns how a fleet of daemons is sized. Three figures are measured on one machine and kept in measured.json: what a run
// costs of a processor, what one more call of it costs, and what memory a run holds while it waits. The model is arithmetic
// over them, and a simulation of the fleet (hosts that balance as remote.Balancer does, daemons with places and cores) says how
// long runs wait in it, also when a daemon is lost. docs/scaling.md explains the table that this prints.
//
//	go run ./examples/scaling            # the table
//	go run ./examples/scaling -measure   # measure anew, on a machine that does nothing else
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/codemode-go/codemode/executor/worker"
)

//go:embed measured.json
var measuredText []byte

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	again := flag.Bool("measure", false, "measure this machine and print the figures")
	flag.Parse()
	if err := run(os.Stdout, *again); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, again bool) error {
	if again {
		figures, err := measure()
		if err != nil {
			return err
		}
		text, err := json.MarshalIndent(figures, "", "  ")
		fmt.Fprintf(out, "%s\n", text)
		return err
	}
	var figures Measured
	if err := json.Unmarshal(measuredText, &figures); err != nil {
		return err
	}
	return writeTable(out, figures)
}

// writeTable prints a row for each rate.
func writeTable(out io.Writer, figures Measured) error {
	fmt.Fprintln(out, "| runs a second | runs at a time | cores | memory | daemons | places each | sessions a daemon | calls/s a session | wait p50 | p99 | p99, one lost | p99, at random |")
	fmt.Fprintln(out, "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, rate := range []float64{10, 1000, 100_000} {
		plan := newPlan(figures, typicalRun, daemonSize, rate)
		even := simulate(plan, Scenario{Balance: LeastLoad, Seed: 1})
		lost := simulate(plan, Scenario{Balance: LeastLoad, LoseOne: true, Seed: 1})
		random := simulate(plan, Scenario{Balance: AtRandom, Seed: 1})
		fmt.Fprintf(out, "| %.0f | %.0f | %d | %s | %d | %d | %d | %.0f | %s | %s | %s | %s |\n", rate, plan.Running, plan.Cores, bytesText(plan.Memory), plan.Daemons,
			plan.Places, plan.Hosts, plan.CallsPerSession, even.P50, even.P99, lost.P99, random.P99)
	}
	return nil
}

func bytesText(mb float64) string {
	if mb < 1000 {
		return fmt.Sprintf("%.0f MB", mb)
	}
	return fmt.Sprintf("%.1f GB", mb/1000)
}
