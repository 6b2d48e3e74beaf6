package web

//lint:file-ignore ST1005 programs read these texts as node's

import (
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// zlibOps are the ops of node/zlib.js.
func zlibOps() map[string]Op {
	return map[string]Op{"zlibCompress": zlibCompress, "zlibDecompress": zlibDecompress}
}

// zlibCompress takes (format, data, level, which is brotli's quality).
func zlibCompress(args []any) (any, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch level := int(args[2].(float64)); args[0] {
	case "gzip":
		w, err = gzip.NewWriterLevel(&out, level)
	case "deflate":
		w, err = zlib.NewWriterLevel(&out, level)
	case "brotli":
		w = brotli.NewWriterLevel(&out, max(brotli.BestSpeed, min(level, brotli.BestCompression)))
	case "zstd":
		w, err = zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)))
	default:
		w, err = flate.NewWriter(&out, level)
	}
	if err != nil {
		return nil, &OpError{"RangeError", err.Error()}
	}
	if _, err := w.Write(args[1].([]byte)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	data := out.Bytes()
	if args[0] == "gzip" {
		data[9] = 3 // the operating system, as zlib writes it on unix
	}
	return data, nil
}

// zlibDecompress takes (format, data, limit); what follows the end of the compressed data is ignored, and gzip members
// follow one another. The error's text is zlib's.
func zlibDecompress(args []any) (any, error) {
	data := args[1].([]byte)
	in := bytes.NewReader(data)
	var r io.Reader
	var err error
	switch args[0] {
	case "gzip":
		if len(data) > 1 && (data[0] != 0x1f || data[1] != 0x8b) {
			return nil, zlibError(gzip.ErrHeader) // before there being too little of it
		}
		r, err = gzip.NewReader(in)
	case "deflate":
		r, err = zlib.NewReader(in)
	case "brotli":
		r = brotli.NewReader(in)
	case "zstd":
		d, failure := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDecompressed))
		if failure == nil {
			defer d.Close()
		}
		r, err = d, failure
	default:
		r = flate.NewReader(in)
	}
	if err != nil {
		return nil, zlibError(err)
	}
	limit := min(int64(args[2].(float64)), maxDecompressed)
	out, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case int64(len(out)) > limit:
		return nil, &OpError{"RangeError", "Memory limit exceeded"}
	case errors.Is(err, gzip.ErrHeader) && len(out) > 0:
		return out, nil // garbage after a member
	case err != nil && args[0] == "brotli" && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("Decompression failed")
	case err != nil:
		return nil, zlibError(err)
	}
	return out, nil
}

func zlibError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("unexpected end of file")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zlib.ErrHeader):
		return errors.New("incorrect header check")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zlib.ErrChecksum):
		return errors.New("incorrect data check")
	case errors.Is(err, zlib.ErrDictionary):
		return errors.New("Missing dictionary")
	case errors.Is(err, zstd.ErrMagicMismatch):
		return errors.New("Zstd decompression failed: Unknown frame descriptor")
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return &OpError{"RangeError", "Memory limit exceeded"}
	case errors.As(err, &corrupt):
		return errors.New("invalid stored block lengths")
	}
	return err
}
