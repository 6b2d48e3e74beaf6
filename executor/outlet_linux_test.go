package executor

import (
	"os"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// countingPipe counts the bytes that go by a pipe.
type countingPipe struct {
	*os.File
	bytes int
}

func (p *countingPipe) Write(text []byte) (int, error) {
	p.bytes += len(text)
	return p.File.Write(text)
}

// Who lingers finds what comes meanwhile, and looks into the mailbox for it.
func TestWhoLingersLooksIntoTheMailbox(t *testing.T) {
	o, inlet, err := newOutlet()
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	defer inlet.Close()
	mailbox, file, err := wire.NewMailbox()
	if err != nil {
		t.Fatal(err)
	}
	defer mailbox.Close()
	defer file.Close()
	inbox, _ := mailbox.PoolSide(nil)
	o.use(inbox)
	pipe := &countingPipe{File: inlet}
	_, outbox := mailbox.WorkerSide(pipe)
	reader, writer := wire.NewReader(o, 1<<20), wire.NewWriter(outbox)
	for range 1000 {
		before := pipe.bytes
		sent := make(chan error)
		go func() {
			time.Sleep(time.Millisecond) // it most likely looks by then
			if err := writer.Write(wire.Call, []byte("1")); err != nil {
				sent <- err
				return
			}
			sent <- writer.Flush()
		}()
		o.linger(reader, time.Minute)
		found := reader.Buffered()
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
		frame, err := reader.Read()
		if !found || err != nil || frame.Kind != wire.Call {
			t.Fatalf("found: %t; read: %+v, %v", found, frame, err)
		}
		if pipe.bytes == before {
			return
		}
	}
	t.Error("nothing came by the mailbox")
}

// After a call on its goroutine the reader looks for the next frame before it sleeps.
func TestAReaderLingersAfterACall(t *testing.T) {
	o, inlet, err := newOutlet()
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	defer inlet.Close()
	w := &process{stdout: o, incoming: wire.NewReader(o, 1<<20)}
	if _, err := inlet.WriteString("a frame"); err != nil {
		t.Fatal(err)
	}
	d := &detour{time.Now()}
	w.detour.Store(d)
	if err := w.inline(d, func() {}); err != nil || w.detour.Load() != nil || !w.incoming.Buffered() {
		t.Errorf("%v; it has looked: %t", err, w.incoming.Buffered())
	}
	w.detour.Store(d)
	if err := w.inline(d, func() { w.detour.Store(nil) }); err != errRelieved {
		t.Errorf("one that was relieved goes on: %v", err)
	}
}
