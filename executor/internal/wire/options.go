package wire

import (
	"flag"
	"fmt"
	"io"
)

// Options are what a worker process is told on its command line, after its name. The zero value is a worker with the
// engine's own limits.
type Options struct {
	// Memory is the limit in bytes of what a program may use; 0 is none. The worker takes it as the size of the
	// heap, and has the kernel refuse memory well past it. The pool's own watch on the process is the bound.
	Memory int64
	// StackKiB is the size of the JavaScript stack; 0 is the engine's own, just under a megabyte.
	StackKiB int
	// Jitless makes the engine interpret everything, for a hardened profile.
	Jitless bool
	// Mailbox says that MailboxDescriptor is a mailbox beside the pipes.
	Mailbox bool
}

// Args is the command line that ParseOptions reads.
func (o Options) Args() []string {
	var args []string
	if o.Memory > 0 {
		args = append(args, fmt.Sprintf("-memory=%d", o.Memory))
	}
	if o.StackKiB > 0 {
		args = append(args, fmt.Sprintf("-stack=%d", o.StackKiB))
	}
	if o.Jitless {
		args = append(args, "-jitless")
	}
	if o.Mailbox {
		args = append(args, "-mailbox")
	}
	return args
}

// ParseOptions reads the command line of a worker process.
func ParseOptions(args []string) (Options, error) {
	var o Options
	flags := flag.NewFlagSet(ProcessName, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Int64Var(&o.Memory, "memory", 0, "")
	flags.IntVar(&o.StackKiB, "stack", 0, "")
	flags.BoolVar(&o.Jitless, "jitless", false, "")
	flags.BoolVar(&o.Mailbox, "mailbox", false, "")
	if err := flags.Parse(args); err != nil {
		return Options{}, fmt.Errorf("the worker's command line: %w", err)
	}
	return o, nil
}
