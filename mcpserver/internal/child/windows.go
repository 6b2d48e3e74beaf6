//go:build windows

package child

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

const createNoWindow = 0x08000000

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{CreationFlags: createNoWindow} }

// widen does nothing: a pipe's size is fixed here.
func widen(*os.File) {}

// terminate does nothing: Windows has no signal that asks a console program without a window to end.
func terminate(int) {}

func kill(pid int) { _ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run() }

// endGroup does nothing: once the first process is gone, its tree can no longer be told from other processes.
func endGroup(int, time.Duration) {}

// watchdog has no counterpart here; the servers see their input close.
type watchdog struct{}

func startWatchdog(string) (*watchdog, error) { return &watchdog{}, nil }
func (*watchdog) add(int)                     {}
func (*watchdog) remove(int)                  {}
func (*watchdog) close()                      {}
