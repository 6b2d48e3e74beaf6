//go:build cgo && linux

package v8

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"
)

const (
	granule  = 64 << 10
	reserved = 32 << 20
	guarded  = reserved + granule - 4096
)

// span is pages as the engine means them: what they hold when it may read them, what it may do with them.
type span struct {
	at         unsafe.Pointer
	protection int
	written    bool
}

func (s *span) bytes() []byte { return unsafe.Slice((*byte)(s.at), granule) }

// Whatever the engine does with pages in whatever order, it finds new ones where it gave them up: zero, and its own
// writes where it did not. (That a page it must not touch is without access is not so while it is kept, on purpose.)
func TestKeptPagesAreAsNew(t *testing.T) {
	if os.Getenv("CODEMODE_TEST_PAGES") == "" { // the test binary's own isolates are to be as they were
		again := exec.Command(os.Args[0], "-test.run=^TestKeptPagesAreAsNew$", "-test.v")
		again.Env = append(os.Environ(), "CODEMODE_TEST_PAGES=1")
		if out, err := again.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS: TestKeptPagesAreAsNew")) {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	KeepPages(2 << 20)
	random := rand.New(rand.NewPCG(1, 2))
	var first unsafe.Pointer
	for round := range 12 {
		base := reservePages(guarded)
		if first == nil {
			first = base
		} else if base != first {
			t.Fatal("address space that was given up is not what the next isolate gets")
		}
		before := int(-uintptr(base) & (granule - 1)) // the engine takes more than it needs, and gives the ends back
		aligned := unsafe.Add(base, before)
		for _, end := range []struct{ offset, size int }{{0, before}, {before + reserved, guarded - reserved - before}} {
			if end.size > 0 && !unmapPages(unsafe.Add(base, end.offset), end.size) {
				t.Fatal("giving back an end")
			}
		}
		spans := make([]span, 48)
		for i := range spans {
			spans[i].at = unsafe.Add(aligned, i*granule)
		}
		for range 400 {
			step(t, random, &spans[random.IntN(len(spans))])
		}
		if random.IntN(8) == 0 {
			ReleasePages()
		}
		for i := range spans {
			if !decommitPages(spans[i].at, granule) {
				t.Fatalf("round %d: giving up", round)
			}
		}
		if !unmapPages(aligned, reserved) {
			t.Fatalf("round %d: unmapping", round)
		}
	}
}

// step does one thing to a span that the engine might do, and looks at what it can read after it.
func step(t *testing.T, random *rand.Rand, s *span) {
	t.Helper()
	ok := true
	switch kind := random.IntN(5); {
	case kind == 0:
		ok, s.protection, s.written = decommitPages(s.at, granule), syscall.PROT_NONE, false
	case kind == 1:
		ok = protectPages(s.at, granule, syscall.PROT_NONE) && discardPages(s.at, granule)
		s.protection, s.written = syscall.PROT_NONE, false
	case kind == 2:
		ok, s.protection = protectPages(s.at, granule, syscall.PROT_READ), syscall.PROT_READ
	default:
		ok, s.protection = protectPages(s.at, granule, syscall.PROT_READ|syscall.PROT_WRITE), syscall.PROT_READ|syscall.PROT_WRITE
	}
	if !ok {
		t.Fatal("a call failed")
	}
	if s.protection == syscall.PROT_NONE {
		return
	}
	want := byte(0)
	if s.written {
		want = 7
	}
	if page := random.IntN(16); s.bytes()[page<<12] != want || !s.written && bytes.Count(s.bytes(), []byte{0}) != granule {
		t.Fatalf("a page begins with %d instead of %d", s.bytes()[page<<12], want)
	}
	if s.protection == syscall.PROT_READ|syscall.PROT_WRITE && random.IntN(2) == 0 {
		for i := range s.bytes() {
			s.bytes()[i] = 7
		}
		s.written = true
	}
}
