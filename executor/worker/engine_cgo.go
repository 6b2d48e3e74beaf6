//go:build cgo && (linux || darwin)

package worker

import "github.com/codemode-go/codemode/executor/internal/v8"

// Engine is the JavaScript engine's name and version, "none" in a build without one.
func Engine() string { return "V8 " + v8.Version() }
