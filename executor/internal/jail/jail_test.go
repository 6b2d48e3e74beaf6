//go:build linux

package jail_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/codemode-go/codemode/executor/internal/jail"
)

// TestMain is also the child: under the name jail-probe it enters the jail and tries one thing.
func TestMain(m *testing.M) {
	if os.Args[0] != "jail-probe" {
		os.Exit(m.Run())
	}
	probes := probes()
	keep, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	c, err := jail.Enter(jail.Options{Memory: 64 << 20, Keep: []int{keep}})
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	if os.Args[1] == "in force" {
		fmt.Println(strings.Join(c.InForce, " "), c.Anonymous() > 1<<20)
		os.Exit(0)
	}
	err = probes[os.Args[1]]()
	fmt.Println(err)
	os.Exit(0)
}

// probes are what a program that broke out of its engine might try. Whatever they need is made before the jail.
func probes() map[string]func() error {
	spare := []unix.PollFd{{}}
	return map[string]func() error{
		"open":      func() error { _, err := os.Open("/etc/passwd"); return err },
		"create":    func() error { _, err := os.Create("/tmp/jail-probe"); return err },
		"directory": func() error { _, err := os.ReadDir("/"); return err },
		"dial":      func() error { _, err := net.Dial("tcp", "127.0.0.1:1"); return err },
		"socket":    func() error { _, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
		"exec":      func() error { return syscall.Exec("/bin/true", []string{"true"}, nil) },
		"fork": func() error {
			pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
			if errno == 0 && pid == 0 {
				unix.Exit(0)
			}
			return errno
		},
		"ptrace": func() error { return syscall.PtraceAttach(os.Getppid()) },
		"kill":   func() error { return unix.Kill(os.Getppid(), 0) },
		"signal": func() error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) },
		"pipe":   func() error { var fds [2]int; return unix.Pipe(fds[:]) },
		"limits": func() error {
			return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 100, Max: 100})
		},
		"inherited": func() error { _, err := unix.FcntlInt(9, unix.F_GETFL, 0); return err },
		"kept":      func() error { _, err := unix.FcntlInt(8, unix.F_GETFL, 0); return err },
		"poll":      func() error { _, err := unix.Poll(spare[:0], 1); return err },
		"threads": func() error {
			done := make(chan int)
			for range 20 {
				go func() { runtime.LockOSThread(); done <- unix.Gettid() }()
			}
			seen := map[int]bool{}
			for range 20 {
				seen[<-done] = true
			}
			if len(seen) < 2 {
				return errors.New("no thread was made")
			}
			return nil
		},
		"memory": func() error {
			var all [][]byte
			for range 100 {
				data, err := unix.Mmap(-1, 0, 16<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
				if err != nil {
					return err
				}
				all = append(all, data)
			}
			runtime.KeepAlive(all)
			return nil
		},
	}
}

// probe runs a child that tries one thing, and returns what it said, or how it died.
func probe(t *testing.T, name string) string {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	c := &exec.Cmd{Path: executable, Args: []string{"jail-probe", name, "8"}, ExtraFiles: []*os.File{8 - 3: null, 9 - 3: null}}
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status, ok := exit.Sys().(syscall.WaitStatus)
		if ok && status.Signaled() {
			return status.Signal().String()
		}
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestWhatIsDenied(t *testing.T) {
	for name, want := range map[string]string{
		"open":      "open /etc/passwd: operation not permitted",
		"create":    "open /tmp/jail-probe: operation not permitted",
		"directory": "open /: operation not permitted",
		"dial":      "bad system call",
		"socket":    "bad system call",
		"exec":      "bad system call",
		"fork":      "operation not permitted",
		"ptrace":    "bad system call",
		"kill":      "bad system call",
		"signal":    "operation not permitted",
		"pipe":      "operation not permitted",
		"limits":    "operation not permitted",
		"inherited": "bad file descriptor",
		"memory":    "cannot allocate memory",
		"kept":      "<nil>",
		"poll":      "<nil>",
		"threads":   "<nil>",
	} {
		if got := probe(t, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestInForce(t *testing.T) {
	fields := strings.Fields(probe(t, "in force"))
	for _, want := range []string{"descriptors", "limits", "memory", "undumpable", "capabilities", "no_new_privs", "seccomp", "true"} {
		if !slices.Contains(fields, want) {
			t.Errorf("%s is not in force: %v", want, fields)
		}
	}
}
