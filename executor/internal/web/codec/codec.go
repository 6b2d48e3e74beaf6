// Package codec compresses and decompresses a stream as it arrives, for the scripts of package web.
//
// A [Codec] is one stream on its way, a [Pool] makes them. It is given input by Write, Flush and End, and gives output by Next, a piece of at
// most [Piece] bytes at a time, so that what a small input expands to is never held as a whole.
//
//	var pool codec.Pool
//	c, err := pool.Decompress("gzip", codec.Strict, nil)
//	c.Write(input)
//	for {
//		piece, state, err := c.Next() // the piece is good until the next call
//		if state != codec.More {
//			break // codec.Hungry: c.Write or c.End; codec.Done: c is at its end
//		}
//	}
//	c.Close()
//
// # Errors
//
// The errors of the deflate formats are a [DataError] with zlib's own texts; [ErrTruncated], [ErrTrailing] and [ErrMemory]
// are of all formats.
package codec

import (
	"errors"
	"fmt"
)

// Piece is the most bytes that Next gives at a time.
const Piece = 64 << 10

// MaxWindow bounds what a decoder keeps of its output to refer back to.
const MaxWindow = 16 << 20

// State says what a codec is at after Next.
type State int

const (
	// More says that there was output, and that there may be more without further input.
	More State = iota
	// Hungry says that there is no output without further input.
	Hungry
	// Done says that the stream is at its end and all output was given.
	Done
)

// Codec is a stream on its way through a compressor or a decompressor. It belongs to one goroutine.
type Codec interface {
	// Write gives the next piece of input, which must stay as it is until Next says that the codec is hungry.
	Write(input []byte)
	// Flush has everything written so far come out; a decompressor does so anyway.
	Flush()
	// End says that no input follows.
	End()
	// Next is the next piece of output, good until the next call. After an error the codec has no use.
	Next() (piece []byte, state State, err error)
	// Weight is about how many bytes of memory the codec holds.
	Weight() int64
	// Close lets go of what the codec holds. It may be called twice.
	Close()
}

// Rest is what a decompressor does with input that follows the end of the compressed data.
type Rest int

const (
	// Ignore takes no notice of it, except that another member follows a gzip member, unless zeros do, as Node has it.
	Ignore Rest = iota
	// Strict makes it ErrTrailing, as the Compression standard has it.
	Strict
)

var (
	// ErrTruncated is input that ended before the compressed data did.
	ErrTruncated = errors.New("unexpected end of file")
	// ErrTrailing is input after the end of the compressed data.
	ErrTrailing = errors.New("data after the end of the compressed data")
	// ErrMemory is compressed data that would need more than MaxWindow.
	ErrMemory = errors.New("the compressed data needs too much memory")
)

// DataError is input that is no compressed data. Its text is that of the format's own library.
type DataError string

func (e DataError) Error() string { return string(e) }

// Decompress makes a decompressor for gzip, deflate, deflate-raw, unzip (the first or the second, as the data begins),
// brotli or zstd. A dictionary is what deflate and deflate-raw were compressed with, nil for none.
func (p *Pool) Decompress(format string, rest Rest, dictionary []byte) (Codec, error) {
	switch format {
	case "gzip":
		return p.inflater(gzipHead, rest, nil), nil
	case "deflate":
		return p.inflater(zlibHead, rest, dictionary), nil
	case "deflate-raw":
		return p.inflater(blockHead, rest, dictionary), nil
	case "unzip":
		return p.inflater(eitherHead, rest, dictionary), nil
	case "brotli":
		return newBrotliDecoder(rest), nil
	case "zstd":
		return newZstdDecoder()
	}
	return nil, fmt.Errorf("unknown compression format %q", format)
}
