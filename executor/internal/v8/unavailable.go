//go:build !cgo || !(linux || darwin)

package v8

// Available is nil when this build can run JavaScript.
func Available() error { return ErrUnavailable }
