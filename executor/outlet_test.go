package executor

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// What writes to a worker's stdout may always be quicker than who reads it.
func TestAnInterruptedOutletHasNothingToReadAnyMore(t *testing.T) {
	o, inlet, err := newOutlet()
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	defer inlet.Close()
	if _, err := inlet.WriteString("frames"); err != nil {
		t.Fatal(err)
	}
	var some [3]byte
	if n, err := o.Read(some[:]); n != len(some) || err != nil {
		t.Fatalf("before: %d bytes, %v", n, err)
	}
	o.interrupt()
	for range 2 {
		if n, err := o.Read(some[:]); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("afterwards: %d bytes, %v", n, err)
		}
	}
}

func TestAnOutletThatIsReadIsInterrupted(t *testing.T) {
	o, inlet, err := newOutlet()
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	defer inlet.Close()
	over := make(chan error)
	go func() {
		_, err := o.Read(make([]byte, 1))
		over <- err
	}()
	time.Sleep(time.Millisecond) // it most likely waits by then; it must end in any case
	o.interrupt()
	if err := <-over; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}

// Nor has who lingers, or there would be frames in the reader's buffer for as long as somebody writes them.
func TestWhoLingersAtAnInterruptedOutletFindsNothing(t *testing.T) {
	o, inlet, err := newOutlet()
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	defer inlet.Close()
	if _, err := inlet.WriteString("frames"); err != nil {
		t.Fatal(err)
	}
	o.interrupt()
	reader := wire.NewReader(o, 100)
	if o.linger(reader, time.Microsecond); reader.Buffered() {
		t.Error("it has read")
	}
}
