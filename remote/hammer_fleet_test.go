//go:build cgo && linux

package remote_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// fleet is the daemons of the soak: real processes, at addresses that they come back to.
type fleet struct {
	binary  string
	daemons []*hammered
}

// hammered is one of them.
type hammered struct {
	address string
	args    []string
	binary  string

	mu   sync.Mutex // held while it is started and ended
	cmd  *exec.Cmd
	done chan struct{}
	said string // its newest line on standard error
}

func newFleet(t *testing.T, size int) *fleet {
	t.Helper()
	f := &fleet{binary: linked(t)}
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("hammer "+hammeredToken+"\npest "+pestToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range size {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		listener.Close()
		d := &hammered{address: address, binary: f.binary, args: []string{"daemon", "--listen", address, "--token-file", tokens, "--workers", "2",
			"--memory", "50331648", "--drain-timeout", "1s", "--log-level", "error"}}
		f.daemons = append(f.daemons, d)
		t.Cleanup(d.kill)
		d.start()
	}
	for _, d := range f.daemons {
		eventuallyFine(t, "daemon "+d.address, d.ready)
	}
	return f
}

func (f *fleet) urls() []string {
	var urls []string
	for _, d := range f.daemons {
		urls = append(urls, "ws://"+d.address)
	}
	return urls
}

func (f *fleet) any() *hammered { return f.daemons[rand.IntN(len(f.daemons))] }

// start starts it unless it runs. It does not wait until it listens.
func (d *hammered) start() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.done != nil {
		select {
		case <-d.done:
		default:
			return
		}
	}
	cmd := exec.Command(d.binary, d.args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := cmd.StderrPipe()
	if err != nil || cmd.Start() != nil {
		return // ready says so
	}
	done := make(chan struct{})
	d.cmd, d.done = cmd, done
	go func() { // ends with the process
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			d.mu.Lock()
			d.said = lines.Text()
			d.mu.Unlock()
		}
		_ = cmd.Wait() // it is killed, which is no news
		close(done)
	}()
}

// ready says why it is not.
func (d *hammered) ready() string {
	response, err := http.Get("http://" + d.address + "/readyz")
	if err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		return fmt.Sprintf("%v; it said %q", err, d.said)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.Status
	}
	return ""
}

func (d *hammered) signal(s syscall.Signal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd != nil {
		_ = d.cmd.Process.Signal(s) // it may have ended
	}
}

// kill ends it as kill -9 does, and waits for its end.
func (d *hammered) kill() {
	d.signal(syscall.SIGCONT)
	d.signal(syscall.SIGKILL)
	d.mu.Lock()
	done := d.done
	d.mu.Unlock()
	if done != nil {
		<-done
	}
}

// disturb does something to a daemon now and then, and brings it back.
func (f *fleet) disturb(until context.Context, report *hammerReport) {
	wait := func(most time.Duration) {
		select {
		case <-time.After(rand.N(most)):
		case <-until.Done():
		}
	}
	for wait(4 * time.Second); until.Err() == nil; wait(4 * time.Second) {
		d := f.any()
		switch rand.IntN(5) {
		case 0:
			report.add("daemons", "killed while it served")
			d.kill()
		case 1:
			report.add("daemons", "killed while it drained")
			d.signal(syscall.SIGTERM)
			wait(300 * time.Millisecond)
			d.kill()
		case 2:
			report.add("daemons", "killed while it started")
			d.kill()
			d.start()
			wait(100 * time.Millisecond)
			d.kill()
		case 3:
			report.add("daemons", "drained")
			d.signal(syscall.SIGTERM)
			wait(2 * time.Second)
			d.kill()
		case 4:
			report.add("daemons", "stopped for a while")
			d.signal(syscall.SIGSTOP)
			wait(300 * time.Millisecond)
			d.signal(syscall.SIGCONT)
		}
		wait(500 * time.Millisecond)
		d.start()
	}
}

// mend ends the disturbances.
func (f *fleet) mend(t *testing.T) {
	t.Helper()
	for _, d := range f.daemons {
		d.start()
		eventuallyFine(t, "daemon "+d.address, d.ready)
	}
}

// requireRest: no session and no run of anybody is left, and the memory is that of a daemon.
func (f *fleet) requireRest(t *testing.T, report *hammerReport) {
	t.Helper()
	for _, d := range f.daemons {
		for _, name := range []string{"codemode_runs_running", "codemode_runs_waiting", "codemode_sessions"} {
			eventuallyFine(t, "no "+name, func() string {
				value, err := metricOf(d.address, name)
				if err == nil && value == "0" {
					return ""
				}
				return fmt.Sprintf("%s, %v", value, err)
			})
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
		if err != nil {
			t.Error(err)
		}
		var peak int
		for line := range strings.Lines(string(status)) {
			if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				fmt.Sscan(text, &peak)
			}
		}
		report.peak = max(report.peak, peak>>10)
		if peak > 600<<10 {
			t.Errorf("daemon %s had %d MB", d.address, peak>>10)
		}
	}
}

// stop drains the daemons; no process of theirs may outlive them.
func (f *fleet) stop(t *testing.T) {
	t.Helper()
	for _, d := range f.daemons {
		d.signal(syscall.SIGTERM)
		select {
		case <-d.done:
			if !d.cmd.ProcessState.Success() {
				t.Errorf("daemon %s: %v; it said %q", d.address, d.cmd.ProcessState, d.said)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("daemon %s does not end", d.address)
		}
	}
	eventuallyFine(t, "no process is left", func() string {
		var left []string
		links, _ := filepath.Glob("/proc/[0-9]*/exe")
		for _, link := range links {
			if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, f.binary) {
				left = append(left, link)
			}
		}
		return strings.Join(left, " ")
	})
}
