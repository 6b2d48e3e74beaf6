//go:build !unix

package main

import "errors"

// measure counts processor time, as unix has it.
func measure() (Measured, error) { return Measured{}, errors.New("measuring needs Linux") }
