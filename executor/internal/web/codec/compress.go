package codec

import (
	"bytes"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// DefaultLevel is the usual level of the deflate formats.
const DefaultLevel = flate.DefaultCompression

// unix is the operating system in a gzip header, as zlib writes it.
const unix = 3

// flusher is what the libraries' writers have in common.
type flusher interface {
	io.WriteCloser
	Flush() error
}

// writerKind is what a writer is good for.
type writerKind struct {
	format string
	level  int
}

// compressor is a writer of a library whose output waits to be fetched.
type compressor struct {
	writer flusher
	out    bytes.Buffer
	weight int64
	ended  bool
	err    error
	// pool takes the writer in the end, if it may be used again.
	pool *Pool
	kind writerKind
}

// Compress makes a compressor for gzip, deflate, deflate-raw, brotli or zstd. The level is the format's own: a level of
// zlib's, brotli's quality, zstd's level. A dictionary is what deflate and deflate-raw may refer to, nil for none.
func (p *Pool) Compress(format string, level int, dictionary []byte) (Codec, error) {
	c := &compressor{weight: 1 << 20, pool: p, kind: writerKind{format, level}}
	if dictionary != nil {
		c.pool = nil
	} else if c.writer = p.writer(c.kind, &c.out); c.writer != nil {
		return c, nil
	}
	var err error
	switch format {
	case "gzip":
		var w *gzip.Writer
		if w, err = gzip.NewWriterLevel(&c.out, level); err == nil {
			w.OS = unix
			c.writer = w
		}
	case "deflate":
		c.writer, err = zlib.NewWriterLevelDict(&c.out, level, dictionary)
	case "deflate-raw":
		c.writer, err = flate.NewWriterDict(&c.out, level, dictionary)
	case "brotli":
		quality := max(brotli.BestSpeed, min(level, brotli.BestCompression))
		c.weight = int64(4+quality) << 20
		c.writer = brotli.NewWriterLevel(&c.out, quality)
	case "zstd":
		c.weight = 8 << 20
		c.writer, err = zstd.NewWriter(&c.out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)))
	default:
		err = fmt.Errorf("unknown compression format %q", format)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (c *compressor) Write(input []byte) {
	if c.err == nil {
		_, c.err = c.writer.Write(input)
	}
}

func (c *compressor) Flush() {
	if c.err == nil {
		c.err = c.writer.Flush()
	}
}

func (c *compressor) End() {
	if c.err == nil && !c.ended {
		c.err = c.writer.Close()
	}
	c.ended = true
}

func (c *compressor) Next() ([]byte, State, error) {
	switch piece := c.out.Next(Piece); {
	case c.err != nil:
		return nil, Done, c.err
	case len(piece) > 0:
		return piece, More, nil
	case c.ended:
		return nil, Done, nil
	}
	return nil, Hungry, nil
}

func (c *compressor) Weight() int64 { return c.weight }

func (c *compressor) Close() {
	if c.writer != nil && c.pool != nil {
		c.pool.keep(c.kind, c.writer)
	}
	*c = compressor{ended: true}
}
