//go:build cgo && (linux || darwin)

package v8

// #include "hooks.h"
// #include <stdlib.h>
import "C"

import "unsafe"

// ExposeExtras makes an object of the engine's a member of the global object: its functions
// getContinuationPreservedEmbedderData and setContinuationPreservedEmbedderData read and write the value that follows
// what runs along its promises, and its member rejected, which has to be set to a function before a promise rejects, is
// called with a promise that rejects without a handler and its reason, and with the promise alone when one comes late.
// It works only while a Callback of the isolate runs, and says whether it did.
func (i *Isolate) ExposeExtras(name string) bool {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return C.codemode_expose_extras(text, C.int(len(name))) == 1
}

// Revealed is what Reveal looks for in a value.
type Revealed int

const (
	// Entries are those of a Map, Set, WeakMap or WeakSet, or what an iterator of one has still to give, in an array.
	Entries Revealed = iota
	// Target is a proxy's.
	Target
	// Handler is a proxy's.
	Handler
)

// Reveal replaces the value of a member of the global object by something of it that no script can get. found says
// whether there is such a thing, pairs that the entries are keys and values in turn. It works only while a Callback of the
// isolate runs.
func (i *Isolate) Reveal(name string, what Revealed) (found, pairs bool) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	answer := C.codemode_reveal(text, C.int(len(name)), C.int(what))
	return answer > 0, answer == 2
}

// ReadText is the text that a script has left as the member text of the extras, as UTF-8 or, with latin1, a byte a unit, in
// buffer where that has room. It works only while a Callback of the isolate runs, and copies a long text once where
// Value.Text does so four times. ok is false when there is no text, or one that is not latin1.
func (i *Isolate) ReadText(buffer []byte, latin1 bool) (text []byte, ok bool) {
	for {
		size := int(C.codemode_read_text((*C.char)(unsafe.Pointer(unsafe.SliceData(buffer))), C.long(cap(buffer)), flag(latin1)))
		switch {
		case size < 0:
			return nil, false
		case size <= cap(buffer):
			return buffer[:size], true
		}
		buffer = make([]byte, 0, size)
	}
}

// WriteText makes a text of UTF-8 or of latin1 the member text of the extras. It works only while a Callback of the isolate
// runs, and says whether it did.
func (i *Isolate) WriteText(text []byte, latin1 bool) bool {
	return C.codemode_write_text((*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.long(len(text)), flag(latin1)) == 1
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
