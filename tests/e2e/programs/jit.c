// SPDX-License-Identifier: Apache-2.0
// Runs a copy of a function in memory of its own, as a JIT does, and names it in
// a perf map (/tmp/perf-PID.map) or, with the argument "dump", in a jitdump in the
// current folder, with a line for it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { kCodeSize = 512 };

__attribute__((noinline, aligned(64))) static unsigned long spin(
    unsigned long n) {
  unsigned long sum = 0;
  for (unsigned long i = 0; i < n; i++) {
    sum += i * i;
    __asm__ volatile("" : "+r"(sum));
  }
  return sum;
}

static void write_map(const void *code) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  FILE *map = fopen(path, "w");
  fprintf(map, "10 10 elsewhere\n%lx %x compiled_function\n",
          (unsigned long)code, kCodeSize);
  fclose(map);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void write_dump(void *code) {
  static const char file[] = "source.js", name[] = "dumped_function";
  char path[64];
  snprintf(path, sizeof path, "jit-%d.dump", getpid());
  const int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  const uint32_t header[10] = {0x4a695444, 1, 40, 62, 0, (uint32_t)getpid()};
  uint64_t lines[] = {2 | (uint64_t)(16 + 16 + 16 + sizeof file) << 32,
                      now(), (uint64_t)code, 1, (uint64_t)code, 42};
  uint64_t load[] = {(uint64_t)(16 + 40 + sizeof name + kCodeSize) << 32,
                     now(), (uint64_t)getpid() << 32 | (uint64_t)getpid(),
                     (uint64_t)code, (uint64_t)code, kCodeSize, 1};
  if (write(fd, header, sizeof header) < 0 ||
      write(fd, lines, sizeof lines) < 0 || write(fd, file, sizeof file) < 0 ||
      write(fd, load, sizeof load) < 0 || write(fd, name, sizeof name) < 0 ||
      write(fd, code, kCodeSize) < 0)
    return;
  mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
}

int main(int argc, char **argv) {
  char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, (const void *)spin, kCodeSize);
  __builtin___clear_cache(code, code + kCodeSize);
  if (argc > 1 && strcmp(argv[1], "dump") == 0)
    write_dump(code);
  else
    write_map(code);
  return ((unsigned long (*)(unsigned long))(uintptr_t)code)(300000000) == 7;
}
