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
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/config"
)

// AuditRun is one line of an audit file: one program and its calls. What a program is made of is there as a hash, and as itself
// only when the configuration asks for it.
type AuditRun struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	// Client is the name that the client gave itself.
	Client string `json:"client,omitempty"`
	// View is the name of the view that the run came through; empty is everything.
	View string `json:"view,omitempty"`
	// Subject is who the run is of, as the access token says it, and Issuer who says so; empty without an access token.
	Subject string `json:"subject,omitempty"`
	Issuer  string `json:"issuer,omitempty"`
	// Outcome is ok, failed (the program's own doing) or error (it did not run, or we failed); Error says more.
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
	// Kind is the failure's, a protocol.FailureKind, or the error's, a protocol.Code, if it has one; Line and Column are its place in the program, from 1.
	Kind   string  `json:"kind,omitempty"`
	Line   int     `json:"line,omitempty"`
	Column int     `json:"column,omitempty"`
	Ms     float64 `json:"ms"`
	CPUMs  float64 `json:"cpuMs,omitempty"`
	// PeakBytes is the largest memory of the worker that was seen, ResultBytes the size of the program's value as JSON.
	PeakBytes   int64 `json:"peakBytes,omitempty"`
	ResultBytes int   `json:"resultBytes,omitempty"`

	CodeSHA256 string      `json:"codeSha256"`
	CodeBytes  int         `json:"codeBytes"`
	Calls      []AuditCall `json:"calls"`
	// MoreCalls is how many calls are not in the list any more.
	MoreCalls int `json:"moreCalls,omitempty"`

	Code   string   `json:"code,omitempty"`
	Result string   `json:"result,omitempty"`
	Logs   []string `json:"logs,omitempty"`
}

// AuditCall is one call of a run.
type AuditCall struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Method is resources/read or prompts/get for a read of what a server offers beside its tools, whose Tool is then what the
	// policy calls it (readResource, getPrompt); empty is tools/call.
	Method string `json:"method,omitempty"`
	// Outcome is ok, failed, refused (by policy or by a person, so that nothing was called) or abandoned (the run ended before
	// the answer came).
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
	// Kind is what a call failed with: tool_error (the tool's own answer), the code of a JSON-RPC error, timeout, canceled, lost
	// (the server ended before it answered) or unavailable (nothing was sent).
	Kind string `json:"kind,omitempty"`
	// Policy is what the policy said: allow, deny or ask; empty is allow where no rule matched. Rule is the rule's place in the
	// list, from 1; 0 is none of them.
	Policy string `json:"policy,omitempty"`
	Rule   int    `json:"rule,omitempty"`
	// StartMs is the time since the run began; Ms has WaitMs in it, which is what the policy took, and a person it asked.
	StartMs float64 `json:"startMs"`
	Ms      float64 `json:"ms"`
	WaitMs  float64 `json:"waitMs,omitempty"`
	// ResultBytes is the size of the server's answer.
	ResultBytes     int    `json:"resultBytes,omitempty"`
	ArgumentsSHA256 string `json:"argumentsSha256"`
	ArgumentsBytes  int    `json:"argumentsBytes"`
	Arguments       string `json:"arguments,omitempty"`
	Result          string `json:"result,omitempty"`
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

// writeAudit writes a run down.
func (s *Server) writeAudit(audit config.Audit, run AuditRun) error {
	if !audit.Payloads {
		run = run.withoutPayloads()
	}
	line, err := json.Marshal(run)
	if err != nil {
		return err
	}
	return s.appendAudit(audit, append(line, '\n'))
}

// appendAudit writes a line at once, so that lines of several processes do not mix, to a file that is opened anew, because another
// process may have put the last one aside.
func (s *Server) appendAudit(audit config.Audit, line []byte) error {
	s.auditing.Lock()
	defer s.auditing.Unlock()
	if err := os.MkdirAll(filepath.Dir(audit.File), 0o700); err != nil {
		return err
	}
	if info, err := os.Stat(audit.File); err == nil && info.Size() > 0 && info.Size()+int64(len(line)) > audit.MaxBytes {
		if err := putAside(audit); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(audit.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(line)
	return errors.Join(err, file.Close())
}

// putAside renames the file to FILE.1, and those before one number further; the oldest goes.
func putAside(audit config.Audit) error {
	name := func(n int) string { return fmt.Sprintf("%s.%d", audit.File, n) }
	for n := audit.Keep - 1; n >= 1; n-- {
		if err := os.Rename(name(n), name(n+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(audit.File, name(1))
}
