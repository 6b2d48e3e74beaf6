// Symbols that the V8 library for Linux expects of glibc 2.38 and later, for older machines. Weak,
// and declared by hand: the headers of a newer glibc would map strtol onto the symbol defined here.
#ifdef __linux__
#include <stdarg.h>

extern long strtol(const char *, char **, int);
extern unsigned long strtoul(const char *, char **, int);
extern long long strtoll(const char *, char **, int);
extern unsigned long long strtoull(const char *, char **, int);
extern int vsscanf(const char *, const char *, va_list);
extern int vfscanf(void *, const char *, va_list);

__attribute__((weak)) long __isoc23_strtol(const char *s, char **end, int base) { return strtol(s, end, base); }
__attribute__((weak)) unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return strtoul(s, end, base); }
__attribute__((weak)) long long __isoc23_strtoll(const char *s, char **end, int base) { return strtoll(s, end, base); }
__attribute__((weak)) unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return strtoull(s, end, base); }

__attribute__((weak)) int __isoc23_sscanf(const char *s, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsscanf(s, format, args);
  va_end(args);
  return n;
}

__attribute__((weak)) int __isoc23_fscanf(void *stream, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vfscanf(stream, format, args);
  va_end(args);
  return n;
}
#endif
