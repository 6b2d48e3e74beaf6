//go:build cgo && linux

package v8

// #cgo LDFLAGS: -Wl,--wrap=_ZN2v87Context3NewEPNS_7IsolateEPNS_22ExtensionConfigurationENS_10MaybeLocalINS_14ObjectTemplateEEENS5_INS_5ValueEEENS_33DeserializeInternalFieldsCallbackEPNS_14MicrotaskQueueENS_30DeserializeContextDataCallbackENS_29DeserializeAPIWrapperCallbackE
//
// void codemode_make_isolate(int making);
import "C"

import (
	"runtime"

	"github.com/tommie/v8go"
)

// newIsolate makes an isolate and its context, which is the one that v8go makes for itself.
func newIsolate(options ...v8go.IsolateOption) (*v8go.Isolate, *v8go.Context) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.codemode_make_isolate(1)
	defer C.codemode_make_isolate(0)
	isolate := v8go.NewIsolate(options...)
	return isolate, v8go.NewContext(isolate)
}
