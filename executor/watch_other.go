//go:build !linux

package executor

import "time"

// sampler has nothing to read here: the engine's own heap limit and the timeout stand alone (see the package's Limits).
type sampler struct{}

// sample is what a process uses at one moment.
type sample struct {
	memory int64
	cpu    time.Duration
}

func newSampler(int) (*sampler, error) { return &sampler{}, nil }

func (*sampler) read() (sample, error) { return sample{}, nil }

func (*sampler) cpu() time.Duration { return 0 }

func (*sampler) close() {}
