package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// memoryPipe is a pipe, which waits for who reads it only at the next write after it was full.
type memoryPipe struct {
	mu   sync.Mutex
	held bytes.Buffer
}

func (p *memoryPipe) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held.Len() >= 64<<10 {
		p.mu.Unlock()
		runtime.Gosched()
		p.mu.Lock()
	}
	return p.held.Write(data)
}

func (p *memoryPipe) readNow(into []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held.Read(into)
}

func inMemory() *Mailbox { return mailboxOf(make([]byte, mailboxBytes)) }

// Whatever way the bytes take, and whatever sender and receiver do meanwhile, they come in the order in which they were sent.
func TestAMailboxAndItsPipeCarryOneStream(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sent := make([]byte, 4<<20)
	for i := range sent {
		sent[i] = byte(random.Uint32())
	}
	box, pipe := inMemory(), &memoryPipe{}
	_, outbox := box.PoolSide(pipe)
	inbox, _ := box.WorkerSide(io.Discard)
	go func() {
		random := rand.New(rand.NewPCG(3, 4))
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(1<<random.IntN(14)))
			outbox.Write(rest[:n])
			rest = rest[n:]
			for range random.IntN(4) {
				runtime.Gosched()
			}
		}
	}()
	var received []byte
	byMailbox := 0
	into := make([]byte, 1<<14)
	for len(received) < len(sent) {
		if random.IntN(3) > 0 {
			patience := random.IntN(4)
			inbox.Await(func() bool { runtime.Gosched(); patience--; return patience >= 0 })
		}
		holds := inbox.Holds()
		n, err := inbox.Read(into[:1+random.IntN(len(into)-1)], pipe.readNow)
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if holds {
			byMailbox += n
		}
		if at := len(received); !bytes.Equal(into[:n], sent[at:at+n]) {
			t.Fatalf("other bytes than were sent, from %d on", at)
		}
		received = append(received, into[:n]...)
		runtime.Gosched()
	}
	if byMailbox == 0 || byMailbox == len(sent) {
		t.Errorf("%d of %d bytes came by the mailbox", byMailbox, len(sent))
	}
}

// The other process may be hostile: what it writes beside the text is no more than a wrong stream.
func TestAMailboxOfAHostileProcess(t *testing.T) {
	for _, forged := range []struct {
		state, size  uint32
		piped, after uint64
		holds        bool
		read         int
		readsPipe    bool
	}{
		{state: full, size: 0, holds: true},
		{state: full, size: 1 << 31, holds: true, read: 1 << 10},
		{state: full, size: ^uint32(0), holds: true, read: 1 << 10},
		{state: full, size: 9, after: ^uint64(0), readsPipe: true},
		{state: 77, size: 9, readsPipe: true},
		{state: looking, size: 9, piped: ^uint64(0), readsPipe: true},
	} {
		box := inMemory()
		inbox, outbox := box.PoolSide(io.Discard)
		for i := range box.places {
			p := &box.places[i]
			p.state.Store(forged.state)
			p.size.Store(forged.size)
			p.piped.Store(forged.piped)
			p.after.Store(forged.after)
		}
		asked := false
		pauses := 3
		inbox.Await(func() bool { pauses--; return pauses > 0 })
		if inbox.Holds() != forged.holds {
			t.Errorf("%+v: holds %t", forged, !forged.holds)
		}
		n, err := inbox.Read(make([]byte, 1<<10), func(into []byte) (int, error) { asked = true; return 0, nil })
		if n != forged.read || err != nil || asked != forged.readsPipe {
			t.Errorf("%+v: %d bytes, %v; the pipe was read: %t", forged, n, err, asked)
		}
		if n, err := outbox.Write([]byte("an answer")); n != 9 || err != nil {
			t.Errorf("%+v: %d bytes sent, %v", forged, n, err)
		}
	}
	// A size that shrinks between two reads of the same text.
	box := inMemory()
	inbox, _ := box.PoolSide(io.Discard)
	p := &box.places[0]
	p.state.Store(full)
	p.size.Store(100)
	noPipe := func([]byte) (int, error) { t.Fatal("the pipe was read"); return 0, nil }
	if n, _ := inbox.Read(make([]byte, 60), noPipe); n != 60 {
		t.Errorf("%d bytes", n)
	}
	p.size.Store(10)
	if n, _ := inbox.Read(make([]byte, 60), noPipe); n != 0 || inbox.Holds() {
		t.Errorf("%d bytes of less than had been taken; it holds more: %t", n, inbox.Holds())
	}
}

// Who does not look may sleep, and only the pipe wakes it.
func TestNothingIsLeftForWhoDoesNotLook(t *testing.T) {
	box, pipe := inMemory(), &memoryPipe{}
	_, outbox := box.PoolSide(pipe)
	inbox, _ := box.WorkerSide(io.Discard)
	into := make([]byte, 100)
	byPipe := func(when string) {
		t.Helper()
		outbox.Write([]byte(when))
		if got := pipe.held.String(); got != when {
			t.Errorf("the pipe has %q of what was sent %s", got, when)
		}
		if n, err := inbox.Read(into, pipe.readNow); string(into[:n]) != when || err != nil {
			t.Errorf("%q, %v", into[:n], err)
		}
	}
	byPipe("before it looked")
	pauses := 0
	inbox.Await(func() bool { pauses++; return pauses < 3 })
	if pauses != 3 {
		t.Errorf("it paused %d times", pauses)
	}
	byPipe("after it looked in vain")
	pauses = 0
	inbox.Await(func() bool {
		pauses++
		outbox.Write(nil) // would be read as the end
		if inbox.Holds() {
			t.Error("nothing was sent, and something lies there")
		}
		outbox.Write([]byte("as it looked"))
		return pauses < 3
	})
	if !inbox.Holds() || pauses != 1 || pipe.held.Len() != 0 {
		t.Errorf("it holds what was sent: %t, after %d pauses; the pipe has %q", inbox.Holds(), pauses, pipe.held.String())
	}
	if n, _ := inbox.Read(into, pipe.readNow); string(into[:n]) != "as it looked" {
		t.Errorf("%q", into[:n])
	}
	outbox.Close()
	inbox.Await(func() bool { byPipe("after the sender's end was closed"); return false })
}

// What is one byte too long for a place goes by the pipe, whole, and what just fits does not.
func TestAPlaceTakesWhatFits(t *testing.T) {
	for _, more := range []int{-1, 0, 1} {
		box, pipe := inMemory(), &memoryPipe{}
		_, outbox := box.PoolSide(pipe)
		inbox, _ := box.WorkerSide(io.Discard)
		text := bytes.Repeat([]byte("x"), len(box.places[0].text)+more)
		inbox.Await(func() bool { outbox.Write(text); return false })
		if byPipe := pipe.held.Len(); byPipe != max(0, more)*len(text) {
			t.Errorf("of %d bytes %d went by the pipe", len(text), byPipe)
		}
		into := make([]byte, placeBytes)
		if n, err := inbox.Read(into, pipe.readNow); !bytes.Equal(into[:n], text) || err != nil {
			t.Errorf("%d bytes of %d, %v", n, len(text), err)
		}
	}
}

// writer is a pipe's end.
type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// A pipe takes a long text only as somebody reads it: who looks into the mailbox has to learn of it before.
func TestWhoLooksIsToldOfThePipeFirst(t *testing.T) {
	box := inMemory()
	inbox, _ := box.WorkerSide(io.Discard)
	_, outbox := box.PoolSide(writer(func(p []byte) (int, error) {
		inbox.Await(func() bool { t.Error("it does not know"); return false })
		return len(p), nil
	}))
	outbox.Write(make([]byte, 2*placeBytes))
}

// A read that fails has not read anything, also where it says -1.
func TestAReadOfThePipeThatFailsCountsNothing(t *testing.T) {
	box, pipe := inMemory(), &memoryPipe{}
	_, outbox := box.PoolSide(pipe)
	inbox, _ := box.WorkerSide(io.Discard)
	again := errors.New("try again")
	if n, err := inbox.Read(make([]byte, 10), func([]byte) (int, error) { return -1, again }); n != -1 || err != again {
		t.Errorf("%d bytes, %v", n, err)
	}
	long := make([]byte, 2*placeBytes)
	inbox.Await(func() bool {
		outbox.Write(long)
		outbox.Write([]byte("short"))
		return true
	})
	if n, err := inbox.Read(make([]byte, 3*placeBytes), pipe.readNow); n != len(long) || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	into := make([]byte, 10)
	if n, err := inbox.Read(into, pipe.readNow); string(into[:n]) != "short" || err != nil {
		t.Errorf("%q, %v", into[:n], err)
	}
}

func TestWithoutAMailboxThereIsThePipe(t *testing.T) {
	pipe := &memoryPipe{}
	inbox, outbox := (*Mailbox)(nil).PoolSide(pipe)
	inbox.Await(func() bool { t.Fatal("it waits"); return false })
	if n, err := outbox.Write([]byte("text")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	into := make([]byte, 10)
	if n, err := inbox.Read(into, pipe.readNow); string(into[:n]) != "text" || err != nil || inbox.Holds() {
		t.Errorf("%q, %v", into[:n], err)
	}
}

// Sender and receiver that share a processor find each other by giving way, so that looking long is in vain.
func TestAReceiverLosesItsPatienceForAWhile(t *testing.T) {
	inbox, _ := inMemory().PoolSide(io.Discard)
	giveUp := func() bool { return false }
	var patience []int
	for range 2 * (inVain + aWhile) {
		before := *inbox
		patience = append(patience, before.patience())
		inbox.Await(giveUp)
	}
	for i, looks := range patience {
		want := fewLooks
		if i < inVain || (i-inVain)%(aWhile+1) == aWhile {
			want = manyLooks
		}
		if looks != want {
			t.Errorf("the %dth time it looks %d times, not %d: %v", i+1, looks, want, patience)
		}
	}
	box := inMemory()
	inbox, _ = box.PoolSide(io.Discard)
	_, outbox := box.WorkerSide(io.Discard)
	for range inVain - 1 {
		inbox.Await(giveUp)
	}
	outbox.Write([]byte("x")) // by the pipe, for nobody looks
	inbox.Await(giveUp)
	if inbox.late != 0 {
		t.Errorf("one that found something at once counts %d times in vain", inbox.late)
	}
}
