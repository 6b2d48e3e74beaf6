package wire_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// buffered is how much a reader reads at a time.
const buffered = 64 << 10

// sources are the ways in which bytes may come.
var sources = map[string]func(io.Reader) io.Reader{
	"as asked":            func(r io.Reader) io.Reader { return r },
	"one by one":          iotest.OneByteReader,
	"in halves":           iotest.HalfReader,
	"the last with EOF":   iotest.DataErrReader,
	"in halves, with EOF": func(r io.Reader) io.Reader { return iotest.DataErrReader(iotest.HalfReader(r)) },
}

// framesOf makes a frame of each size, and says where each ends.
func framesOf(t *testing.T, sizes ...int) (stream []byte, fields [][]byte, ends []int) {
	var out bytes.Buffer
	w := wire.NewWriter(&out)
	for i, size := range sizes {
		field := bytes.Repeat([]byte{byte(i + 1)}, size)
		if err := errors.Join(w.Write(wire.Call, field), w.Flush()); err != nil {
			t.Fatal(err)
		}
		fields, ends = append(fields, field), append(ends, out.Len())
	}
	return out.Bytes(), fields, ends
}

func TestFramesOfAnySizeComeWhole(t *testing.T) {
	stream, want, _ := framesOf(t, 0, 1, buffered-20, 3, buffered-6, buffered-5, buffered-4, buffered, 5, 3*buffered+1, 0, 2*buffered, 7)
	for name, source := range sources {
		reader := wire.NewReader(source(bytes.NewReader(stream)), 4*buffered)
		var got [][]byte
		for range want {
			frame, err := reader.Read()
			if err != nil || frame.Kind != wire.Call || len(frame.Fields) != 1 {
				t.Fatalf("%s: after %d frames kind %d, %d fields, %v", name, len(got), frame.Kind, len(frame.Fields), err)
			}
			got = append(got, frame.Fields[0])
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("%s: frame %d is another", name, i)
			}
		}
		if reader.Buffered() {
			t.Errorf("%s: there is more", name)
		}
		if _, err := reader.Read(); err != io.EOF {
			t.Errorf("%s: it ends with %v", name, err)
		}
	}
}

// What comes last tells a pool whether its worker went between two frames, and a worker whether its pool did.
func TestTheEndWithinAFrameIsNoCleanEnd(t *testing.T) {
	stream, _, ends := framesOf(t, 2, 0, 2*buffered, 1)
	cuts := []int{buffered, 2 * buffered, ends[2] - 1}
	for cut := range ends[1] + 20 {
		cuts = append(cuts, cut)
	}
	for cut := ends[2]; cut <= ends[3]; cut++ {
		cuts = append(cuts, cut)
	}
	broken := errors.New("broken")
	for name, source := range sources {
		for _, cut := range cuts {
			want := io.ErrUnexpectedEOF
			if cut == 0 || slices.Contains(ends, cut) {
				want = io.EOF
			}
			if err := readAll(source(bytes.NewReader(stream[:cut]))); err != want {
				t.Errorf("%s, cut at %d: %v, want %v", name, cut, err, want)
			}
			if err := readAll(io.MultiReader(source(bytes.NewReader(stream[:cut])), iotest.ErrReader(broken))); err != broken {
				t.Errorf("%s, broken at %d: %v", name, cut, err)
			}
		}
	}
}

func readAll(source io.Reader) error {
	reader := wire.NewReader(source, 4*buffered)
	for {
		if _, err := reader.Read(); err != nil {
			return err
		}
	}
}

func TestABodyHasASize(t *testing.T) {
	for _, head := range [][]byte{{0, 0, 0, 0, 17}, {101, 0, 0, 0, 17}, {0xff, 0xff, 0xff, 0xff, 17}} {
		if _, err := wire.NewReader(bytes.NewReader(head), 100).Read(); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("% x: %v", head, err)
		}
	}
}

func TestLargeFramesOfOneKindShareMemory(t *testing.T) {
	var out bytes.Buffer
	w := wire.NewWriter(&out)
	for _, kind := range []wire.Kind{wire.Answer, wire.Call} {
		for _, size := range []int{10, 2 * buffered} {
			for _, letter := range []string{"a", "b"} {
				if err := errors.Join(w.Write(kind, bytes.Repeat([]byte(letter), size)), w.Flush()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	reader := wire.NewReader(&out, 4*buffered).Recycle(wire.Answer)
	var first []byte // of each two
	for i := range 8 {
		frame, err := reader.Read()
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			first = frame.Fields[0]
			continue
		}
		shared := first[0] == 'b'
		if want := i == 3; shared != want {
			t.Errorf("kind %d, %d bytes: shared %t", frame.Kind, len(first), shared)
		}
	}
}

func TestFillLooksForWhatIsNotBufferedYet(t *testing.T) {
	stream, want, _ := framesOf(t, 3, 4)
	reader := wire.NewReader(iotest.ErrReader(errors.New("nothing waits here")), 100)
	asked := 0
	give := func(n int) func([]byte) int {
		return func(into []byte) int {
			asked++
			n := copy(into, stream[:n])
			stream = stream[n:]
			return n
		}
	}
	if reader.Fill(give(0)) || reader.Buffered() {
		t.Error("it has nothing")
	}
	if !reader.Fill(give(len(stream))) || !reader.Fill(give(0)) || asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	for i := range want {
		frame, err := reader.Read()
		if err != nil || !bytes.Equal(frame.Fields[0], want[i]) {
			t.Fatalf("frame %d: %v, %v", i, frame, err)
		}
		if more := i == 0; reader.Fill(give(0)) != more {
			t.Errorf("after frame %d there is more: %t", i, !more)
		}
	}
}
