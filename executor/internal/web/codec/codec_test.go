package codec

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// pool is of all tests, so that what one leaves is used by the next.
var pool Pool

var formats = []string{"gzip", "deflate", "deflate-raw", "brotli", "zstd"}

// drain gives what comes out until the codec is hungry or done.
func drain(c Codec) (out []byte, state State, err error) {
	for {
		piece, state, err := c.Next()
		if len(piece) > Piece {
			return out, state, fmt.Errorf("a piece of %d bytes", len(piece))
		}
		out = append(out, piece...)
		if state != More || err != nil {
			return out, state, err
		}
	}
}

// convert feeds input in pieces of a size and gives the whole output.
func convert(c Codec, input []byte, size int) (out []byte, err error) {
	defer c.Close()
	for at := 0; at < len(input); at += size {
		c.Write(bytes.Clone(input[at:min(at+size, len(input))]))
		piece, state, err := drain(c)
		out = append(out, piece...)
		if state == Done || err != nil {
			return out, err
		}
	}
	c.End()
	piece, _, err := drain(c)
	return append(out, piece...), err
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// samples are texts that compress in different ways.
func samples() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise, words := make([]byte, 300_000), []byte{}
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	for len(words) < 400_000 {
		words = append(words, strings.Repeat(fmt.Sprint(random.IntN(1<<random.IntN(30))), 1+random.IntN(3))+" "...)
	}
	return map[string][]byte{"nothing": nil, "a": []byte("a"), "zeros": make([]byte, 1<<20), "noise": noise, "words": words, "mixed": append(append(bytes.Clone(words[:70_000]), noise[:70_000]...), words[:70_000]...)}
}

func TestRoundTripsInPiecesOfAnySize(t *testing.T) {
	for name, text := range samples() {
		for _, format := range formats {
			for _, size := range []int{1, 7, 1000, 1 << 20} {
				if size == 1 && len(text) > 100_000 {
					text = text[:100_000]
				}
				packed := must[[]byte](t)(convert(must[Codec](t)(pool.Compress(format, 5, nil)), text, max(size, 100)))
				got, err := convert(must[Codec](t)(pool.Decompress(format, Strict, nil)), packed, size)
				if err != nil || !bytes.Equal(got, text) {
					t.Errorf("%s as %s in pieces of %d: %d of %d bytes, %v", name, format, size, len(got), len(text), err)
				}
			}
		}
	}
}

// TestInflaterReadsWhatGoWrites reads the blocks of the standard library at each of its levels, and its reader what is ours.
func TestInflaterReadsWhatGoWrites(t *testing.T) {
	for name, text := range samples() {
		for level := flate.HuffmanOnly; level <= 9; level++ {
			var packed bytes.Buffer
			w := must[*flate.Writer](t)(flate.NewWriter(&packed, level))
			w.Write(text)
			w.Close()
			got, err := convert(must[Codec](t)(pool.Decompress("deflate-raw", Strict, nil)), packed.Bytes(), 4096)
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s at level %d: %d of %d bytes, %v", name, level, len(got), len(text), err)
			}
		}
		packed := must[[]byte](t)(convert(must[Codec](t)(pool.Compress("gzip", 9, nil)), text, 1000))
		r := must[*gzip.Reader](t)(gzip.NewReader(bytes.NewReader(packed)))
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s for the standard library: %d of %d bytes, %v", name, len(got), len(text), err)
		}
	}
}

// TestInflaterAgreesAboutDamage damages data at random: what the standard library refuses is refused, and what it reads is
// read alike.
func TestInflaterAgreesAboutDamage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	text := samples()["words"][:3000]
	packed := must[[]byte](t)(convert(must[Codec](t)(pool.Compress("deflate", 9, nil)), text, 1<<20))
	for i := range 20_000 {
		damaged := bytes.Clone(packed)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
		}
		if i%3 == 0 {
			damaged = damaged[:random.IntN(len(damaged))]
		}
		var want []byte
		r, wantErr := zlib.NewReader(bytes.NewReader(damaged))
		if wantErr == nil {
			want, wantErr = io.ReadAll(r)
		}
		got, err := convert(must[Codec](t)(pool.Decompress("deflate", Ignore, nil)), damaged, 1+random.IntN(500))
		if (err != nil) != (wantErr != nil) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%x: %d bytes, %v; the standard library has %d, %v", damaged, len(got), err, len(want), wantErr)
		}
	}
}

func TestOutputComesBeforeTheEndOfTheInput(t *testing.T) {
	for _, format := range formats {
		c := must[Codec](t)(pool.Compress(format, 5, nil))
		var packed []byte
		for _, text := range []string{"one ", "two "} {
			c.Write([]byte(text))
			c.Flush()
			piece, state, err := drain(c)
			if state != Hungry || err != nil || len(piece) == 0 {
				t.Errorf("%s: a flush gives %d bytes, %v, %v", format, len(piece), state, err)
			}
			packed = append(packed, piece...)
		}
		d := must[Codec](t)(pool.Decompress(format, Strict, nil))
		d.Write(packed)
		if got, state, err := drain(d); string(got) != "one two " || state != Hungry || err != nil {
			t.Errorf("%s: what was flushed comes out as %q, %v, %v", format, got, state, err)
		}
		c.Close()
		d.Close()
	}
}

func TestEndsOfInput(t *testing.T) {
	for _, format := range formats {
		packed := must[[]byte](t)(convert(must[Codec](t)(pool.Compress(format, 5, nil)), []byte("some text, some text"), 100))
		for cut := 1; cut < len(packed); cut++ {
			if _, err := convert(must[Codec](t)(pool.Decompress(format, Strict, nil)), packed[:cut], 3); !errors.Is(err, ErrTruncated) {
				t.Errorf("%s cut to %d of %d: %v", format, cut, len(packed), err)
			}
		}
		if format == "zstd" { // frames follow one another there
			continue
		}
		junk := append(bytes.Clone(packed), 0, 7)
		if _, err := convert(must[Codec](t)(pool.Decompress(format, Strict, nil)), junk, 100); !errors.Is(err, ErrTrailing) {
			t.Errorf("%s with junk: %v", format, err)
		}
		if got, err := convert(must[Codec](t)(pool.Decompress(format, Ignore, nil)), junk, 100); err != nil || string(got) != "some text, some text" {
			t.Errorf("%s with junk to be ignored: %q, %v", format, got, err)
		}
	}
	member := must[[]byte](t)(convert(must[Codec](t)(pool.Compress("gzip", 5, nil)), []byte("member "), 100))
	for _, size := range []int{1, 100} {
		if got, err := convert(must[Codec](t)(pool.Decompress("gzip", Ignore, nil)), append(bytes.Clone(member), member...), size); err != nil || string(got) != "member member " {
			t.Errorf("two members in pieces of %d: %q, %v", size, got, err)
		}
		if _, err := convert(must[Codec](t)(pool.Decompress("gzip", Strict, nil)), append(bytes.Clone(member), member...), 100); !errors.Is(err, ErrTrailing) {
			t.Errorf("two members where one is wanted: %v", err)
		}
	}
}

func TestDictionaries(t *testing.T) {
	dictionary := []byte("words that come often")
	for _, format := range []string{"deflate", "deflate-raw"} {
		packed := must[[]byte](t)(convert(must[Codec](t)(pool.Compress(format, 6, dictionary)), []byte("words that come often, words that come"), 100))
		if got, err := convert(must[Codec](t)(pool.Decompress(format, Strict, dictionary)), packed, 1); err != nil || string(got) != "words that come often, words that come" {
			t.Errorf("%s: %q, %v", format, got, err)
		}
		for _, other := range [][]byte{nil, []byte("none")} {
			if _, err := convert(must[Codec](t)(pool.Decompress(format, Strict, other)), packed, 1); err == nil {
				t.Errorf("%s is read with the dictionary %q", format, other)
			}
		}
	}
}

func TestTextsOfErrors(t *testing.T) {
	for _, test := range []struct{ format, hex, want string }{
		{"deflate", "7800", "incorrect header check"},
		{"deflate", "7709", "unknown compression method"},
		{"deflate", "881c", "invalid window size"},
		{"deflate", "789c4b04000062006300", "incorrect data check"},
		{"deflate-raw", "07", "invalid block type"},
		{"deflate-raw", "0100000000", "invalid stored block lengths"},
		{"deflate-raw", "fcff0000000000", "too many length or distance symbols"},
		{"deflate-raw", "0400fe0f0000000000", "invalid code lengths set"},
		{"deflate-raw", "03020000", "invalid distance too far back"},
		{"deflate", "78bb00000000", "Missing dictionary"},
		{"gzip", "1f8c", "incorrect header check"},
		{"gzip", "1f8b0700", "unknown compression method"},
		{"gzip", "1f8b08e0", "unknown header flags set"},
		{"gzip", "1f8b08020000000000030000", "header crc mismatch"},
		{"gzip", "1f8b080000000000000303000100000000000000", "incorrect data check"},
		{"gzip", "1f8b080000000000000303000000000001000000", "incorrect length check"},
		{"brotli", "ffffffff", "Decompression failed"},
		{"zstd", "00010203", "Zstd decompression failed: Unknown frame descriptor"},
	} {
		var data []byte
		fmt.Sscanf(test.hex, "%x", &data)
		if _, err := convert(must[Codec](t)(pool.Decompress(test.format, Ignore, nil)), data, 3); err == nil || err.Error() != test.want {
			t.Errorf("%s %s: %v, want %s", test.format, test.hex, err, test.want)
		}
	}
}

// TestBombIsGivenInPieces expands a small input to much without holding it.
func TestBombIsGivenInPieces(t *testing.T) {
	const size = 64 << 20
	for _, format := range formats {
		c := must[Codec](t)(pool.Compress(format, 5, nil))
		var packed []byte
		for range 64 {
			c.Write(make([]byte, size/64))
			piece, _, err := drain(c)
			if err != nil {
				t.Fatal(err)
			}
			packed = append(packed, piece...)
		}
		c.End()
		piece, _, err := drain(c)
		if err != nil {
			t.Fatal(err)
		}
		packed = append(packed, piece...)
		d := must[Codec](t)(pool.Decompress(format, Strict, nil))
		d.Write(packed)
		d.End()
		total := 0
		for {
			piece, state, err := d.Next()
			if err != nil || len(piece) > Piece {
				t.Fatalf("%s: %d bytes, %v", format, len(piece), err)
			}
			if total += len(piece); state == Done {
				break
			}
		}
		if total != size {
			t.Errorf("%s: %d bytes of %d", format, total, size)
		}
		c.Close()
		d.Close()
	}
}

func BenchmarkInflate(b *testing.B) {
	text := bytes.Repeat(samples()["words"], 5)
	packed, err := convert(func() Codec { c, _ := pool.Compress("gzip", 6, nil); return c }(), text, 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c, _ := pool.Decompress("gzip", Strict, nil)
		if _, err := convert(c, packed, 64<<10); err != nil {
			b.Fatal(err)
		}
	}
}
