// What hooks.cc offers to Go.
#ifdef __cplusplus
extern "C" {
#endif

// codemode_expose_extras makes the object of the engine's own extras a member of the current context's global object,
// and has rejections of promises reported to its function "rejected". It is 0 when a script of that isolate is not what
// called, by way of Go.
int codemode_expose_extras(const char* name, int length);

#ifdef __cplusplus
}
#endif
