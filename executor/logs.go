package executor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// logBook keeps a run's console lines within its limits. A worker keeps to them by itself and ends what it sends with a
// marker, so the book only ever cuts what a broken worker sends.
type logBook struct {
	limits protocol.Limits
	lines  []protocol.LogLine
	bytes  int64
	sent   int64 // lines that arrived, kept or not
}

// logSlack is what a worker's marker lines may measure beyond the limits, in lines and in bytes.
const logSlackLines, logSlackBytes = 4, 1 << 10

// log takes a Logs frame.
func (r *run) log(frame wire.Frame) error {
	if len(frame.Fields)%3 != 0 {
		return fmt.Errorf("%w: %d fields of log lines", errMalformed, len(frame.Fields))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := 0; i < len(frame.Fields); i += 3 {
		if err := r.logs.add(string(frame.Fields[i]), string(frame.Fields[i+1]), string(frame.Fields[i+2])); err != nil {
			return err
		}
	}
	return nil
}

func (b *logBook) add(level, micros, text string) error {
	elapsed, err := strconv.ParseInt(micros, 10, 64)
	if err != nil || elapsed < 0 {
		return fmt.Errorf("%w: a log line at %.20q", errMalformed, micros)
	}
	switch protocol.Level(level) {
	case protocol.LevelLog, protocol.LevelDebug, protocol.LevelInfo, protocol.LevelWarn, protocol.LevelError, protocol.LevelTrace:
	default:
		return fmt.Errorf("%w: log level %.20q", errMalformed, level)
	}
	b.sent++
	b.bytes += int64(len(text))
	if b.sent > b.limits.LogLines+logSlackLines || b.bytes > b.limits.LogBytes+logSlackBytes {
		return fmt.Errorf("%w: a flood of log lines", errMalformed)
	}
	b.lines = append(b.lines, protocol.LogLine{
		Level: protocol.Level(level), Text: strings.ToValidUTF8(text, "\uFFFD"), Elapsed: time.Duration(elapsed) * time.Microsecond,
	})
	return nil
}
