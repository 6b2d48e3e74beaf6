//go:build cgo && linux

package main

import "testing"

// TestMeasuring: a run, its calls and its memory cost something. What a trivial run costs at the host is less than what else
// that process does meanwhile. The start of a worker, which is taken off, costs some ten milliseconds more or less each time, and more
// for the first: so many runs that it does not count.
func TestMeasuring(t *testing.T) {
	if _, err := used(1, `async () => 1`); err != nil {
		t.Fatal(err)
	}
	trivial, err := cost(100, `async () => 1`)
	if err != nil || trivial.workers <= 0 {
		t.Errorf("a trivial run costs %+v, %v", trivial, err)
	}
	calling, err := cost(20, `async () => { for (let i = 0; i < 500; i++) await api.f(i) }`)
	if err != nil || calling.workers <= trivial.workers || calling.process <= trivial.process {
		t.Errorf("500 calls cost %+v, a trivial run %+v: %v", calling, trivial, err)
	}
	if idle := memory(); idle <= 0 {
		t.Errorf("this process has %v MB", idle)
	}
}
