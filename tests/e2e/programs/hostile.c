// SPDX-License-Identifier: Apache-2.0
// What a program can do to whoever records it, one way per word:
//
//   run MS                be busy: main > outer > inner > busy
//   paths COUNT           map one file under COUNT names of 3 KB
//   dumps COUNT MS        announce COUNT jitdumps of 512 MB, all holes
//   map BYTES MS          run generated code; its perf map has BYTES, and
//                         ./map-path says where it is
//   libraries FOLDER MS   call outer() in each library of FOLDER, then run
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "work.h"

__attribute__((noinline)) void busy(double ms) {
  const double end = now_ms() + ms;
  while (now_ms() < end) spin(10000);
}
__attribute__((noinline)) void inner(double ms) {
  busy(ms);
  work_done++;
}
__attribute__((noinline)) void outer(double ms) {
  inner(ms);
  work_done++;
}

static void map_code(const char* path) {
  const int fd = open(path, O_RDONLY);
  void* code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (code == MAP_FAILED) exit(3);
  close(fd);
  munmap(code, 4096);
}

static void map_many_paths(int count) {
  char folder[201], before[32] = "file", after[32];
  memset(folder, 'd', sizeof folder - 1);
  folder[sizeof folder - 1] = 0;
  for (int i = 0; i < 15; i++)
    if ((mkdir(folder, 0700) != 0 && i == 0) || chdir(folder) != 0) exit(3);
  const int fd = open(before, O_CREAT | O_WRONLY, 0700);
  if (fd < 0 || ftruncate(fd, 4096) != 0) exit(3);
  close(fd);
  for (int i = 0; i < count; i++) {
    snprintf(after, sizeof after, "file-%d", i);
    if (rename(before, after) != 0) exit(3);
    map_code(after);
    strcpy(before, after);
  }
}

static void announce_dumps(int count) {
  static const char header[40] = "DTiJ\1\0\0\0\50";  // little-endian
  for (int i = 0; i < count; i++) {
    char path[64];
    snprintf(path, sizeof path, "jit-%d.dump", i);
    const int fd = open(path, O_CREAT | O_RDWR, 0600);
    if (fd < 0 || write(fd, header, sizeof header) != sizeof header ||
        ftruncate(fd, 512L << 20) != 0)
      exit(3);
    close(fd);
    map_code(path);
  }
}

static unsigned long generated(unsigned long rounds) {
  volatile unsigned long sum = 0;
  for (unsigned long i = 0; i < rounds; i++) sum += i;
  return sum;
}

// Its name is in the first line of the perf map, before many short ones.
static void run_generated(long bytes, double ms) {
  char* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) exit(3);
  memcpy(code, (char*)generated, 256);
  __builtin___clear_cache(code, code + 256);
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  FILE* map = fopen(path, "w");
  if (map == NULL) exit(3);
  fprintf(map, "%lx 100 generated_code\n", (unsigned long)code);
  for (long i = 0; i < bytes / 6; i++) fputs("1 1 a\n", map);
  fclose(map);
  map = fopen("map-path", "w");
  if (map == NULL) exit(3);
  fputs(path, map);
  fclose(map);
  const double end = now_ms() + ms;
  while (now_ms() < end) ((unsigned long (*)(unsigned long))code)(100000);
}

static void call_libraries(const char* folder) {
  DIR* all = opendir(folder);
  if (all == NULL) exit(3);
  for (struct dirent* entry; (entry = readdir(all)) != NULL;) {
    char path[PATH_MAX];
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*work)(double) =
        library == NULL ? NULL : (void (*)(double))dlsym(library, "outer");
    if (work == NULL) exit(3);
    work(2);
  }
  closedir(all);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* way = argv[1];
  const double ms = atof(argv[argc - 1]);
  if (strcmp(way, "paths") == 0) {
    map_many_paths(atoi(argv[2]));
  } else if (strcmp(way, "map") == 0) {
    run_generated(atol(argv[2]), ms);
  } else {
    if (strcmp(way, "dumps") == 0) announce_dumps(atoi(argv[2]));
    if (strcmp(way, "libraries") == 0) call_libraries(argv[2]);
    outer(ms);
    work_done++;
  }
  return 0;
}
