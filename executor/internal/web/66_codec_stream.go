package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// maxDecompressed bounds the result of one decompression, so that a small bomb cannot fill the worker.
const maxDecompressed = 64 << 20

// codecOps are the ops of 66_codec_stream.js.
func codecOps() map[string]Op {
	return map[string]Op{
		"compress": func(args []any) (any, error) { return compress(args[0].(string), args[1].([]byte)) },
		"decompress": func(args []any) (any, error) {
			out, err := decompress(args[0].(string), args[1].([]byte))
			if tooLarge, ok := errors.AsType[*OpError](err); ok {
				return nil, tooLarge
			}
			if err != nil {
				return nil, nil
			}
			return out, nil
		},
	}
}

func compress(format string, data []byte) ([]byte, error) {
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch format {
	case "gzip":
		z := gzip.NewWriter(&out)
		z.OS = 3 // Unix, as zlib writes
		w = z
	case "deflate":
		w = zlib.NewWriter(&out)
	case "deflate-raw":
		w, err = flate.NewWriter(&out, flate.DefaultCompression)
	default:
		err = fmt.Errorf("unknown compression format %q", format)
	}
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// decompress refuses what does not end where the data ends.
func decompress(format string, data []byte) ([]byte, error) {
	in := bytes.NewReader(data)
	var r io.Reader
	var err error
	switch format {
	case "gzip":
		var z *gzip.Reader
		if z, err = gzip.NewReader(in); err == nil {
			z.Multistream(false)
			r = z
		}
	case "deflate":
		r, err = zlib.NewReader(in)
	case "deflate-raw":
		r = flate.NewReader(in)
	default:
		err = fmt.Errorf("unknown compression format %q", format)
	}
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, maxDecompressed+1))
	switch {
	case err != nil:
		return nil, err
	case len(out) > maxDecompressed:
		return nil, &OpError{"RangeError", "The decompressed data is too large."}
	case in.Len() > 0:
		return nil, fmt.Errorf("%d bytes after the end of the compressed data", in.Len())
	}
	return out, nil
}
