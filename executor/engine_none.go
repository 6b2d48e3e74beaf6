//go:build !(cgo && (linux || darwin) && (amd64 || arm64))

package executor

// hasEngine says that worker.Main of this build has an engine.
const hasEngine = false
