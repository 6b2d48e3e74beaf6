//go:build !cgo || !(linux || darwin)

package worker

func serve([]string) error { return Available() }
