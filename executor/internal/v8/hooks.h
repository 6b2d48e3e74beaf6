// What hooks.cc offers to Go.
#ifdef __cplusplus
extern "C" {
#endif

// codemode_expose_extras makes the object of the engine's own extras a member of the current context's global object,
// and has rejections of promises reported to its function "rejected". It is 0 when a script of that isolate is not what
// called, by way of Go.
int codemode_expose_extras(const char* name, int length);

// codemode_reveal replaces a member of the current context's global object by something of it that no script can get:
// the entries of a collection or what an iterator of one has still to give (what 0), the target (1) or the handler (2) of a
// proxy. It is 0 where there is no such thing, and 2 for entries that are keys and values in turn.
int codemode_reveal(const char* name, int length, int what);

// codemode_read_text writes the member "text" of the extras, as UTF-8 with U+FFFD for a lone surrogate or, with latin1, a byte
// a unit. It returns how many bytes there are; where that is more than there is room for, they are not written. It is -1 when
// that is no string or has, with latin1, units above 255, or nothing of the isolate runs.
long codemode_read_text(char* into, long room, int latin1);

// codemode_write_text makes a string of UTF-8 or of latin1 the member "text" of the extras. It is 0 when it cannot be one.
int codemode_write_text(const char* data, long size, int latin1);

#ifdef __cplusplus
}
#endif
