package wire

import (
	"io"
	"sync/atomic"
	"unsafe"
)

// Mailbox is memory that the two sides of a pipe share. A pipe costs its writer and its reader a call of the kernel each, which
// is more than a quick tool takes; so who waits for bytes may look here for a moment, and says so, and who has a few bytes to send
// leaves them here if somebody looks. Else, and for more bytes, there is the pipe. Together the two carry one stream of bytes.
//
// Either process may write into it what it likes, and the other takes that for bytes of the stream.
type Mailbox struct {
	memory []byte
	places *[2]place
}

// place is one direction. Its sender and its receiver are one goroutine at a time each.
type place struct {
	state atomic.Uint32
	size  atomic.Uint32
	// piped is how many bytes the sender has given to the pipe, and after how many it had when it left what lies here.
	piped, after atomic.Uint64
	text         [placeBytes - 24]byte
}

const (
	placeBytes   = 4 << 10
	mailboxBytes = int(unsafe.Sizeof([2]place{}))
)

// The states of a place: the receiver does not look, it does, something lies there.
const (
	idle uint32 = iota
	looking
	full
)

func mailboxOf(memory []byte) *Mailbox {
	return &Mailbox{memory: memory, places: (*[2]place)(unsafe.Pointer(unsafe.SliceData(memory)))}
}

// PoolSide is the pool's ends; pipe writes to the worker's standard input. A nil Mailbox has only the pipe.
func (m *Mailbox) PoolSide(pipe io.Writer) (*Inbox, *Outbox) { return m.side(0, pipe) }

// WorkerSide is the worker's ends; pipe writes to its standard output.
func (m *Mailbox) WorkerSide(pipe io.Writer) (*Inbox, *Outbox) { return m.side(1, pipe) }

func (m *Mailbox) side(receives int, pipe io.Writer) (*Inbox, *Outbox) {
	if m == nil {
		return &Inbox{}, &Outbox{pipe: pipe}
	}
	return &Inbox{place: &m.places[receives]}, &Outbox{pipe: pipe, place: &m.places[1-receives]}
}

// Outbox sends bytes. It is not safe for concurrent use.
type Outbox struct {
	pipe  io.Writer
	place *place
}

// Write implements io.Writer.
func (b *Outbox) Write(p []byte) (int, error) {
	if b.place == nil {
		return b.pipe.Write(p)
	}
	if b.place.put(p) {
		return len(p), nil
	}
	b.place.piped.Add(uint64(len(p))) // first: a pipe takes a long text only as it is read, and who looks here reads when this has grown
	return b.pipe.Write(p)
}

// Close leaves only the pipe.
func (b *Outbox) Close() { b.place = nil }

// put leaves bytes for a receiver that looks.
func (p *place) put(text []byte) bool {
	if len(text) == 0 || len(text) > len(p.text) || p.state.Load() != looking {
		return false
	}
	copy(p.text[:], text)
	p.size.Store(uint32(len(text)))
	p.after.Store(p.piped.Load())
	return p.state.CompareAndSwap(looking, full)
}

// Inbox receives bytes. It is not safe for concurrent use.
type Inbox struct {
	place *place
	piped uint64 // bytes taken from the pipe
	taken int    // bytes taken of what lies in the place
	late  int    // how often looking was in vain, see patience
}

// Read reads what comes next: what lies in the mailbox, or what pipe reads.
func (b *Inbox) Read(into []byte, pipe func([]byte) (int, error)) (int, error) {
	if b.place == nil {
		return pipe(into)
	}
	if b.Holds() {
		return b.take(into), nil
	}
	if b.place.state.Load() == full { // behind what is in the pipe
		into = into[:min(uint64(len(into)), b.place.after.Load()-b.piped)]
	}
	n, err := pipe(into)
	b.piped += uint64(max(n, 0))
	return n, err
}

// Holds reports whether Read would find something without the pipe.
func (b *Inbox) Holds() bool {
	return b.place != nil && b.place.state.Load() == full && b.place.after.Load() <= b.piped
}

// take takes what lies in the place, or as much of it as there is room for.
func (b *Inbox) take(into []byte) int {
	size := min(int(b.place.size.Load()), len(b.place.text))
	n := copy(into, b.place.text[min(b.taken, size):size])
	if b.taken += n; b.taken >= size {
		b.taken = 0
		b.place.state.Store(idle)
	}
	return n
}

// Await looks until there is something to read or pause, which gives others a turn, returns false; without a mailbox not at all.
func (b *Inbox) Await(pause func() bool) {
	if b.place == nil {
		return
	}
	b.place.state.CompareAndSwap(idle, looking)
	looks := b.patience()
	atOnce := true
	for b.nothing(looks) {
		atOnce = false
		if !pause() {
			break
		}
	}
	switch {
	case looks == fewLooks:
	case atOnce:
		b.late = 0
	default:
		b.late++
	}
	b.place.state.CompareAndSwap(looking, idle)
}

// How often a place is looked at before others have a turn: for some twenty microseconds, longer than most quick tools take, since
// in a turn the engine's compiler may begin, which takes ten times as long. If it was in vain several times running, sender and
// receiver may share a processor, and for a while it is a microsecond.
const (
	manyLooks, fewLooks = 1200, 50
	inVain, aWhile      = 4, 16
)

// patience is how often to look at a time. b.late counts the times in vain up to inVain, and then a while.
func (b *Inbox) patience() int {
	if b.late < inVain {
		return manyLooks
	}
	if b.late++; b.late <= inVain+aWhile {
		return fewLooks
	}
	b.late = inVain - 1
	return manyLooks
}

func (b *Inbox) nothing(looks int) bool {
	for range looks {
		if b.place.state.Load() == full || b.place.piped.Load() > b.piped {
			return false
		}
		relax()
	}
	return true
}
