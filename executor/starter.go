package executor

import (
	"bytes"
	"os"
	"runtime"
	"sync"
	"time"
)

// starter starts child processes on one thread that outlives them: Linux sends a child its parent-death signal when
// the thread that forked it ends, and Go's threads come and go.
type starter struct {
	jobs chan func()
	done chan struct{}
}

func newStarter() *starter {
	s := &starter{jobs: make(chan func()), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *starter) run() {
	defer close(s.done)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range s.jobs {
		job()
	}
}

// do runs f on the thread and waits for it.
func (s *starter) do(f func()) {
	finished := make(chan struct{})
	s.jobs <- func() {
		defer close(finished)
		f()
	}
	<-finished
}

func (s *starter) stop() {
	close(s.jobs)
	<-s.done
}

// tail keeps the end of what a child writes to stderr, for reports of its death. Of the stacks that Go's runtime writes when
// it gives up only the beginning is kept: the reason stands before them.
type tail struct {
	file    *os.File
	done    sync.WaitGroup
	kept    []byte
	dumping bool
}

const (
	tailBytes  = 4 << 10
	stackBytes = 1 << 10
)

func (t *tail) add(data []byte) {
	if t.dumping {
		return
	}
	t.kept = append(t.kept, data...)
	if at := bytes.Index(t.kept, []byte("\ngoroutine ")); at >= 0 {
		t.dumping = true
		t.kept = t.kept[:min(len(t.kept), at+stackBytes)]
	}
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
}

// follow reads file, which the tail then owns, until its end.
func (t *tail) follow(file *os.File) {
	t.file = file
	t.done.Go(func() {
		buffer := make([]byte, tailBytes)
		for {
			n, err := file.Read(buffer)
			t.add(buffer[:n])
			if err != nil {
				return
			}
		}
	})
}

// close returns what was kept, once the child is dead.
func (t *tail) close() string {
	t.file.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // should something else hold its other end
	t.done.Wait()
	t.file.Close()
	return string(t.kept)
}
