// The linux archive of v8go was built against glibc 2.38 or later, whose headers redirect the strtol and scanf families
// to __isoc23_* names. These weak definitions forward to the plain functions, so that the same archive links and runs on
// older systems; where the C library has the names itself, its own win.

//go:build cgo && linux

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((weak)) long __isoc23_strtol(const char *text, char **end, int base) {
  return strtol(text, end, base);
}

__attribute__((weak)) unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
  return strtoul(text, end, base);
}

__attribute__((weak)) long long __isoc23_strtoll(const char *text, char **end, int base) {
  return strtoll(text, end, base);
}

__attribute__((weak)) unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
  return strtoull(text, end, base);
}

__attribute__((weak)) int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsscanf(text, format, args);
  va_end(args);
  return n;
}

__attribute__((weak)) int __isoc23_fscanf(FILE *stream, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vfscanf(stream, format, args);
  va_end(args);
  return n;
}

void releaseFreeMemory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
