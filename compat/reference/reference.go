// Package reference runs the real reference: a release of npm @cloudflare/codemode on the real runtime, workerd, with a
// Worker Loader binding.
//
// Two nouns. A release is one of the npm package's that the lock file pins. A [Server] is one workerd process that
// serves one release on a loopback port of its own, one execute a request.
//
//	server, err := reference.Start(ctx, "0.5.6", nil)
//	if errors.Is(err, reference.ErrNotInstalled) { … } // npm ci has not run here
//	defer server.Close()
//	outcome, err := server.Run(ctx, caseText)
//
// # Lifetime
//
// The process ends with Close, and with this process, whichever way that ends (on Linux). Its files are in a directory
// that Close removes.
//
// # Limits
//
// workerd runs one thread and bounds neither time nor memory of a program: a synchronous endless loop, a catastrophic
// regular expression or heap growth takes the server down. Such cases say "reference": false.
package reference

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

//go:embed worker
var workerFiles embed.FS

// ErrNotInstalled says that the npm packages of the lock file are not there.
var ErrNotInstalled = errors.New("the reference's npm packages are not installed: run npm ci in compat/reference")

// Releases lists the releases that the lock file pins, newest first.
func Releases() []string { return []string{"0.5.6", "0.4.4", "0.3.8", "0.2.2"} }

// Options adjusts Start. The zero value is the repository's own installation.
type Options struct {
	// Dir has node_modules; default is this package's directory, found from its source file.
	Dir string
	// Stderr receives what the runtime writes; nil discards.
	Stderr io.Writer
}

// Server is one workerd process that serves one release. It is safe for concurrent use.
type Server struct {
	release string
	url     string
	dir     string
	// kill ends the process; it waits until it has ended. Nil until it runs.
	kill   func()
	pid    int
	client *http.Client
	close  sync.Once
}

// startTimeout bounds the time until the process listens; it takes 0.1 s on an idle machine.
const startTimeout = 30 * time.Second

// Start bundles the worker for one release, starts workerd and waits until it listens.
func Start(ctx context.Context, release string, options *Options) (*Server, error) {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Dir == "" {
		_, file, _, _ := runtime.Caller(0)
		o.Dir = filepath.Dir(file)
	}
	binary, err := workerd(o.Dir)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "codemode-reference-")
	if err != nil {
		return nil, err
	}
	s := &Server{release: release, dir: dir, client: &http.Client{}}
	if err := writeWorker(dir, o.Dir, release); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.start(ctx, binary, o.Stderr); err != nil {
		return nil, errors.Join(fmt.Errorf("starting workerd: %w", err), s.Close())
	}
	return s, nil
}

// workerd finds the runtime's binary.
func workerd(dir string) (string, error) {
	arch := map[string]string{"amd64": "64", "arm64": "arm64"}[runtime.GOARCH]
	binary := filepath.Join(dir, "node_modules", "@cloudflare", "workerd-"+runtime.GOOS+"-"+arch, "bin", "workerd")
	if _, err := os.Stat(binary); err != nil {
		return "", fmt.Errorf("%w (%w)", ErrNotInstalled, err)
	}
	return binary, nil
}

// writeWorker puts the bundle for a release, the stub and the configuration into dir.
func writeWorker(dir, modules, release string) error {
	sources := filepath.Join(dir, "src")
	if err := os.CopyFS(sources, workerFiles); err != nil {
		return err
	}
	bundle := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(sources, "worker", "worker.js")},
		Outfile:     filepath.Join(dir, "main.js"),
		Alias:       map[string]string{"codemode": "codemode-" + release},
		NodePaths:   []string{filepath.Join(modules, "node_modules")},
		Conditions:  []string{"workerd", "worker", "browser", "import"},
		External:    []string{"cloudflare:*", "node:*"},
		Format:      api.FormatESModule,
		Target:      api.ESNext,
		Bundle:      true,
		Write:       true,
	})
	if len(bundle.Errors) > 0 {
		e := bundle.Errors[0]
		return fmt.Errorf("bundling release %s: %s", release, e.Text)
	}
	for _, name := range []string{"stub.js", "config.capnp"} {
		if err := os.Rename(filepath.Join(sources, "worker", name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// start runs the process and reads from its control pipe which port it listens on.
func (s *Server) start(ctx context.Context, binary string, stderr io.Writer) error {
	control, child, err := os.Pipe()
	if err != nil {
		return err
	}
	defer control.Close()
	process := exec.Command(binary, "serve", "--experimental", "--control-fd=3", filepath.Join(s.dir, "config.capnp"))
	process.ExtraFiles = []*os.File{child}
	process.Stderr = stderr
	process.SysProcAttr = dieWithParent()
	s.kill, err = keep(process)
	child.Close()
	if err != nil {
		return err
	}
	s.pid = process.Process.Pid
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { control.Close() })()
	return s.awaitPort(ctx, control)
}

// keep starts a process on a thread that lives as long as it does, since dieWithParent counts the end of the starting
// thread as the parent's.
func keep(process *exec.Cmd) (kill func(), err error) {
	started, ended := make(chan error), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := process.Start()
		started <- err
		if err == nil {
			_ = process.Wait() // it is killed, which is no news
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return func() {
		_ = process.Process.Kill()
		<-ended
	}, nil
}

func (s *Server) awaitPort(ctx context.Context, control io.Reader) error {
	for lines := bufio.NewScanner(control); lines.Scan(); {
		var event struct {
			Event string `json:"event"`
			Port  int    `json:"port"`
		}
		if json.Unmarshal(lines.Bytes(), &event) == nil && event.Event == "listen" {
			s.url = fmt.Sprintf("http://127.0.0.1:%d", event.Port)
			return nil
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.New("it ended before it listened")
}

// Release is the release that the server serves.
func (s *Server) Release() string { return s.release }

// Run runs one case, the text of a request in the case format, and returns its outcome in the form of the expected
// files, with "calls" and "typed" beside it.
func (s *Server) Run(ctx context.Context, caseText []byte) (json.RawMessage, error) {
	var outcome json.RawMessage
	err := s.post(ctx, "/run", json.RawMessage(caseText), &outcome)
	return outcome, err
}

// Repeat runs a case so many times, so many at a time, within one request, so that what HTTP costs hardly counts.
func (s *Server) Repeat(ctx context.Context, caseText []byte, times, concurrency int) error {
	request := map[string]any{"case": json.RawMessage(caseText), "times": times, "concurrency": concurrency}
	return s.post(ctx, "/repeat", request, &struct{}{})
}

// PID is the runtime's process, whose memory can be read.
func (s *Server) PID() int { return s.pid }

// Normalized is the reference's normalizeCode of one text; Threw is what it threw instead.
type Normalized struct {
	Text  string `json:"text"`
	Threw string `json:"threw"`
}

// Normalize runs the reference's normalizeCode over texts.
func (s *Server) Normalize(ctx context.Context, texts []string) ([]Normalized, error) {
	var out []Normalized
	err := s.post(ctx, "/normalize", texts, &out)
	return out, err
}

// Sanitize runs the reference's sanitizeToolName over names.
func (s *Server) Sanitize(ctx context.Context, names []string) ([]string, error) {
	var out []string
	err := s.post(ctx, "/sanitize", names, &out)
	return out, err
}

func (s *Server) post(ctx context.Context, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the reference answered %s: %.200s", response.Status, answer)
	}
	return json.Unmarshal(answer, into)
}

// Close ends the process and removes its files. It is idempotent.
func (s *Server) Close() error {
	var err error
	s.close.Do(func() {
		s.client.CloseIdleConnections()
		if s.kill != nil {
			s.kill()
		}
		err = os.RemoveAll(s.dir)
	})
	return err
}
