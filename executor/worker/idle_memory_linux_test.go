//go:build cgo

package worker_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// What a worker holds does not grow with the number of programs, and one that waits gives back what they have left.
func TestIdleMemoryStaysFlat(t *testing.T) {
	c := startChild(t, wire.Options{Memory: 192 << 20})
	c.check("async () => 1", "1")
	first := c.ready.Anonymous
	for range 120 {
		c.check("async () => 1", "1")
	}
	c.check(`async () => "x".repeat(20 << 20).length`, "20971520")
	c.check(`async () => { const all = []; for (let i = 0; i < 50; i++) all.push(await codemode.echo("y".repeat(1 << 20))); return all.length }`, "50")
	c.check("async () => 1", "1")
	if grown := c.ready.Anonymous - first; grown > 13<<20 {
		t.Errorf("%d bytes after one program, %d more after 123 others", first, grown)
	}
	rested := time.Now().Add(time.Minute)
	for c.anonymous() > first+2<<20 {
		if time.Now().After(rested) {
			t.Fatalf("%d bytes after one program, %d more in a worker that waits", first, c.anonymous()-first)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// anonymous is what the worker's process holds of memory of its own, in bytes.
func (c *child) anonymous() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.command.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		c.t.Fatal(err)
	}
	return (resident - shared) * int64(os.Getpagesize())
}
