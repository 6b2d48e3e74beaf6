package wire

// ProcessName is argv[0] of a worker process. The pool starts the program it lives in once more under this name, and
// executor/worker.Main serves a pool exactly when it finds it.
const ProcessName = "codemode-worker"

// ControlDescriptor is the descriptor of the control pipe in a worker process. Its end, like the end of stdin, means
// that the pool is gone.
const ControlDescriptor = 3

// MailboxDescriptor is the descriptor of the mailbox, if there is one (Options.Mailbox). A worker closes it before any program.
const MailboxDescriptor = 4
