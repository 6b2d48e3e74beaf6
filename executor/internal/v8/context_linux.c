// v8go makes two contexts for an isolate: one of its own, whose builtins nobody ever calls, and the one it is asked for, whose global
// object, made of a template, gets the members of a usual one, one by one. Each costs as much as the heap itself. This file stands
// between v8go and the engine, and gives it the first for the second, for the isolates of this package: others in the process may want
// what they ask for.
//
// The linker leads v8go's calls of v8::Context::New here (see context_linux.go), whose arguments are declared as V8 13.6 has them:
// a Local is one pointer, a deserializer two.

//go:build cgo && linux

#include <stdint.h>

typedef struct {
  void *callback, *data;
} deserializer;

uintptr_t *__real__ZN2v87Context3NewEPNS_7IsolateEPNS_22ExtensionConfigurationENS_10MaybeLocalINS_14ObjectTemplateEEENS5_INS_5ValueEEENS_33DeserializeInternalFieldsCallbackEPNS_14MicrotaskQueueENS_30DeserializeContextDataCallbackENS_29DeserializeAPIWrapperCallbackE(
    void *isolate, void *extensions, void *global_template, void *global, deserializer fields, void *microtasks, deserializer data, deserializer wrappers);

// v8::HandleScope::CreateHandle, and the two sides of a v8::Global.
uintptr_t *_ZN2v811HandleScope12CreateHandleEPNS_8internal7IsolateEm(void *isolate, uintptr_t value);
uintptr_t *_ZN2v812api_internal18GlobalizeReferenceEPNS_8internal7IsolateEm(void *isolate, uintptr_t value);
void _ZN2v812api_internal13DisposeGlobalEPm(uintptr_t *global);

// Whether this thread makes an isolate of this package, and the context that v8go has made for itself.
static _Thread_local struct {
  int making;
  uintptr_t *context;
} own;

void codemode_make_isolate(int making) { own.making = making; }

uintptr_t *__wrap__ZN2v87Context3NewEPNS_7IsolateEPNS_22ExtensionConfigurationENS_10MaybeLocalINS_14ObjectTemplateEEENS5_INS_5ValueEEENS_33DeserializeInternalFieldsCallbackEPNS_14MicrotaskQueueENS_30DeserializeContextDataCallbackENS_29DeserializeAPIWrapperCallbackE(
    void *isolate, void *extensions, void *global_template, void *global, deserializer fields, void *microtasks, deserializer data, deserializer wrappers) {
  if (own.context != 0) {
    uintptr_t *context = _ZN2v811HandleScope12CreateHandleEPNS_8internal7IsolateEm(isolate, *own.context);
    _ZN2v812api_internal13DisposeGlobalEPm(own.context);
    own.context = 0;
    return context;
  }
  uintptr_t *context = __real__ZN2v87Context3NewEPNS_7IsolateEPNS_22ExtensionConfigurationENS_10MaybeLocalINS_14ObjectTemplateEEENS5_INS_5ValueEEENS_33DeserializeInternalFieldsCallbackEPNS_14MicrotaskQueueENS_30DeserializeContextDataCallbackENS_29DeserializeAPIWrapperCallbackE(
      isolate, extensions, global_template, global, fields, microtasks, data, wrappers);
  if (own.making && context != 0) own.context = _ZN2v812api_internal18GlobalizeReferenceEPNS_8internal7IsolateEm(isolate, *context);
  return context;
}
