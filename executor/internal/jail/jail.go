// Package jail takes from the calling process what a process that runs hostile code needs no more.
//
// [Enter] confines the whole process, all its threads, for good, and returns a [Confinement] that lists what is in
// force. A worker calls it once its engine is up and before any program has run.
//
//	confinement, err := jail.Enter(jail.Options{Memory: 128 << 20, Keep: []int{4, 5}})
//	confinement.InForce // ["descriptors" "no_new_privs" "landlock" "seccomp" …]
//
// On linux these are
//
//	namespaces    the process has a user, mount, network, IPC and host name namespace of its own: no network device, no
//	              mount that spreads, nobody's user (a process under the worker's name enters them before Go starts)
//	capabilities  none, in its own namespace either
//	descriptors   whatever was inherited beside 0, 1, 2 and Keep is closed, and no new descriptor can be made
//	limits        no core dump, no file written, no memory locked
//	memory        the kernel refuses memory well past Options.Memory
//	undumpable    the process cannot be traced or read by others of its user
//	no_new_privs  no program it could execute would gain rights
//	landlock      no path, no TCP port, no abstract socket, no signal to others, as far as the kernel has it
//	seccomp       an allow-list of system calls
//
// A system call that only an attack would make (execve, socket, ptrace, fork, mount …) kills the process; any other that
// is not on the list, open among them, fails with EPERM, since the C library and the engine try some and can do without.
//
// On darwin only limits is in force.
//
// # Limits
//
// What the system does not have or forbids is left out, and InForce says so: the caller decides what it can live without.
// There is no process namespace: one would be of children only, and there can be none. The
// parent-death signal is not used, because it follows the parent's thread, and a Go program's threads come and go: a
// worker ends when its pipes do.
package jail

// Options of Enter.
type Options struct {
	// Memory is how many bytes a program may use; 0 means that there is no such bound. The kernel's is slack above.
	Memory int64
	// Keep are the descriptors that stay open, beside 0, 1 and 2.
	Keep []int
}

// slack is what the process may need over Options.Memory: a second heap while one isolate follows another, Go's
// arenas, buffers of frames. The bound is a backstop behind the pool's own watch, which is exact.
const slack = 256 << 20
