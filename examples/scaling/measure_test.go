//go:build cgo && linux

package main

import "testing"

// TestMeasuring: a run, its calls and its memory cost something. What a trivial run costs at the host is less than what else
// that process does meanwhile.
func TestMeasuring(t *testing.T) {
	trivial, err := cost(10, `async () => 1`)
	if err != nil || trivial.workers <= 0 {
		t.Errorf("a trivial run costs %+v, %v", trivial, err)
	}
	calling, err := cost(2, `async () => { for (let i = 0; i < 500; i++) await api.f(i) }`)
	if err != nil || calling.workers <= trivial.workers || calling.process <= trivial.process {
		t.Errorf("500 calls cost %+v, a trivial run %+v: %v", calling, trivial, err)
	}
	if idle := memory(); idle <= 0 {
		t.Errorf("this process has %v MB", idle)
	}
}
