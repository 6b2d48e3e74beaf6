package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor/worker"
)

var update = flag.Bool("update", false, "write the table of docs/scaling.md anew")

func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

// TestTheDocumentHasTheTable: docs/scaling.md says what the program prints, byte for byte.
func TestTheDocumentHasTheTable(t *testing.T) {
	var table strings.Builder
	if err := run(&table, false); err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- table: made by go test ./examples/scaling -update -->\n", "<!-- end -->\n"
	path := filepath.Join("..", "..", "docs", "scaling.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	now, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", path)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		now = table.String()
	}
	if diff := cmp.Diff(table.String(), now); diff != "" {
		t.Errorf("-update writes it anew:\n%s", diff)
	}
}

func figures(t *testing.T) Measured {
	t.Helper()
	var m Measured
	if err := json.Unmarshal(measuredText, &m); err != nil {
		t.Fatal(err)
	}
	if m.RunCPU <= 0 || m.CallCPU <= 0 || m.RunMemory <= 0 {
		t.Fatalf("measured.json has no figures: %+v", m)
	}
	return m
}

func TestAPlanHasRoomForALostDaemon(t *testing.T) {
	m := figures(t)
	for _, rate := range []float64{0.1, 10, 333, 1000, 100_000} {
		p := newPlan(m, typicalRun, daemonSize, rate)
		left := float64(p.Daemons - 1)
		if p.Daemons < 2 || rate*p.CPU.Seconds() > left*float64(p.Size.Cores)*p.Size.WithoutOne+1e-9 || p.Running*p.Size.Places > left*float64(p.Places)+1e-9 {
			t.Errorf("%v runs a second: %+v", rate, p)
		}
		if twice := newPlan(m, typicalRun, daemonSize, 2*rate); twice.Daemons < p.Daemons || twice.Memory < p.Memory {
			t.Errorf("%v runs a second take less than half of them: %+v, %+v", 2*rate, p, twice)
		}
	}
}

// The same seed says the same, another one nearly so.
func TestASimulationIsRepeatable(t *testing.T) {
	p := newPlan(figures(t), typicalRun, daemonSize, 500)
	p.Places = int(p.Running/float64(p.Daemons)) + 1 // so few that there is a wait to compare
	first := simulate(p, Scenario{Seed: 7})
	if again := simulate(p, Scenario{Seed: 7}); again != first {
		t.Errorf("%+v, then %+v", first, again)
	}
	if other := simulate(p, Scenario{Seed: 8}); other == (Waits{}) || other.P99 > 20*first.P99+time.Second {
		t.Errorf("seed 8 says %+v, seed 7 %+v", other, first)
	}
}

// What must hold of any queue: fewer places and a lost daemon never shorten the wait, and one without room lengthens it.
func TestTheSimulationIsAQueue(t *testing.T) {
	roomy := newPlan(figures(t), typicalRun, daemonSize, 200)
	tight := roomy
	tight.Places = int(roomy.Running/float64(roomy.Daemons)) + 1
	wide, narrow := simulate(roomy, Scenario{Seed: 1}), simulate(tight, Scenario{Seed: 1})
	if narrow.P99 <= wide.P99 || narrow.P99 < 10*time.Millisecond {
		t.Errorf("with %d places %+v, with %d %+v", roomy.Places, wide, tight.Places, narrow)
	}
	if lost := simulate(roomy, Scenario{Seed: 1, LoseOne: true}); lost.P99 < wide.P99 {
		t.Errorf("with a daemon less %+v, with all %+v", lost, wide)
	}
	// of two daemons with few places, chance leaves one full while the other has room
	small := roomy
	small.Daemons, small.Hosts, small.Places = 2, 1, int(roomy.Running/2*1.05)
	if even, random := simulate(small, Scenario{Seed: 1}), simulate(small, Scenario{Seed: 1, Balance: AtRandom}); even.P99 >= random.P99 {
		t.Errorf("by load %+v, at random %+v", even, random)
	}
}

// TestAnEmptyFleetMakesNobodyWait: the waits are those of the queue alone.
func TestAnEmptyFleetMakesNobodyWait(t *testing.T) {
	p := newPlan(figures(t), typicalRun, daemonSize, 1)
	p.Daemons, p.Places, p.Size.Cores = 8, 100, 100
	if w := simulate(p, Scenario{Seed: 1}); w != (Waits{}) {
		t.Errorf("%+v", w)
	}
}
