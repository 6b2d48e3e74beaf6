package child

import (
	"regexp"
	"strings"
	"sync"
)

// tail keeps the end of what was written.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const tailSize = 16 << 10

func (t *tail) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if extra := len(t.data) - tailSize; extra > 0 {
		t.data = append(t.data[:0], t.data[extra:]...)
	}
}

// lines returns the last n lines that are not empty.
func (t *tail) lines(n int) string { return t.without(nil, n) }

// frame is a line of a stack trace of node's, or the version that it ends one with.
var frame = regexp.MustCompile(`^\s+at |^Node\.js v\d`)

// words is lines without stack traces, which come after the line that says what failed.
func (t *tail) words(n int) string { return t.without(frame, n) }

func (t *tail) without(noise *regexp.Regexp, n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for line := range strings.Lines(string(t.data)) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" && (noise == nil || !noise.MatchString(line)) {
			all = append(all, strings.ToValidUTF8(line, "\ufffd"))
		}
	}
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
