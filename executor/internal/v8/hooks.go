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
