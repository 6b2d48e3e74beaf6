package codec

import (
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// mostKept bounds what a pool keeps of each sort: a writer has a megabyte, an inflater a tenth of that.
const mostKept = 2

// Pool makes codecs, and keeps what a few of those that were closed had for others: to get so much memory costs more than
// to compress a small text. The zero value is empty. It belongs to one goroutine.
type Pool struct {
	writers   []idleWriter
	inflaters []*inflater
}

type idleWriter struct {
	kind   writerKind
	writer flusher
}

// writer is one that is kept, to begin anew; nil for none.
func (p *Pool) writer(kind writerKind, out io.Writer) flusher {
	for i, idle := range p.writers {
		if idle.kind != kind {
			continue
		}
		p.writers = append(p.writers[:i], p.writers[i+1:]...)
		switch w := idle.writer.(type) {
		case *gzip.Writer:
			w.Reset(out)
			w.OS = unix
		case *zlib.Writer:
			w.Reset(out)
		case *flate.Writer:
			w.Reset(out)
		}
		return idle.writer
	}
	return nil
}

// keep keeps a writer of the deflate formats.
func (p *Pool) keep(kind writerKind, writer flusher) {
	switch writer.(type) {
	case *gzip.Writer, *zlib.Writer, *flate.Writer:
		if len(p.writers) == mostKept {
			p.writers = append(p.writers[:0], p.writers[1:]...)
		}
		p.writers = append(p.writers, idleWriter{kind, writer})
	}
}

// inflater is one that reads from the first stage.
func (p *Pool) inflater(first stage, rest Rest, dictionary []byte) *inflater {
	z := &inflater{}
	if last := len(p.inflaters) - 1; last >= 0 {
		z, p.inflaters = p.inflaters[last], p.inflaters[:last]
	}
	z.begin(p, first, rest, dictionary)
	return z
}
