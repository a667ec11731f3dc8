// SPDX-License-Identifier: Apache-2.0
// Loaded into a program (LD_PRELOAD), this sets its wall clock: by as many
// seconds as the file WICK_TEST_CLOCK says, at any time. Other clocks go on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// The file is one number of 64 bits, which the test writes in place.
static volatile const long* offset;

__attribute__((constructor)) static void map_offset(void) {
  const char* path = getenv("WICK_TEST_CLOCK");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* mapped = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) offset = mapped;
  close(file);
}

static long by(clockid_t clock) {
  const int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return offset && is_wall ? *offset : 0;
}

int clock_gettime(clockid_t clock, struct timespec* out) {
  const int result = (int)syscall(SYS_clock_gettime, clock, out);
  if (result == 0) out->tv_sec += by(clock);
  return result;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
