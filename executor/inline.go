package executor

import (
	"errors"
	"time"
)

// A call whose tool has answered at once before runs on the goroutine that reads the worker's frames: handing it to one of
// its own wakes a thread, which takes longer than such a tool. Nothing may hang on the guess. A reader that is held up is
// relieved by the run's supervisor: another goroutine takes over the frames, and the old one ends with its call.

const (
	// atOnce is how long a tool may have taken the last time.
	atOnce = 30 * time.Microsecond
	// heldUp is how long a reader may be in a call before it is relieved. The supervisor comes by every few milliseconds.
	heldUp = time.Millisecond
	// nextCall is how long a reader looks for the next frame before it sleeps: a program that has its answer goes on to the next
	// call in less, and waking a processor that has gone idle takes longer.
	nextCall = 50 * time.Microsecond
)

// errRelieved tells a reader that it is not the reader any more.
var errRelieved = errors.New("another goroutine reads the frames")

// detour is a call on the reader's goroutine. Whoever takes it out of process.detour reads the next frame.
type detour struct{ began time.Time }

// inline makes the call on this goroutine, the reader's. A function that ends the goroutine has held it up for good.
func (w *process) inline(d *detour, call func()) error {
	call()
	if !w.detour.CompareAndSwap(d, nil) {
		return errRelieved
	}
	w.stdout.linger(w.incoming, nextCall)
	return nil
}

// relieve lets another goroutine read on while d, if the reader is still on it, takes its time.
func (w *process) relieve(d *detour) {
	if d != nil && w.detour.CompareAndSwap(d, nil) {
		go w.read()
	}
}

// attend relieves a reader that is held up.
func (w *process) attend() {
	if d := w.detour.Load(); d != nil && time.Since(d.began) > w.pool.heldUp {
		w.relieve(d)
	}
}
