package jail

import (
	"errors"
	"slices"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// allowed are the system calls of a process that computes: memory, threads, time, and the pipes it has. A name that an
// architecture has not is passed over.
var allowed = []string{
	"brk", "madvise", "membarrier", "mincore", "mmap", "mprotect", "mremap", "munmap", "pkey_alloc", "pkey_free", "pkey_mprotect",
	"exit", "exit_group", "futex", "get_robust_list", "getpid", "gettid", "restart_syscall", "rseq", "rt_sigaction", "rt_sigpending",
	"rt_sigprocmask", "rt_sigreturn", "rt_sigtimedwait", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_yield",
	"set_robust_list", "set_tid_address", "sigaltstack",
	"clock_getres", "clock_gettime", "clock_nanosleep", "getcpu", "getrandom", "getrlimit", "getrusage", "gettimeofday", "nanosleep",
	"sysinfo", "time", "times", "uname",
	"close", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "fstat", "lseek", "poll", "ppoll", "pread64", "read", "readv",
	"write", "writev",
}

// deadly are calls that neither Go nor the C library nor the engine makes here.
var deadly = []string{
	"execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev", "kill", "tkill", "pidfd_open", "pidfd_getfd",
	"pidfd_send_signal", "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg", "recvfrom",
	"recvmsg", "recvmmsg", "mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "open_tree", "move_mount", "fsopen", "fsmount",
	"init_module", "finit_module", "delete_module", "kexec_load", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
	"io_uring_register", "keyctl", "add_key", "request_key", "open_by_handle_at", "setuid", "setgid", "setresuid", "setresgid", "setreuid",
	"setregid", "setgroups", "capset", "personality", "reboot", "swapon", "swapoff", "seccomp", "shmget", "shmat", "msgget", "semget",
}

// filterCalls installs the filter in all threads.
func filterCalls() error {
	table, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	known := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := table.SyscallNames[name]; return !ok })
	}
	only := func(name string, argument uint32, operation seccomp.Operation, value uint64) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{{Argument: argument, Operation: operation, Value: value}}}
	}
	conditional := []seccomp.NameWithConditions{
		only("clone", 0, seccomp.BitsSet, unix.CLONE_THREAD),
		only("fcntl", 1, seccomp.Equal, unix.F_GETFL),
		only("prctl", 0, seccomp.Equal, unix.PR_SET_NAME),
		only("prctl", 0, seccomp.Equal, unix.PR_SET_VMA),
		only("prlimit64", 2, seccomp.Equal, 0), // reading a limit
		only("tgkill", 0, seccomp.Equal, uint64(unix.Getpid())),
	}
	// The flags of clone3 are in memory, where a filter cannot look: without it the C library uses clone.
	absent := seccomp.Action(uint32(seccomp.ActionErrno)&^0xffff | uint32(unix.ENOSYS))
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno,
			Syscalls: []seccomp.SyscallGroup{
				{Action: seccomp.ActionAllow, Names: known(allowed), NamesWithCondtions: conditional},
				{Action: seccomp.ActionKillProcess, Names: known(deadly)},
				{Action: absent, Names: known([]string{"clone3"})},
			},
		},
	})
}

// isUnsupported tells a kernel without the filter from a mistake.
func isUnsupported(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) && !seccomp.Supported()
}
