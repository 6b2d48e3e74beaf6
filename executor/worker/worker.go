// Package worker is the process that runs programs: one V8 isolate, one program at a time, a fresh isolate each.
//
// A pool starts the program it lives in once more under the name wire.ProcessName, and [Main], called first thing in
// that program's main, becomes the worker. It confines itself, makes an isolate with the web platform in it and waits
// for a Run frame; when the program has settled it answers Done, throws the isolate away and makes the next.
//
//	func main() {
//		worker.Main() // returns at once unless this process is a worker
//		…
//	}
//
// Standard input carries frames in, standard output frames out, descriptor 3 control bytes, descriptor 4 is a mailbox if there is
// one (see package wire), and standard error carries what the engine says when it crashes. The environment is not read.
//
// # Lifetime
//
// The goroutine that called Main is locked to the process's first thread, runs all JavaScript and itself waits for
// frames and timers; a second one listens for control bytes. The process ends when standard input or the control pipe
// does, or when its parent dies.
//
// # Limits
//
// The worker bounds what it can see from inside: sizes, counts, the JavaScript stack. Clocks and memory are bounded by
// the pool, which terminates the program or kills the process. A program that has broken out of the engine meets what
// package jail has left of the operating system.
package worker

import (
	"fmt"
	"os"

	"github.com/codemode-go/codemode/executor/internal/v8"
	"github.com/codemode-go/codemode/executor/internal/wire"
)

// Available is nil when this build can run JavaScript, and says why not otherwise.
func Available() error { return v8.Available() }

// Main returns at once, except in a process that a pool started as its worker: there it serves the pool, and exits the
// process at the end. Call it before anything else in main, and in TestMain of tests that use a pool.
func Main() {
	if len(os.Args) == 0 || os.Args[0] != wire.ProcessName {
		return
	}
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", wire.ProcessName, err)
		os.Exit(1)
	}
	os.Exit(0)
}
