package child

import (
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
func (t *tail) lines(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for line := range strings.Lines(string(t.data)) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			all = append(all, strings.ToValidUTF8(line, "\ufffd"))
		}
	}
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
