//go:build cgo

// A user namespace can be entered by a process of one thread only, and Go's runtime has several before main. So a worker,
// which is known by its name (wire.ProcessName), leaves the host's namespaces before the runtime starts.

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char worker[] = "codemode-worker";
static int left_host;

static int is_worker(void) {
  char name[sizeof worker] = {0};
  int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, name, sizeof name);
  close(fd);
  return n == sizeof name && memcmp(name, worker, sizeof worker) == 0;
}

static void put(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, text, strlen(text)) < 0) { /* an id without a name is nobody as well */
  }
  close(fd);
}

// The kernel counts all of a thread's stack against the bound on data, and the usual one has eight megabytes. JavaScript
// runs on the first thread, which is not concerned.
static void shrink_stacks(void) {
#ifdef __GLIBC__
  pthread_attr_t small;
  if (pthread_attr_init(&small) != 0) return;
  if (pthread_attr_setstacksize(&small, 1 << 20) == 0) pthread_setattr_default_np(&small);
  pthread_attr_destroy(&small);
#endif
}

__attribute__((constructor)) static void leave_host(void) {
  if (!is_worker()) return;
  shrink_stacks();
  unsigned uid = geteuid(), gid = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0) return;
  char map[64];
  put("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "65534 %u 1", uid);
  put("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "65534 %u 1", gid);
  put("/proc/self/gid_map", map);
  left_host = 1;
}

int codemode_left_host(void) { return left_host; }
