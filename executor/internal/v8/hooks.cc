//go:build cgo && (linux || darwin)

// v8go hands out neither the engine's extras nor its report of rejected promises nor what iterators and proxies hold, and its headers lie where this package
// cannot name them. So what is needed of V8's interface is declared here, as V8 13.6 has it: the names make the linker
// find the functions, and a Local is one pointer.

#include "hooks.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace v8 {
class Array;
class Context;
class Function;
class Object;
class Promise;
class String;
class Value;

template <class T>
struct Local {
  void* slot = nullptr;
  T* operator->() const { return static_cast<T*>(slot); }
  template <class S>
  Local<S> as() const {
    Local<S> other;
    other.slot = slot;
    return other;
  }
};

template <class T>
struct MaybeLocal {
  Local<T> local;
};

template <class T>
struct Maybe {
  bool has;
  T value;
};

struct PromiseRejectMessage {
  Local<Promise> promise;
  int event;  // 0 rejected without a handler, 1 a handler came late, 2 and 3 rejected or resolved again
  Local<Value> value;
};

enum class NewStringType { kNormal, kInternalized };

class Isolate {
 public:
  static Isolate* GetCurrent();
  Local<Context> GetCurrentContext();
  void TerminateExecution();
  void SetPromiseRejectCallback(void (*callback)(PromiseRejectMessage));
};

class Context {
 public:
  Local<Object> Global();
  Local<Object> GetExtrasBindingObject();
};

class Object {
 public:
  MaybeLocal<Value> Get(Local<Context> context, Local<Value> key);
  Maybe<bool> Set(Local<Context> context, Local<Value> key, Local<Value> value);
  MaybeLocal<Array> PreviewEntries(bool* pairs);
};

class Value {
 public:
  bool IsObject() const;
  bool IsProxy() const;
  bool FullIsString() const;
};

class Proxy {
 public:
  Local<Value> GetTarget();
  Local<Value> GetHandler();
};

class Function {
 public:
  MaybeLocal<Value> Call(Local<Context> context, Local<Value> self, int count, Local<Value> arguments[]);
};

class String {
 public:
  static MaybeLocal<String> NewFromUtf8(Isolate* isolate, const char* data, NewStringType type, int length);
  static MaybeLocal<String> NewFromOneByte(Isolate* isolate, const unsigned char* data, NewStringType type, int length);
  int Length() const;
  bool IsOneByte() const;
  bool ContainsOnlyOneByte() const;
  size_t Utf8LengthV2(Isolate* isolate) const;
  size_t WriteUtf8V2(Isolate* isolate, char* into, size_t capacity, int flags, size_t* characters) const;
  void WriteOneByteV2(Isolate* isolate, unsigned offset, unsigned length, unsigned char* into, int flags) const;
};

// V8's has six words; this one has room to spare.
class TryCatch {
 public:
  explicit TryCatch(Isolate* isolate);
  ~TryCatch();
  bool HasTerminated() const;

 private:
  void* words[16];
};
}  // namespace v8

static v8::Local<v8::Value> text(v8::Isolate* isolate, const char* data, int length) {
  return v8::String::NewFromUtf8(isolate, data, v8::NewStringType::kInternalized, length).local.as<v8::Value>();
}

// The function "rejected" of the extras is called with the promise and its reason, or with the promise alone when a
// handler came late. What it throws, as it does where the stack ends, stays here; the end of the program does not.
static void report(v8::PromiseRejectMessage message) {
  if (message.event > 1) return;
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  v8::Local<v8::Context> context = isolate->GetCurrentContext();
  if (context.slot == nullptr) return;
  bool terminated;
  {
    v8::TryCatch caught(isolate);
    v8::Local<v8::Object> extras = context->GetExtrasBindingObject();
    v8::Local<v8::Value> handler = extras->Get(context, text(isolate, "rejected", 8)).local;
    if (handler.slot != nullptr) {
      v8::Local<v8::Value> arguments[] = {message.promise.as<v8::Value>(), message.value};
      handler.as<v8::Function>()->Call(context, extras.as<v8::Value>(), message.event == 0 ? 2 : 1, arguments);
    }
    terminated = caught.HasTerminated();
  }
  if (terminated) isolate->TerminateExecution();
}

int codemode_expose_extras(const char* name, int length) {
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  if (isolate == nullptr) return 0;
  v8::Local<v8::Context> context = isolate->GetCurrentContext();
  if (context.slot == nullptr) return 0;
  v8::Local<v8::Object> extras = context->GetExtrasBindingObject();
  if (!context->Global()->Set(context, text(isolate, name, length), extras.as<v8::Value>()).has) return 0;
  isolate->SetPromiseRejectCallback(report);
  return 1;
}

int codemode_reveal(const char* name, int length, int what) {
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  if (isolate == nullptr) return 0;
  v8::Local<v8::Context> context = isolate->GetCurrentContext();
  if (context.slot == nullptr) return 0;
  v8::Local<v8::Object> global = context->Global();
  v8::Local<v8::Value> key = text(isolate, name, length);
  v8::Local<v8::Value> value = global->Get(context, key).local;
  if (value.slot == nullptr || !value->IsObject()) return 0;
  v8::Local<v8::Value> inner;
  int found = 1;
  if (what == 0) {
    bool pairs = false;
    inner = value.as<v8::Object>()->PreviewEntries(&pairs).local.as<v8::Value>();
    found = pairs ? 2 : 1;
  } else if (value->IsProxy()) {
    inner = what == 1 ? value.as<v8::Proxy>()->GetTarget() : value.as<v8::Proxy>()->GetHandler();
  }
  if (inner.slot == nullptr || !global->Set(context, key, inner).has) return 0;
  return found;
}

// The extras of the context that runs; an empty handle when none does.
static v8::Local<v8::Object> current_extras(v8::Isolate* isolate, v8::Local<v8::Context>* context) {
  if (isolate == nullptr) return {};
  *context = isolate->GetCurrentContext();
  if (context->slot == nullptr) return {};
  return (*context)->GetExtrasBindingObject();
}

static v8::Local<v8::String> text_member(v8::Isolate* isolate) {
  v8::Local<v8::Context> context;
  v8::Local<v8::Object> extras = current_extras(isolate, &context);
  if (extras.slot == nullptr) return {};
  v8::Local<v8::Value> member = extras->Get(context, text(isolate, "text", 4)).local;
  if (member.slot == nullptr || !member->FullIsString()) return {};
  return member.as<v8::String>();
}

static bool is_ascii(const char* bytes, long size) {
  uint64_t all = 0, word = 0;
  for (; size >= 8; bytes += 8, size -= 8) {
    memcpy(&word, bytes, 8);
    all |= word;
  }
  word = 0;
  memcpy(&word, bytes, (size_t)size);
  return ((all | word) & 0x8080808080808080) == 0;
}

long codemode_read_text(char* into, long room, int latin1) {
  static const int replace_invalid = 2;  // String::WriteFlags::kReplaceInvalidUtf8
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  v8::Local<v8::String> member = text_member(isolate);
  if (member.slot == nullptr) return -1;
  long units = member->Length();
  if (latin1) {
    if (!member->ContainsOnlyOneByte()) return -1;
    if (units <= room) member->WriteOneByteV2(isolate, 0, (unsigned)units, (unsigned char*)into, 0);
    return units;
  }
  // Most texts are ASCII. One of a byte a unit is copied as it is, which is faster, and may be found to be no ASCII.
  if (units <= room && member->IsOneByte()) {
    member->WriteOneByteV2(isolate, 0, (unsigned)units, (unsigned char*)into, 0);
    if (is_ascii(into, units)) return units;
  }
  if (units <= room) {
    size_t processed = 0;
    size_t written = member->WriteUtf8V2(isolate, into, (size_t)room, replace_invalid, &processed);
    if ((long)processed == units) return (long)written;
  }
  return (long)member->Utf8LengthV2(isolate);
}

int codemode_write_text(const char* data, long size, int latin1) {
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  v8::Local<v8::Context> context;
  v8::Local<v8::Object> extras = current_extras(isolate, &context);
  if (extras.slot == nullptr || size > 0x7fffffff) return 0;
  v8::Local<v8::Value> made =
      latin1 ? v8::String::NewFromOneByte(isolate, (const unsigned char*)data, v8::NewStringType::kNormal, (int)size).local.as<v8::Value>()
             : v8::String::NewFromUtf8(isolate, data, v8::NewStringType::kNormal, (int)size).local.as<v8::Value>();
  if (made.slot == nullptr) return 0;
  return extras->Set(context, text(isolate, "text", 4), made).has;
}
