// Package lines reads the messages of MCP's stdio transport, one a line.
//
//	r := bufio.NewReader(stream)
//	for {
//		line, err := lines.Read(r, 64<<20)
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

// Read returns the next line without its line break and the space around it. At the end of the stream it returns what is
// left together with the error. The line is the caller's to keep.
func Read(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > limit; !tooLong {
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
