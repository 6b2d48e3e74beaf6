// A worker ends one isolate for each that it makes, and the engine takes the same pages from the system again and again:
// some hundred page faults and forty calls that flush other processors' translations, dearer than everything else that
// a fresh isolate costs. This file stands between the engine and the four system calls it does that with. Pages that the
// engine gives up stay mapped, zeroed, up to a bound, until it asks for the same addresses; address space it reserves is
// given to the next isolate. To the engine a kept page looks like a new one: inaccessible before it asks, zero after.
//
// The linker leads calls of mmap and its kin in all C code of the binary here (see pages_linux.go). Until
// codemode_keep_pages is called, which only a worker process does, they go straight on.

//go:build cgo && linux

#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__real_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t size);
int __real_mprotect(void *at, size_t size, int protection);
int __real_madvise(void *at, size_t size, int advice);

// The pages of one large object are kept up to this size. The guard pages of the engine are smaller than the least.
enum { most = 4 << 20, least = 60 << 10, page = 4096 };

// What the engine reserves for the tables of one isolate.
static const size_t smallest_reservation = 32 << 20, largest_reservation = (size_t)1 << 30;

typedef struct {
  uintptr_t start, end;
} range;

// A set of addresses, as ranges in their order that do not touch.
typedef struct {
  int count;
  range ranges[512];
} set;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t bound;      // how many bytes may be kept
static size_t kept_bytes; // how many are
static set writable;      // what can be read and written, whether the engine uses it or gave it up
static set readable;      // what can be read, and was written before
static set sealed;        // what can be read and was never written, whether the engine uses it or gave it up
static set kept;          // what the engine gave up: zero, and part of writable or of sealed

static struct {
  range at;
  int used;
} reservations[16];

// first is the index of the first range that ends after start.
static int first(const set *s, uintptr_t start) {
  int low = 0, high = s->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (s->ranges[middle].end <= start) low = middle + 1;
    else high = middle;
  }
  return low;
}

static int touches(const set *s, range r) {
  int i = first(s, r.start);
  return i < s->count && s->ranges[i].start < r.end;
}

static int covers(const set *s, range r) {
  int i = first(s, r.start);
  return i < s->count && s->ranges[i].start <= r.start && s->ranges[i].end >= r.end;
}

// splice puts the given ranges in the place of those from index i up to index end. A set that is full would forget, so
// then all is over: what is kept is as good as new to the system's own calls.
static void splice(set *s, int i, int end, const range *with, int count) {
  if (s->count - (end - i) + count > (int)(sizeof s->ranges / sizeof *s->ranges)) {
    bound = 0;
    return;
  }
  memmove(s->ranges + i + count, s->ranges + end, (s->count - end) * sizeof *s->ranges);
  memcpy(s->ranges + i, with, count * sizeof *with);
  s->count += count - (end - i);
}

static void put(set *s, range r) {
  int i = first(s, r.start - 1), end = i;
  while (end < s->count && s->ranges[end].start <= r.end) {
    if (s->ranges[end].start < r.start) r.start = s->ranges[end].start;
    if (s->ranges[end].end > r.end) r.end = s->ranges[end].end;
    end++;
  }
  splice(s, i, end, &r, 1);
}

// take takes a range out of a set, and returns how many bytes of it were in there.
static size_t take(set *s, range r) {
  int i = first(s, r.start), end = i, count = 0;
  size_t taken = 0;
  range rest[2];
  while (end < s->count && s->ranges[end].start < r.end) {
    range was = s->ranges[end++];
    if (was.start < r.start) rest[count++] = (range){was.start, r.start};
    if (was.end > r.end) rest[count++] = (range){r.end, was.end};
    taken += (was.end < r.end ? was.end : r.end) - (was.start > r.start ? was.start : r.start);
  }
  splice(s, i, end, rest, count);
  return taken;
}

static void forget(range r) {
  kept_bytes -= take(&kept, r);
  take(&writable, r);
  take(&readable, r);
  take(&sealed, r);
}

// is_reserved says whether addresses are of a reservation in use: what nobody has written there is zero.
static int is_reserved(range r) {
  for (size_t i = 0; i < sizeof reservations / sizeof *reservations; i++)
    if (reservations[i].used && r.start >= reservations[i].at.start && r.end <= reservations[i].at.end) return 1;
  return 0;
}

// clear makes pages zero without touching those that are not there.
static int clear(range r) {
  size_t count = (r.end - r.start) / page;
  unsigned char resident[most / page];
  if (mincore((void *)r.start, r.end - r.start, resident) != 0) return 0;
  for (size_t i = 0; i < count; i++)
    if (resident[i] & 1) memset((void *)(r.start + i * page), 0, page);
  return 1;
}

// give_up is what the engine does with pages it has no use for. It is 1 when they are kept.
static int give_up(range r) {
  size_t size = r.end - r.start;
  if (size < least || size > most || kept_bytes + size > bound) return 0;
  if (!covers(&sealed, r)) {
    if (covers(&readable, r)) {
      if (__real_mprotect((void *)r.start, size, PROT_READ | PROT_WRITE) != 0) return 0;
      take(&readable, r);
      put(&writable, r);
    }
    if (!covers(&writable, r) || !clear(r)) return 0;
  }
  kept_bytes += size - take(&kept, r);
  put(&kept, r);
  return covers(&kept, r);
}

// protect is what the engine does to use pages, or to stop using them. It is 1 when there was nothing left to do.
static int protect(range r, int protection) {
  if (protection == PROT_NONE) {
    if (give_up(r)) return 1;
    forget(r);
    return 0;
  }
  int was_kept = covers(&kept, r), was_writable = covers(&writable, r), was_sealed = covers(&sealed, r);
  int was_zero = was_kept || was_sealed || (is_reserved(r) && !touches(&writable, r) && !touches(&readable, r));
  forget(r);
  switch (protection) {
  case PROT_READ | PROT_WRITE:
    put(&writable, r);
    return was_kept && was_writable;
  case PROT_READ:
    put(was_zero ? &sealed : &readable, r);
    return was_sealed;
  }
  return 0;
}

static void *reserve(size_t size) {
  for (size_t i = 0; i < sizeof reservations / sizeof *reservations; i++)
    if (!reservations[i].used && reservations[i].at.end - reservations[i].at.start == size) {
      reservations[i].used = 1;
      return (void *)reservations[i].at.start;
    }
  void *at = __real_mmap64(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (size_t i = 0; at != MAP_FAILED && i < sizeof reservations / sizeof *reservations; i++)
    if (reservations[i].at.end == 0) {
      reservations[i].at = (range){(uintptr_t)at, (uintptr_t)at + size};
      reservations[i].used = 1;
      break;
    }
  return at;
}

// release is what the engine does with address space. It is 1 when that is kept. The small pieces are those before and
// behind the aligned part of a reservation.
static int release(range r) {
  for (size_t i = 0; i < sizeof reservations / sizeof *reservations; i++) {
    range at = reservations[i].at;
    if (r.start < at.start || r.end > at.end) continue;
    if (r.end - r.start < smallest_reservation / 2) return 1;
    // The engine has given up the pages in it. What was left out here would be found used by the next isolate.
    set *sets[] = {&writable, &readable, &sealed};
    for (int s = 0; s < 3; s++)
      for (int n = first(sets[s], r.start); n < sets[s]->count && sets[s]->ranges[n].start < r.end; n++)
        if (!covers(&kept, sets[s]->ranges[n])) {
          forget(r);
          reservations[i].at = (range){0, 0};
          return 0;
        }
    reservations[i].used = 0;
    return 1;
  }
  forget(r);
  return 0;
}

void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  if (bound == 0) return __real_mmap64(at, size, protection, flags, file, offset);
  range r = {(uintptr_t)at, (uintptr_t)at + size};
  void *out = NULL;
  pthread_mutex_lock(&lock);
  if (flags & MAP_FIXED) {
    if (protection == PROT_NONE && flags & MAP_ANONYMOUS && give_up(r)) out = at;
    else forget(r);
  } else if (protection == PROT_NONE && flags & MAP_NORESERVE && size >= smallest_reservation && size <= largest_reservation) {
    out = reserve(size);
  }
  pthread_mutex_unlock(&lock);
  return out != NULL ? out : __real_mmap64(at, size, protection, flags, file, offset);
}

int __wrap_munmap(void *at, size_t size) {
  if (bound == 0) return __real_munmap(at, size);
  pthread_mutex_lock(&lock);
  int done = release((range){(uintptr_t)at, (uintptr_t)at + size});
  pthread_mutex_unlock(&lock);
  return done ? 0 : __real_munmap(at, size);
}

int __wrap_mprotect(void *at, size_t size, int protection) {
  if (bound == 0) return __real_mprotect(at, size, protection);
  pthread_mutex_lock(&lock);
  int done = protect((range){(uintptr_t)at, (uintptr_t)at + size}, protection);
  pthread_mutex_unlock(&lock);
  return done ? 0 : __real_mprotect(at, size, protection);
}

int __wrap_madvise(void *at, size_t size, int advice) {
  if (bound == 0 || (advice != MADV_DONTNEED && advice != MADV_FREE)) return __real_madvise(at, size, advice);
  pthread_mutex_lock(&lock);
  int done = covers(&kept, (range){(uintptr_t)at, (uintptr_t)at + size});
  pthread_mutex_unlock(&lock);
  return done ? 0 : __real_madvise(at, size, advice);
}

// A page that is kept and given back is what it is to the engine, too: without access, and zero.
static void give_back(void) {
  while (kept.count > 0) {
    range r = kept.ranges[0];
    __real_mmap64((void *)r.start, r.end - r.start, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    forget(r);
  }
}

void codemode_keep_pages(size_t bytes) {
  pthread_mutex_lock(&lock);
  if (bytes == 0) give_back();
  else bound = bytes;
  pthread_mutex_unlock(&lock);
#ifdef __GLIBC__
  if (bytes > 0) {
    mallopt(M_TRIM_THRESHOLD, (int)bytes);
    mallopt(M_MMAP_THRESHOLD, (int)bytes);
  }
#endif
}
