//go:build cgo

package worker_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// A real worker says what confines it, and the kernel says the same of it.
func TestAWorkerIsConfined(t *testing.T) {
	c := startChild(t, wire.Options{Memory: 64 << 20})
	c.check("async () => 1", "1")
	for _, want := range []string{"capabilities", "descriptors", "limits", "memory", "undumpable", "no_new_privs", "seccomp"} {
		if !slices.Contains(c.ready.Jail, want) {
			t.Errorf("%s is not in force: %v", want, c.ready.Jail)
		}
	}
	status := procStatus(t, c.command.Process.Pid)
	for field, want := range map[string]string{"NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0000000000000000", "CapPrm": "0000000000000000"} {
		if status[field] != want {
			t.Errorf("%s is %s, want %s", field, status[field], want)
		}
	}
	if !canUnshare() {
		t.Skip("this system has no namespaces for its users, and CI's need not either: the rest stands without them, and was checked")
	}
	if !slices.Contains(c.ready.Jail, "namespaces") {
		t.Errorf("namespaces are not in force: %v", c.ready.Jail)
	}
	for _, kind := range []string{"user", "mnt", "net", "ipc", "uts"} {
		ours, theirs := namespace(os.Getpid(), kind), namespace(c.command.Process.Pid, kind)
		if theirs != "" && ours == theirs { // a process that cannot be read says nothing
			t.Errorf("the %s namespace is ours: %s", kind, theirs)
		}
	}
}

func canUnshare() bool {
	child := exec.Command("/bin/true")
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET}
	return child.Run() == nil
}

func namespace(pid int, kind string) string {
	link, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, kind))
	return link
}

func procStatus(t *testing.T, pid int) map[string]string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	return fields
}
