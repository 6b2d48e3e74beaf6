package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/codemode-go/codemode/mcpserver"
)

// pollAudit is how often an audit file is looked at: sooner than a person who has just run something looks up.
const pollAudit = 300 * time.Millisecond

// maxAuditLine bounds one line of an audit file: the calls of a run at their bound, each text escaped, fit.
const maxAuditLine = 256 << 20

// Follower reads the runs of an audit file into a Store, those of the files that were put aside first, and goes on with what is
// written. Make it with NewFollower.
type Follower struct {
	file  string
	store *Store
	warn  func(string)

	open *os.File // nil while there is none
	line int
	rest []byte // of a line that is not whole yet
	skip bool   // the line that rest was of is too long
	most int    // bytes of a line
}

// NewFollower reads what is there. warn is told what is no run; a file that is not there is no error, for the first run makes
// it.
func NewFollower(file string, store *Store, warn func(string)) (*Follower, error) {
	f := &Follower{file: file, store: store, warn: warn, most: maxAuditLine}
	for _, old := range putAside(file) {
		if err := f.readWhole(old); err != nil {
			return nil, err
		}
	}
	if err := f.poll(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close lets the file go.
func (f *Follower) Close() error {
	if f.open == nil {
		return nil
	}
	err := f.open.Close()
	f.open = nil
	return err
}

// Run follows the file until ctx ends. What goes wrong is told, once, and tried again.
func (f *Follower) Run(ctx context.Context) {
	ticker := time.NewTicker(pollAudit)
	defer ticker.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		text := ""
		if err := f.poll(); err != nil {
			text = err.Error()
			if text != last {
				f.warn(text)
			}
		}
		last = text
	}
}

// putAside lists FILE.1, FILE.2 and so on, oldest first.
func putAside(file string) []string {
	names, err := filepath.Glob(globQuoted(file) + ".*")
	if err != nil {
		return nil
	}
	numbers := map[string]int{}
	for _, name := range names {
		if n, err := strconv.Atoi(name[len(file)+1:]); err == nil && n > 0 {
			numbers[name] = n
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return numbers[name] == 0 })
	slices.SortFunc(names, func(a, b string) int { return numbers[b] - numbers[a] })
	return names
}

// globQuoted is a name in which nothing is a pattern.
func globQuoted(name string) string {
	var b bytes.Buffer
	for _, r := range []byte(name) {
		if bytes.IndexByte([]byte(`*?[\`), r) >= 0 && filepath.Separator == '/' {
			b.WriteByte('\\')
		}
		b.WriteByte(r)
	}
	return b.String()
}

func (f *Follower) readWhole(name string) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // put one further meanwhile
	}
	if err != nil {
		return err
	}
	defer file.Close()
	f.begin()
	return f.drain(file, name)
}

// begin forgets where it was in a file.
func (f *Follower) begin() { f.line, f.rest, f.skip = 0, nil, false }

// poll reads what is new. A file that was put aside is read to its end, and then the one in its place.
func (f *Follower) poll() error {
	now, err := os.Stat(f.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.open != nil {
		if err := f.drain(f.open, f.file); err != nil {
			return err
		}
		if now == nil || f.same(now) {
			return nil
		}
		if err := errors.Join(f.drain(f.open, f.file), f.Close()); err != nil { // what came until it was put aside
			return err
		}
	}
	if now == nil {
		return nil
	}
	if !now.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", f.file)
	}
	if f.open, err = os.Open(f.file); err != nil {
		return err
	}
	f.begin()
	return f.drain(f.open, f.file)
}

// same reports whether the file of that name is still the one that is read, and was not cut.
func (f *Follower) same(now fs.FileInfo) bool {
	was, err := f.open.Stat()
	if err != nil || !os.SameFile(was, now) {
		return false
	}
	at, err := f.open.Seek(0, io.SeekCurrent)
	return err == nil && now.Size() >= at
}

// drain takes the whole lines up to the end.
func (f *Follower) drain(file *os.File, name string) error {
	buffer := make([]byte, 256<<10)
	for {
		n, err := file.Read(buffer)
		f.take(buffer[:n], name)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (f *Follower) take(data []byte, name string) {
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if !f.skip {
			f.rest = append(f.rest, line...)
		}
		if len(f.rest) > f.most {
			f.rest, f.skip = nil, true
		}
		if !whole {
			return
		}
		f.line++
		f.takeLine(bytes.TrimSpace(f.rest), name)
		f.rest, f.skip = f.rest[:0], false
	}
}

func (f *Follower) takeLine(line []byte, name string) {
	if len(line) == 0 && !f.skip {
		return
	}
	var run mcpserver.AuditRun
	if f.skip {
		f.warn(fmt.Sprintf("%s line %d is longer than %d bytes; it is skipped", name, f.line, f.most))
		return
	}
	if json.Unmarshal(line, &run) != nil || run.ID == "" || run.Outcome == mcpserver.Running {
		f.warn(fmt.Sprintf("%s line %d is no run; it is skipped", name, f.line))
		return
	}
	f.store.RunEnded(run)
}
