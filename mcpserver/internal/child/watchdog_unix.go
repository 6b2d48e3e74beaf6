//go:build unix

package child

import (
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

//go:embed watchdog.sh
var watchdogScript string

// watchdog is a shell outside our session that ends the groups it was told of, and what left them, when we die without
// saying goodbye. The
// zero watchdog does nothing.
type watchdog struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

// startWatchdog starts one for the children that carry a marker.
func startWatchdog(marker string) (*watchdog, error) {
	cmd := exec.Command("/bin/sh", "-c", watchdogScript, "codemode-watchdog", marker)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &watchdog{cmd: cmd, stdin: stdin}, nil
}

// add and remove lose nothing but the watch when the watchdog itself has died.
func (w *watchdog) add(group int)    { w.tell("+", group) }
func (w *watchdog) remove(group int) { w.tell("-", group) }

func (w *watchdog) tell(op string, group int) {
	if w.stdin != nil {
		_, _ = fmt.Fprintln(w.stdin, op, group)
	}
}

// close ends the watchdog; it has no groups left then.
func (w *watchdog) close() {
	if w.cmd != nil {
		w.stdin.Close()
		_ = w.cmd.Wait()
	}
}
