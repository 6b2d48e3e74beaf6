//go:build cgo && (linux || darwin)

package worker

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// logs are the console lines that the pool has not been sent yet, and the count of all.
type logs struct {
	fields       [][]byte
	bytes, lines int64
	closed       bool
	flushed      time.Time
}

// flushEvery is how much of its console a program may lose when its process is killed.
const flushEvery = time.Millisecond

// maxLogFields keeps a frame of lines well within wire.MaxFields.
const maxLogFields = wire.MaxFields / 4

// log takes one line and reports whether the limit has been reached, so that the script need not send more.
func (r *run) log(level, text string) bool {
	l := &r.logs
	if l.closed {
		return true
	}
	if l.lines+1 > r.header.LogLines {
		l.close(r, fmt.Sprintf("[the console is cut here: at most %d lines in a run]", r.header.LogLines))
		return true
	}
	if room := r.header.LogBytes - l.bytes; int64(len(text)) > room {
		l.add(r, level, cut(text, int(room)))
		l.close(r, fmt.Sprintf("[the console is cut here: at most %d bytes in a run]", r.header.LogBytes))
		return true
	}
	l.add(r, level, text)
	if now := time.Now(); now.Sub(l.flushed) >= flushEvery {
		l.flushed = now
		if err := r.flush(); err != nil && r.err == nil {
			r.err = err
		}
	}
	return false
}

func (l *logs) close(r *run, marker string) {
	l.closed = true
	l.add(r, "warn", marker)
}

func (l *logs) add(r *run, level, text string) {
	l.lines++
	l.bytes += int64(len(text))
	micros := time.Since(r.start).Microseconds()
	l.fields = append(l.fields, []byte(level), strconv.AppendInt(nil, micros, 10), bytesOf(text))
	if len(l.fields) >= maxLogFields {
		l.write(r)
	}
}

// write makes a frame of the lines so far.
func (l *logs) write(r *run) {
	if len(l.fields) == 0 {
		return
	}
	r.write(wire.Logs, l.fields...)
	l.fields = l.fields[:0]
}

// cut shortens text to at most n bytes without splitting a character.
func cut(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.Clone(text[:n])
}
