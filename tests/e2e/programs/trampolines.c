// SPDX-License-Identifier: Apache-2.0
// Calls each of its functions through a trampoline of its own in anonymous
// memory, as Python does with -X perf, and is busy in the innermost one.
//
//   trampolines map SECONDS      lists them in /tmp/perf-PID.map
//   trampolines jitdump SECONDS  describes them in ./jit-PID.dump, with unwind
//                                information; their code has a jump, so that
//                                nothing else tells where their callers are
//   trampolines none SECONDS
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
// endbr64; sub $8, %rsp; call *%rcx; add $8, %rsp; ret
static const unsigned char kPlain[] = "\xf3\x0f\x1e\xfa\x48\x83\xec\x08\xff\xd1"
                                      "\x48\x83\xc4\x08\xc3";
// sub $8, %rsp; call *%rcx; jmp .; add $8, %rsp; ret
static const unsigned char kJumps[] =
    "\x48\x83\xec\x08\xff\xd1\xeb\x00\x48\x83\xc4\x08\xc3";
#elif defined(__aarch64__)
// stp x29, x30, [sp, #-16]!; mov x29, sp; blr x3; ldp x29, x30, [sp], #16; ret
static const unsigned char kPlain[] = "\xfd\x7b\xbf\xa9\xfd\x03\x00\x91"
                                      "\x60\x00\x3f\xd6\xfd\x7b\xc1\xa8"
                                      "\xc0\x03\x5f\xd6";
#define kJumps kPlain
#endif
enum { kSize = 32, kCount = 3 };

typedef long Body(long, long, long);
typedef long Trampoline(long, long, long, Body*);
static unsigned char* code;
static double seconds;
static volatile unsigned long work;

static long through(int number, Body* body) {
  return ((Trampoline*)(code + number * kSize))(number, 0, 0, body) + 1;
}
static double cpu_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}
__attribute__((noinline)) static long burn(long a, long b, long c) {
  while (cpu_time() < seconds)
    for (int i = 0; i < 100000; i++) work += i * i;
  return a + b + c;
}
__attribute__((noinline)) static long call_inner(long a, long b, long c) {
  return through(2, burn) + a + b + c;
}
__attribute__((noinline)) static long call_middle(long a, long b, long c) {
  return through(1, call_inner) + a + b + c;
}

static const char* const kNames[kCount] = {"py::outer:x.py", "py::middle:x.py",
                                           "py::inner:x.py"};

static void write_map(void) {
  char path[100];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  FILE* map = fopen(path, "w");
  for (int i = 0; i < kCount; i++)
    fprintf(map, "%lx %x %s\n", (long)(code + i * kSize), kSize, kNames[i]);
  fclose(map);
}

static void put32(FILE* out, uint32_t value) { fwrite(&value, 4, 1, out); }
static void put64(FILE* out, uint64_t value) { fwrite(&value, 8, 1, out); }
static uint64_t monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

// As if behind the code: a CIE and an FDE, 24 bytes each, and the header.
static void write_unwind_info(FILE* out) {
  enum { kHeader = 20, kFrames = 48 + 4 };
  put32(out, 4);
  put32(out, 16 + 24 + kFrames + kHeader);
  put64(out, monotonic());
  put64(out, kFrames + kHeader);
  put64(out, kHeader);
  put64(out, kFrames + kHeader);
  // Version 1, "zR", factors 1 and -8, return address 16, pcrel sdata4; the
  // CFA is %rsp + 8, and the return address just below it.
  put32(out, 20);
  put32(out, 0);
  fwrite("\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0", 16, 1, out);
  // From the fourth to the twelfth byte, the CFA is %rsp + 16.
  put32(out, 20);
  put32(out, 28);
  put32(out, -(kSize + 32));
  put32(out, kSize);
  fwrite("\0\x44\x0e\x10\x48\x0e\x08\0", 8, 1, out);
  put32(out, 0);
  fwrite("\1\x1b\3\x3b", 4, 1, out);
  put32(out, -(kFrames + 4));
  put32(out, 1);
  put32(out, -(kFrames + kSize));
  put32(out, 24 - kFrames);
}

static void write_jitdump(void) {
  char path[100];
  snprintf(path, sizeof path, "jit-%d.dump", getpid());
  FILE* out = fopen(path, "w+");
  // Announces the file.
  mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out), 0);
  put32(out, 0x4a695444);
  put32(out, 1);
  put32(out, 40);
  put32(out, 62);
  put32(out, 0);
  put32(out, getpid());
  put64(out, monotonic());
  put64(out, 0);
  for (int i = 0; i < kCount; i++) {
    write_unwind_info(out);
    const uint64_t start = (uint64_t)(code + i * kSize);
    put32(out, 0);
    put32(out, 16 + 40 + strlen(kNames[i]) + 1 + kSize);
    put64(out, monotonic());
    put32(out, getpid());
    put32(out, getpid());
    put64(out, start);
    put64(out, start);
    put64(out, kSize);
    put64(out, i);
    fwrite(kNames[i], strlen(kNames[i]) + 1, 1, out);
    fwrite(code + i * kSize, kSize, 1, out);
  }
  fclose(out);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  seconds = atof(argv[2]);
  code = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
              0);
  const int is_dumped = strcmp(argv[1], "jitdump") == 0;
  for (int i = 0; i < kCount; i++)
    memcpy(code + i * kSize, is_dumped ? kJumps : kPlain,
           is_dumped ? sizeof kJumps - 1 : sizeof kPlain - 1);
  mprotect(code, 4096, PROT_READ | PROT_EXEC);
  if (strcmp(argv[1], "map") == 0) write_map();
  if (is_dumped) write_jitdump();
  return through(0, call_middle) == 0;
}
