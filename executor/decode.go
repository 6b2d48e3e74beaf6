package executor

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
)

// maxCodings bounds the layers of a body, as other clients do.
const maxCodings = 5

// decodeContent replaces a response's body by what its Content-Encoding says it encodes, and leaves the headers as they
// are, as fetch does. A coding that nobody knows leaves the body as it is. Decoding streams, so that a bomb meets the
// program's own bounds.
func decodeContent(response *http.Response) {
	codings := strings.Split(strings.ToLower(strings.Join(response.Header.Values("Content-Encoding"), ",")), ",")
	if len(codings) > maxCodings {
		return
	}
	body := response.Body
	for i := len(codings) - 1; i >= 0; i-- {
		open := decoders(strings.TrimSpace(codings[i]))
		if open == nil {
			return
		}
		body = &decoded{source: body, open: open}
		response.Body = body
	}
}

// decoders opens the reader of a content coding; nil when it is none that has to be decoded.
func decoders(coding string) func(io.Reader) (io.Reader, error) {
	switch coding {
	case "gzip", "x-gzip":
		return func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case "br":
		return func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }
	case "deflate":
		return openDeflate
	}
	return nil
}

// openDeflate reads zlib, and what some servers send instead: deflate without its wrapping.
func openDeflate(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(2)
	if err != nil {
		return nil, err
	}
	if head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(buffered)
	}
	return flate.NewReader(buffered), nil
}

// decoded opens its decoder with the first read: a coding's header may take its time.
type decoded struct {
	source io.ReadCloser
	open   func(io.Reader) (io.Reader, error)
	reader io.Reader
	err    error
}

func (d *decoded) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.reader == nil {
		if d.reader, d.err = d.open(d.source); d.err != nil {
			if d.err != io.EOF { // an empty body encodes nothing
				d.err = fmt.Errorf("the body is not what its content-encoding says: %w", d.err)
			}
			return 0, d.err
		}
	}
	n, err := d.reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("the body is not what its content-encoding says: %w", err)
	}
	return n, err
}

func (d *decoded) Close() error { return d.source.Close() }
