package upstream

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// event is one event of a text/event-stream.
type event struct {
	name, data string
	// id is the last event id as it stands after this event, which may come without data.
	id string
	// retry is the time before reconnecting that the server asked for last; negative when it asked for none.
	retry time.Duration
}

// events reads a text/event-stream (HTML Living Standard, 9.2) event by event.
type events struct {
	r       *bufio.Reader
	current event
	lines   []string
	size    int64
}

func newEvents(r io.Reader) *events {
	return &events{r: bufio.NewReaderSize(r, 32<<10), current: event{retry: -1}}
}

// next returns the next event, also one that has no data and only sets the id. An event above maxMessage is a *tooLarge;
// the stream is of no use after that.
func (e *events) next() (event, error) {
	e.current.name, e.current.data = "", ""
	e.lines, e.size = nil, 0
	seen := false
	for {
		line, err := e.line()
		if errors.Is(err, io.EOF) && e.field(line) || errors.Is(err, io.EOF) && seen {
			err, line = nil, "" // some servers end the stream in place of the last event
		}
		if err != nil {
			return event{}, err
		}
		if line == "" {
			if !seen && len(e.lines) == 0 {
				continue
			}
			e.current.data = strings.Join(e.lines, "\n")
			return e.current, nil
		}
		seen = e.field(line) || seen
	}
}

// field takes one line and reports whether it makes an event worth telling.
func (e *events) field(line string) bool {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		e.current.name = value
	case "data":
		e.lines = append(e.lines, value)
		return true
	case "id":
		if !strings.ContainsRune(value, 0) {
			e.current.id = value
			return true
		}
	case "retry":
		if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
			e.current.retry = time.Duration(ms) * time.Millisecond
			return true
		}
	}
	return false
}

// line reads up to a line break, or with io.EOF to the stream's end.
func (e *events) line() (string, error) {
	var line []byte
	for {
		part, err := e.r.ReadSlice('\n')
		if e.size += int64(len(part)); e.size > maxMessage+1024 {
			return "", &tooLarge{e.size, true}
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), "\ufffd"), err
		}
	}
}
