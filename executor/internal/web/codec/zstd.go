package codec

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdDecoder is a decoder of RFC 8878. The library reads from its source and cannot pause, so it runs in a goroutine of
// its own, which works while Next waits for it and waits otherwise, and ends with Close.
type zstdDecoder struct {
	worker *zstdWorker
	input  []byte // not handed over yet
	ended  bool
	hungry bool // the goroutine waits for input
	lent   bool // it waits until the last piece is used
	err    error
}

// zstdWorker is the goroutine's side: it takes input, and gives steps.
type zstdWorker struct {
	input  chan []byte // closed at the end of the input
	steps  chan zstdStep
	used   chan struct{}
	stop   chan struct{}
	gone   chan struct{} // closed when the goroutine has ended
	unread []byte
}

// zstdStep is a piece of output, or the end with its error, or neither, which is hunger.
type zstdStep struct {
	piece []byte
	err   error
}

var errStopped = errors.New("the decoder was closed")

func newZstdDecoder() (*zstdDecoder, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(MaxWindow))
	if err != nil {
		return nil, err
	}
	w := &zstdWorker{input: make(chan []byte), steps: make(chan zstdStep), used: make(chan struct{}), stop: make(chan struct{}), gone: make(chan struct{})}
	go w.run(decoder)
	return &zstdDecoder{worker: w}, nil
}

func (z *zstdDecoder) Write(input []byte) { z.input = input }
func (z *zstdDecoder) Flush()             {}
func (z *zstdDecoder) End()               { z.ended = true }

// Weight is that of the largest window: how large it is stands in the data.
func (z *zstdDecoder) Weight() int64 { return MaxWindow + 1<<20 }

func (z *zstdDecoder) Close() {
	if z.worker == nil {
		return
	}
	close(z.worker.stop)
	<-z.worker.gone
	*z = zstdDecoder{err: io.EOF}
}

func (z *zstdDecoder) Next() ([]byte, State, error) {
	for z.err == nil {
		switch {
		case z.hungry && len(z.input) > 0:
			z.worker.input <- z.input
			z.input = nil
		case z.hungry && z.ended:
			close(z.worker.input)
		case z.hungry:
			return nil, Hungry, nil
		case z.lent:
			z.worker.used <- struct{}{}
		}
		step := <-z.worker.steps
		z.lent, z.err = step.piece != nil, step.err
		if z.hungry = !z.lent && z.err == nil; z.lent {
			return step.piece, More, nil
		}
	}
	return nil, Done, zstdError(z.err)
}

func zstdError(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	case errors.Is(err, zstd.ErrMagicMismatch):
		return DataError("Zstd decompression failed: Unknown frame descriptor")
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return ErrMemory
	}
	return DataError("Zstd decompression failed: Data corruption detected")
}

func (w *zstdWorker) run(decoder *zstd.Decoder) {
	defer close(w.gone)
	defer decoder.Close()
	select {
	case w.steps <- zstdStep{err: w.decode(decoder)}:
	case <-w.stop:
	}
}

// decode decodes everything; io.EOF is its success. A panic of the library must not end the process.
func (w *zstdWorker) decode(decoder *zstd.Decoder) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the zstd decoder failed: %v", cause)
		}
	}()
	if err := decoder.Reset(w); err != nil {
		return err
	}
	if _, err := decoder.WriteTo(w); err != nil {
		return err
	}
	return io.EOF
}

// Write gives a block that was decoded, and waits until it is used.
func (w *zstdWorker) Write(block []byte) (int, error) {
	for at := 0; at < len(block); at += Piece {
		select {
		case w.steps <- zstdStep{piece: block[at:min(at+Piece, len(block))]}:
		case <-w.stop:
			return at, errStopped
		}
		select {
		case <-w.used:
		case <-w.stop:
			return at, errStopped
		}
	}
	return len(block), nil
}

// Read is the source of the library's reader.
func (w *zstdWorker) Read(b []byte) (int, error) {
	for len(w.unread) == 0 {
		select {
		case w.steps <- zstdStep{}:
		case <-w.stop:
			return 0, errStopped
		}
		select {
		case input, more := <-w.input:
			if !more {
				return 0, io.EOF
			}
			w.unread = input
		case <-w.stop:
			return 0, errStopped
		}
	}
	n := copy(b, w.unread)
	w.unread = w.unread[n:]
	return n, nil
}
