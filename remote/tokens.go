package remote

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// Tenant is whoever a token, or a client's certificate, belongs to, and what it may use. The zero value of a field is
// its default.
type Tenant struct {
	// Name stands in logs. Runs of one name share its limits.
	Name string
	// Concurrency is how many of its runs have a place at one time. Default 0: as many as there are places.
	Concurrency int
	// MaxQueue is how many of its runs wait for a place before QUEUE_FULL. Default 256, as a pool's; -1 for none.
	MaxQueue int
	// QueueTimeout is how long a run waits before QUEUE_TIMEOUT. Default 30 s, as a pool's.
	QueueTimeout time.Duration
	// MaxTimeout bounds the timeout of its requests, and is what "maximum" asks for. Default 0: the executor's.
	MaxTimeout time.Duration
	// Limits tightens the executor's limits for each of its runs.
	Limits protocol.Limits
}

// withDefaults fills in what is zero.
func (t Tenant) withDefaults() Tenant {
	switch {
	case t.MaxQueue == 0:
		t.MaxQueue = 256
	case t.MaxQueue < 0:
		t.MaxQueue = 0
	}
	if t.QueueTimeout <= 0 {
		t.QueueTimeout = 30 * time.Second
	}
	return t
}

// Tokens is a set of bearer tokens in a file, read anew when it has changed. A line is
//
//	NAME TOKEN [concurrency=N] [queue=N] [queueTimeout=D] [timeout=D] [memory=SIZE]
//
// or a token alone, whose name is then "default". Blank lines and lines that begin with # do not count. Several lines
// may have one name: add a token, move its users, take the old one away.
type Tokens struct {
	path string

	mu      sync.Mutex
	read    time.Time // when the file was last looked at
	modTime time.Time
	size    int64
	byHash  map[[sha256.Size]byte]Tenant
}

// lookEvery is how often the file is looked at: a token that was taken away works for as long.
const lookEvery = time.Second

// LoadTokens reads a token file. A file without a token is an error, and so is a line that is none; errors name the
// line and never show a token.
func LoadTokens(path string) (*Tokens, error) {
	t := &Tokens{path: path}
	return t, t.Reload()
}

// Reload reads the file now. When that fails, the tokens stay what they were.
func (t *Tokens) Reload() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read = time.Now()
	info, err := os.Stat(t.path)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(t.path)
	if err != nil {
		return err
	}
	byHash, err := parseTokens(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	t.byHash, t.modTime, t.size = byHash, info.ModTime(), info.Size()
	return nil
}

// refresh reads the file when it has changed. Its error is that of Reload.
func (t *Tokens) refresh() error {
	t.mu.Lock()
	if time.Since(t.read) < lookEvery {
		t.mu.Unlock()
		return nil
	}
	t.read = time.Now()
	modTime, size := t.modTime, t.size
	t.mu.Unlock()
	if info, err := os.Stat(t.path); err == nil && info.ModTime().Equal(modTime) && info.Size() == size {
		return nil
	}
	return t.Reload()
}

// lookup finds the owner of a token. What is compared is its hash, so that how long it takes says nothing of the token.
func (t *Tokens) lookup(hash [sha256.Size]byte) (Tenant, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tenant, ok := t.byHash[hash]
	return tenant, ok
}

func parseTokens(text string) (map[[sha256.Size]byte]Tenant, error) {
	byHash := map[[sha256.Size]byte]Tenant{}
	scanner := bufio.NewScanner(strings.NewReader(text))
	for line := 1; scanner.Scan(); line++ {
		fields := strings.Fields(scanner.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		tenant, token, err := parseToken(fields)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		hash := sha256.Sum256([]byte(token))
		if _, twice := byHash[hash]; twice {
			return nil, fmt.Errorf("line %d: this token stands in a line before", line)
		}
		byHash[hash] = tenant
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	if len(byHash) == 0 {
		return nil, fmt.Errorf("there is no token in it")
	}
	return byHash, nil
}

func parseToken(fields []string) (Tenant, string, error) {
	if len(fields) == 1 {
		return Tenant{Name: "default"}, fields[0], nil
	}
	tenant := Tenant{Name: fields[0]}
	for _, option := range fields[2:] {
		key, value, ok := strings.Cut(option, "=")
		if !ok {
			return tenant, "", fmt.Errorf("after NAME TOKEN stand options like concurrency=4")
		}
		if err := tenant.set(key, value); err != nil {
			return tenant, "", err
		}
	}
	return tenant, fields[1], nil
}

// set reads one option of a line.
func (t *Tenant) set(key, value string) (err error) {
	count := func(into *int) {
		if n, wrong := strconv.Atoi(value); wrong != nil || n < 1 {
			err = fmt.Errorf("must be a whole number, 1 at least, is %q", value)
		} else {
			*into = n
		}
	}
	span := func(into *time.Duration) {
		if d, wrong := time.ParseDuration(value); wrong != nil || d <= 0 {
			err = fmt.Errorf("must be a duration such as 30s, is %q", value)
		} else {
			*into = d
		}
	}
	switch key {
	case "concurrency":
		count(&t.Concurrency)
	case "queue":
		if count(&t.MaxQueue); value == "0" {
			t.MaxQueue, err = -1, nil
		}
	case "queueTimeout":
		span(&t.QueueTimeout)
	case "timeout":
		span(&t.MaxTimeout)
	case "memory":
		t.Limits.Memory, err = ParseBytes(value)
	default:
		return fmt.Errorf("there is no option %q; there are concurrency, queue, queueTimeout, timeout and memory", key)
	}
	if err != nil {
		return fmt.Errorf("%s %w", key, err)
	}
	return nil
}

// bearer takes the token out of a request.
func bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "bearer") && token != ""
}
