// Package lines reads the messages of MCP's stdio transport, one a line.
//
//	r := bufio.NewReader(stream)
//	for {
//		line, err := lines.Read(r, 64<<20, nil)
//		// line may be there together with io.EOF: the last one needs no line break
//	}
package lines

import (
	"bufio"
	"bytes"
	"errors"
)

// ErrTooLong is a line above the limit. The rest of it has been read away, so that the next line is whole again.
var ErrTooLong = errors.New("the line is too long")

// ErrGivenUp is a line above the limit that over did not want to see the end of.
var ErrGivenUp = errors.New("the line was given up")

// Read returns the next line without its line break and the space around it. At the end of the stream it returns what is
// left together with the error. The line is the caller's to keep.
//
// What is above the limit is not kept. A non-nil over gets it instead, from the line's first byte and in parts that are
// only lent; when it returns false the rest is not read.
func Read(r *bufio.Reader, limit int, over func(part []byte) bool) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case tooLong:
			if over != nil && !over(part) {
				return nil, ErrGivenUp
			}
		case len(line)+len(part) > limit:
			tooLong = true
			if over != nil && !(over(line) && over(part)) {
				return nil, ErrGivenUp
			}
			line = nil
		default:
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && err == nil:
			return nil, ErrTooLong
		case tooLong:
			return nil, err
		default:
			return bytes.TrimSpace(line), err
		}
	}
}
