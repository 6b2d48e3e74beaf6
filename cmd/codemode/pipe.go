package main

import (
	"os"
	"os/signal"
	"syscall"
)

// survivePipes makes writing to a standard output that nobody reads any more an error like any other: by default the
// process would end on the spot, and leave its children and its files as they are. The signal is caught and not ignored,
// because an ignored one is handed down to every program that we start.
func survivePipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
