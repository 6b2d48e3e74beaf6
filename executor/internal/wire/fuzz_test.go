package wire_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// FuzzReader feeds a reader with what a hostile side may send: it returns frames that write back to the same bytes, or an
// error, and never holds more than its limit.
func FuzzReader(f *testing.F) {
	const limit = 1 << 12
	frame := func(kind wire.Kind, fields ...[]byte) []byte {
		var out bytes.Buffer
		w := wire.NewWriter(&out)
		if err := errors.Join(w.Write(kind, fields...), w.Flush()); err != nil {
			f.Fatal(err)
		}
		return out.Bytes()
	}
	f.Add(frame(wire.Done, []byte(`{}`), []byte("1")))
	f.Add(append(frame(wire.Call, []byte("1"), nil, []byte("t"), []byte("[]")), frame(wire.Logs)...))
	f.Add(frame(wire.Fetch, bytes.Repeat([]byte("x"), 300)))
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{3, 0, 0, 0, 17, 0xff, 0xff})
	f.Add([]byte{11, 0, 0, 0, 17, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, input []byte) {
		reader := wire.NewReader(bytes.NewReader(input), limit)
		var back bytes.Buffer
		writer := wire.NewWriter(&back)
		for {
			got, err := reader.Read()
			if err != nil {
				known := err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, wire.ErrMalformed)
				if !known {
					t.Fatalf("error %v", err)
				}
				break
			}
			size := 0
			for _, field := range got.Fields {
				size += len(field)
			}
			if size > limit || len(got.Fields) > wire.MaxFields {
				t.Fatalf("a frame of %d bytes in %d fields", size, len(got.Fields))
			}
			if err := errors.Join(writer.Write(got.Kind, got.Fields...), writer.Flush()); err != nil {
				t.Fatal(err)
			}
		}
		// Lengths may be spelled longer than need be, so that what comes back is no longer, and reads the same.
		if back.Len() > len(input) {
			t.Fatalf("%d bytes came back of %d", back.Len(), len(input))
		}
	})
}
