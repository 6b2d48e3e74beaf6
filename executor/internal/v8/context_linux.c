// v8go makes two contexts for an isolate: one of its own, whose builtins nobody ever calls, and the one it is asked for, with a
// global object that is copied from the first kind, member by member. Each costs as much as the heap itself. This file stands
// between v8go and the engine, and gives it the first for the second.
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

// What v8go has made for itself, until it asks for another. A thread has one isolate in the making.
static _Thread_local struct {
  void *isolate;
  uintptr_t *context;
} first;

uintptr_t *__wrap__ZN2v87Context3NewEPNS_7IsolateEPNS_22ExtensionConfigurationENS_10MaybeLocalINS_14ObjectTemplateEEENS5_INS_5ValueEEENS_33DeserializeInternalFieldsCallbackEPNS_14MicrotaskQueueENS_30DeserializeContextDataCallbackENS_29DeserializeAPIWrapperCallbackE(
    void *isolate, void *extensions, void *global_template, void *global, deserializer fields, void *microtasks, deserializer data, deserializer wrappers) {
  if (first.isolate == isolate) {
    uintptr_t *context = _ZN2v811HandleScope12CreateHandleEPNS_8internal7IsolateEm(isolate, *first.context);
    _ZN2v812api_internal13DisposeGlobalEPm(first.context);
    first.isolate = 0;
    return context;
  }
  uintptr_t *context = __real__ZN2v87Context3NewEPNS_7IsolateEPNS_22ExtensionConfigurationENS_10MaybeLocalINS_14ObjectTemplateEEENS5_INS_5ValueEEENS_33DeserializeInternalFieldsCallbackEPNS_14MicrotaskQueueENS_30DeserializeContextDataCallbackENS_29DeserializeAPIWrapperCallbackE(
      isolate, extensions, global_template, global, fields, microtasks, data, wrappers);
  if (context != 0) {
    first.isolate = isolate;
    first.context = _ZN2v812api_internal18GlobalizeReferenceEPNS_8internal7IsolateEm(isolate, *context);
  }
  return context;
}
