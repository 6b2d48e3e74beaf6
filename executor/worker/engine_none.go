//go:build !cgo || !(linux || darwin)

package worker

// Engine is the JavaScript engine's name and version, "none" in a build without one.
func Engine() string { return "none" }
