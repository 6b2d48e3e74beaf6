package codec

import (
	"errors"
	"io"

	"github.com/andybalholm/brotli"
)

// errHungry is how a feed tells a library's reader that there is no input now. The reader of brotli takes that for a pause:
// it keeps no error of its source.
var errHungry = errors.New("no input yet")

// feed is the source of a library's reader.
type feed struct {
	in    []byte
	ended bool
}

func (f *feed) Read(p []byte) (int, error) {
	switch {
	case len(f.in) > 0:
		n := copy(p, f.in)
		f.in = f.in[n:]
		return n, nil
	case f.ended:
		return 0, io.EOF
	}
	return 0, errHungry
}

// brotliDecoder is a decoder of RFC 7932.
type brotliDecoder struct {
	feed   feed
	reader *brotli.Reader
	rest   Rest
	piece  []byte
	done   bool
}

func newBrotliDecoder(rest Rest) *brotliDecoder {
	b := &brotliDecoder{rest: rest, piece: make([]byte, Piece)}
	b.reader = brotli.NewReader(&b.feed)
	return b
}

func (b *brotliDecoder) Write(input []byte) { b.feed.in = input }
func (b *brotliDecoder) Flush()             {}
func (b *brotliDecoder) End()               { b.feed.ended = true }
func (b *brotliDecoder) Close()             { *b = brotliDecoder{done: true} }

// Weight is that of the largest window: how large it is stands in the data.
func (b *brotliDecoder) Weight() int64 { return MaxWindow + 1<<20 }

func (b *brotliDecoder) Next() ([]byte, State, error) {
	if b.done {
		return nil, Done, nil
	}
	n, err := b.reader.Read(b.piece)
	switch {
	case n > 0:
		return b.piece[:n], More, nil
	case errors.Is(err, errHungry):
		return nil, Hungry, nil
	case errors.Is(err, io.EOF):
		b.done = true
		return nil, Done, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, Done, ErrTruncated
	case err != nil && err.Error() == "brotli: excessive input":
		b.done = true
		if b.rest == Strict {
			return nil, Done, ErrTrailing
		}
		return nil, Done, nil
	case err != nil:
		return nil, Done, DataError("Decompression failed")
	}
	return nil, More, nil
}
