//go:build cgo && (linux || darwin)

package worker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// forced is how many times a worker has collected garbage by itself in its life, in which it runs programs one after the other.
func forced(t *testing.T, programs ...string) int {
	t.Helper()
	var c *child
	t.Run("a worker", func(t *testing.T) { // which has said everything when it has ended
		c = startChildIn(t, []string{"GODEBUG=gctrace=1"}, wire.Options{})
		text, err := json.Marshal(header())
		if err != nil {
			t.Fatal(err)
		}
		// All at once: one that waits for long gives memory back.
		for _, code := range programs {
			if err := c.in.Write(wire.Run, text, []byte(code), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.in.Flush(); err != nil {
			t.Fatal(err)
		}
		for range programs {
			if frame := c.read(); frame.Kind != wire.Done || string(frame.Fields[1]) != "1" {
				t.Fatalf("a frame of kind %d: %s", frame.Kind, frame.Fields)
			}
			c.awaitReady()
		}
	})
	return strings.Count(c.stderr.String(), "(forced)")
}

// A collection beside a program takes the processor of whoever answers its calls, and one after each program that left little
// takes longer than the program.
func TestGarbageIsCollectedBetweenPrograms(t *testing.T) {
	little := "async () => 1"
	much := little + " //" + strings.Repeat("x", 3<<19)
	start := forced(t)
	if n := forced(t, little, little, little); n != start {
		t.Errorf("after programs that leave little it collects %d times", n-start)
	}
	if n := forced(t, little, much, little, much, little); n != start+2 {
		t.Errorf("after two programs that leave much it collects %d times", n-start)
	}
}
