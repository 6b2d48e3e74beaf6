package child

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary play the programs that the tests start.
func TestMain(m *testing.M) {
	switch os.Getenv("CHILD_TEST_ROLE") {
	case "":
		os.Exit(m.Run())
	case "deaf": // ignores that its input closes, and SIGTERM
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(os.Getpid())
		time.Sleep(time.Hour)
	case "owner": // starts a launcher and waits to be killed
		s := NewSupervisor(&Options{Grace: 100 * time.Millisecond})
		p, err := s.Start(shell(os.Getenv("CHILD_TEST_SCRIPT"), "CHILD_TEST_ROLE=deaf"))
		if err != nil {
			panic(err)
		}
		_, _ = io.Copy(os.Stdout, p.Stdout)
	}
}

// shell runs a script that finds this test binary in $EXE.
func shell(script string, env ...string) *Command {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return &Command{Name: "sh", Args: []string{"-c", script}, Env: Environment(append(env, "EXE="+exe), false)}
}

func supervisor(t *testing.T) *Supervisor {
	t.Helper()
	s := NewSupervisor(&Options{Grace: 200 * time.Millisecond})
	t.Cleanup(func() {
		s.Close()
		if _, err := s.Start(shell("true")); err == nil {
			t.Error("a closed supervisor started a program")
		}
	})
	return s
}

func start(t *testing.T, s *Supervisor, c *Command) *Process {
	t.Helper()
	p, err := s.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pid reads a line with a process id from the program.
func pid(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// alive reports whether a process runs; one that waits to be reaped by init does not.
func alive(pid int) bool {
	if runtime.GOOS == "linux" {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}

func mustDie(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d is still alive", pid)
		}
	}
}

func TestTalksThroughPipes(t *testing.T) {
	s := supervisor(t)
	p := start(t, s, &Command{Name: "cat", Env: Environment(nil, false)})
	if _, err := io.WriteString(p.Stdin, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(p.Stdout).ReadString('\n'); err != nil || line != "hello\n" {
		t.Errorf("got %q, %v", line, err)
	}
	if p.Status() != "running" {
		t.Error(p.Status())
	}
	p.Stop()
	p.Stop()
	if p.Status() != "exit status 0" {
		t.Error(p.Status())
	}
}

func TestLauncherWithDeafServerLeavesNoOrphan(t *testing.T) {
	s := supervisor(t)
	p := start(t, s, shell(`"$EXE" & wait`, "CHILD_TEST_ROLE=deaf"))
	grandchild := pid(t, bufio.NewReader(p.Stdout))
	p.Stop()
	mustDie(t, grandchild)
}

func TestExitOfLauncherEndsItsGroup(t *testing.T) {
	s := supervisor(t)
	p := start(t, s, shell(`"$EXE" & read go; exit 3`, "CHILD_TEST_ROLE=deaf"))
	out := bufio.NewReader(p.Stdout)
	grandchild := pid(t, out)
	if _, err := io.WriteString(p.Stdin, "go\n"); err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	if p.Status() != "exit status 3" {
		t.Error(p.Status())
	}
	if _, err := out.ReadByte(); err == nil {
		t.Error("the output did not end")
	}
	mustDie(t, grandchild)
}

// ownSession starts the deaf program in a session of its own, as daemons do, and goes on when it has said its id.
const ownSession = `setsid "$EXE" & read go`

func needSetsid(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		const why = "there is no setsid here, or no /proc to find by what it started"
		if os.Getenv("CI") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
}

func TestProcessWithASessionOfItsOwnEndsWithItsServer(t *testing.T) {
	needSetsid(t)
	s := supervisor(t)
	other := start(t, s, shell(`exec "$EXE"`, "CHILD_TEST_ROLE=deaf"))
	stays := pid(t, bufio.NewReader(other.Stdout))
	p := start(t, s, shell(ownSession, "CHILD_TEST_ROLE=deaf"))
	grandchild := pid(t, bufio.NewReader(p.Stdout))
	p.Stop()
	mustDie(t, grandchild) // it was killed, and may still be on its way out
	if !alive(stays) {
		t.Error("another server's process was ended")
	}
}

func TestGroupsEndWhenWeAreKilled(t *testing.T) {
	t.Run("a launcher's", func(t *testing.T) { killOwner(t, `"$EXE" & wait`) })
	t.Run("with a session of its own", func(t *testing.T) {
		needSetsid(t)
		killOwner(t, ownSession+"; wait")
	})
}

func killOwner(t *testing.T, script string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner := exec.Command(exe)
	owner.Env = append(os.Environ(), "CHILD_TEST_ROLE=owner", "CHILD_TEST_SCRIPT="+script)
	stdout, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	grandchild := pid(t, bufio.NewReader(stdout))
	_ = owner.Process.Kill()
	_ = owner.Wait()
	mustDie(t, grandchild)
}

func TestStderrIsDrainedAndKept(t *testing.T) {
	var log strings.Builder
	s := NewSupervisor(&Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	p := start(t, s, shell(`i=0; while [ $i -lt 4000 ]; do echo "this is the line of number $i" >&2; i=$((i+1)); done; echo done; cat`))
	if line, err := bufio.NewReader(p.Stdout).ReadString('\n'); err != nil || line != "done\n" {
		t.Fatalf("%q %v", line, err)
	}
	s.Close()
	if got, want := p.Stderr(2), "this is the line of number 3998\nthis is the line of number 3999"; got != want {
		t.Errorf("got %q", got)
	}
	if n := strings.Count(log.String(), "this is the line"); n != 4000 {
		t.Errorf("%d lines in the log", n)
	}
}

func TestCloseStopsAll(t *testing.T) {
	s := supervisor(t)
	var pids []int
	for range 3 {
		p := start(t, s, shell(`exec "$EXE"`, "CHILD_TEST_ROLE=deaf"))
		pids = append(pids, pid(t, bufio.NewReader(p.Stdout)))
	}
	s.Close()
	s.Close()
	for _, p := range pids {
		if alive(p) {
			t.Errorf("process %d is alive after Close", p)
		}
	}
}

func TestStartErrorsSayWhatWasTried(t *testing.T) {
	s := supervisor(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "plain")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		c    Command
		want string
	}{
		{Command{Name: "no-such-program", Env: []string{"PATH=" + dir}}, `cannot find the program "no-such-program"; install it or give its full path`},
		{Command{Name: "no-such-program"}, `install it or give its full path`},
		{Command{Name: "node server.js"}, `cannot find the program "node server.js"; arguments belong into args, one by one`},
		{Command{Name: "/no/such/file"}, `cannot start /no/such/file: stat /no/such/file: no such file or directory`},
		{Command{Name: dir}, dir + ` is a directory`},
		{Command{Name: file}, file + ` is not executable`},
		{Command{Name: "sh", Dir: "/no/such/dir"}, `cannot start`},
	} {
		if _, err := s.Start(&tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v:\n got %v\nwant %s", tt.c, err, tt.want)
		}
	}
}

func TestProgramIsFoundAndFindsItsNeighbours(t *testing.T) {
	home := t.TempDir()
	for _, v := range []string{"v9.1.0", "v20.2.1", "v20.10.0"} {
		bin := filepath.Join(home, ".nvm/versions/node", v, "bin")
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"my-npx": "#!/bin/sh\nexec my-node", "my-node": "#!/bin/sh\necho " + v} {
			if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("HOME", home)
	p := start(t, supervisor(t), &Command{Name: "my-npx", Env: []string{"PATH=/usr/bin"}})
	if line, err := bufio.NewReader(p.Stdout).ReadString('\n'); err != nil || line != "v20.10.0\n" {
		t.Errorf("got %q, %v: %s", line, err, p.Stderr(5))
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("MY_SECRET_TOKEN", "x")
	t.Setenv("https_proxy", "http://proxy")
	t.Setenv("LANG", "() { evil; }")
	env := strings.Join(Environment([]string{"A=b"}, false), "\n")
	for name, want := range map[string]bool{"MY_SECRET_TOKEN=x": false, "https_proxy=http://proxy": true, "A=b": true, "LANG=": false, "PATH=": true} {
		if strings.Contains(env, name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if !strings.Contains(strings.Join(Environment(nil, true), "\n"), "MY_SECRET_TOKEN=x") {
		t.Error("inherit leaves something out")
	}
}
