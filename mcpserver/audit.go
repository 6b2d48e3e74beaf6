package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
)

// AuditRun is one line of an audit file: one program and its calls. What a program is made of is there as a hash, and as itself
// only when the configuration asks for it.
type AuditRun struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	// Client is the name that the client gave itself.
	Client string `json:"client,omitempty"`
	// Outcome is ok, failed (the program's own doing) or error (it did not run, or we failed); Error says more.
	Outcome string  `json:"outcome"`
	Error   string  `json:"error,omitempty"`
	Ms      float64 `json:"ms"`
	CPUMs   float64 `json:"cpuMs,omitempty"`

	CodeSHA256 string      `json:"codeSha256"`
	CodeBytes  int         `json:"codeBytes"`
	Calls      []AuditCall `json:"calls"`
	// MoreCalls is how many calls are not in the list any more.
	MoreCalls int `json:"moreCalls,omitempty"`

	Code   string `json:"code,omitempty"`
	Result string `json:"result,omitempty"`
}

// AuditCall is one call of a run.
type AuditCall struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Outcome is ok, failed or refused (by policy or by a person, so that nothing was called).
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
	// StartMs is the time since the run began.
	StartMs         float64 `json:"startMs"`
	Ms              float64 `json:"ms"`
	ArgumentsSHA256 string  `json:"argumentsSha256"`
	ArgumentsBytes  int     `json:"argumentsBytes"`
	Arguments       string  `json:"arguments,omitempty"`
}

// The bounds of one line, so that a program cannot fill a disk with one run: calls that are listed, and characters of each
// text.
const (
	maxAuditCalls = 1000
	maxAuditText  = 64 << 10
	maxAuditError = 1000
)

// trail is what a run leaves for the audit file. A nil one keeps nothing.
type trail struct {
	audit config.Audit
	// redact removes the secrets of the servers' configuration; failed is told what went wrong with the file.
	redact func(string) string
	failed func(error)
	// writing belongs to all who write the file in this process.
	writing *sync.Mutex
	began   time.Time

	mu    sync.Mutex
	calls []AuditCall
	more  int
}

// newTrail begins the trail of a run, if the configuration wants one.
func (s *Server) newTrail(g *generation, r *run) *trail {
	if g.options.Audit.File == "" {
		return nil
	}
	return &trail{audit: g.options.Audit, writing: &s.auditing, began: r.began,
		redact: func(text string) string {
			for _, u := range g.upstreams {
				text = u.Redact(text)
			}
			return text
		},
		failed: func(err error) { s.log.Warn("a run could not be written down", "error", err) },
	}
}

// add notes a call that began at a time and has ended now.
func (t *trail) add(server, tool string, args json.RawMessage, began time.Time, err error) {
	if t == nil {
		return
	}
	call := AuditCall{Server: server, Tool: tool, Outcome: "ok", StartMs: inMs(began.Sub(t.began)), Ms: inMs(time.Since(began)),
		ArgumentsSHA256: hashOf(args), ArgumentsBytes: len(args)}
	if t.audit.Payloads {
		call.Arguments = t.text(string(args), maxAuditText)
	}
	if err != nil {
		call.Outcome, call.Error = "failed", t.text(err.Error(), maxAuditError)
		if errors.As(err, new(*codetool.DeniedError)) {
			call.Outcome = "refused"
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.calls) == maxAuditCalls {
		t.more++
		return
	}
	t.calls = append(t.calls, call)
}

// text is a text without secrets, and no longer than most. What is cut could be half a secret, so the order counts.
func (t *trail) text(text string, most int) string {
	text = t.redact(text)
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (%d more bytes)", len(text)-most)
}

// finish writes the run down. What goes wrong is told, and does not harm the run.
func (t *trail) finish(client, code string, outcome *codetool.Outcome, err error) {
	if t == nil {
		return
	}
	run := AuditRun{ID: newRunID(), Time: t.began.UTC(), Client: t.text(client, maxAuditError), Outcome: "ok", Ms: inMs(time.Since(t.began)),
		CodeSHA256: hashOf([]byte(code)), CodeBytes: len(code)}
	switch {
	case err != nil:
		run.Outcome, run.Error = "error", t.text(err.Error(), maxAuditError)
	case outcome.Failure != nil:
		run.Outcome, run.Error = "failed", t.text(outcome.Failure.String(), maxAuditError)
	}
	if outcome != nil && outcome.Native != nil {
		run.CPUMs = inMs(outcome.Native.Usage.CPU)
	}
	if t.audit.Payloads {
		run.Code = t.text(code, maxAuditText)
		if outcome != nil {
			run.Result = t.text(string(outcome.Value), maxAuditText)
		}
	}
	t.mu.Lock()
	run.Calls, run.MoreCalls = append([]AuditCall{}, t.calls...), t.more
	t.mu.Unlock()
	line, err := json.Marshal(run)
	if err == nil {
		err = t.append(append(line, '\n'))
	}
	if err != nil {
		t.failed(err)
	}
}

func inMs(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// clientName is what the client of ctx calls itself; empty without one.
func clientName(ctx context.Context) string {
	if client, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return client.GetClientInfo().Name
	}
	return ""
}

// newRunID is a name for a run that nothing else has.
func newRunID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it does not fail
	return hex.EncodeToString(b[:])
}

// append writes a line at once, so that lines of several processes do not mix, to a file that is opened anew, because another
// process may have put the last one aside.
func (t *trail) append(line []byte) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if err := os.MkdirAll(filepath.Dir(t.audit.File), 0o700); err != nil {
		return err
	}
	if info, err := os.Stat(t.audit.File); err == nil && info.Size() > 0 && info.Size()+int64(len(line)) > t.audit.MaxBytes {
		if err := t.rotate(); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(t.audit.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(line)
	return errors.Join(err, file.Close())
}

// rotate puts the file aside as FILE.1, and those before one number further; the oldest goes.
func (t *trail) rotate() error {
	name := func(n int) string { return fmt.Sprintf("%s.%d", t.audit.File, n) }
	for n := t.audit.Keep - 1; n >= 1; n-- {
		if err := os.Rename(name(n), name(n+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(t.audit.File, name(1))
}
