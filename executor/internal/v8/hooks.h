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

// codemode_text_size is how many bytes of UTF-8 the member "text" of the extras has, and codemode_read_text writes them;
// a lone surrogate becomes U+FFFD. It is -1 when that is no string, or nothing of the isolate runs.
long codemode_text_size(void);
long codemode_read_text(char* into, long size);

// codemode_write_text makes a string of UTF-8 the member "text" of the extras. It is 0 when it cannot be one.
int codemode_write_text(const char* data, long size);

#ifdef __cplusplus
}
#endif
