//go:build cgo

package worker

import "golang.org/x/sys/unix"

func widen(int) {} // the system widens pipes by itself

func dup2(from, to int) error { return unix.Dup2(from, to) }
