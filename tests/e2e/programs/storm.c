// SPDX-License-Identifier: Apache-2.0
// storm THREADS MILLISECONDS: threads that hand a byte on through pipes in a ring,
// four at a time, so that they leave the CPU all the time. Prints how often.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int (*pipes)[2];
static int count;
static volatile int over;

__attribute__((noinline)) static void hand_on(int from, int to) {
  char byte;
  while (!over)
    if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1) break;
}
__attribute__((noinline)) static void run(long i) {
  hand_on(pipes[i][0], pipes[(i + 1) % count][1]);
  __asm__("");
}
// Small copies of the stack end here.
static void *begin(void *number) {
  volatile char room[4096];
  room[0] = room[4095] = 0;
  run((long)number);
  return room[0] == 0 ? NULL : number;
}

int main(int argc, char **argv) {
  count = argc > 1 ? atoi(argv[1]) : 1500;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  pipes = calloc(count, sizeof *pipes);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 1 << 16);
  for (int i = 0; i < count; i++)
    if (pipe(pipes[i]) != 0) return 1;
  for (long i = 0; i < count; i++) {
    pthread_t thread;
    if (pthread_create(&thread, &attr, begin, (void *)i) != 0) return 1;
  }
  for (int i = 0; i < count; i += count / 4 + 1)
    if (write(pipes[i][1], "x", 1) != 1) return 1;
  usleep(1000 * (argc > 2 ? atoi(argv[2]) : 1000));
  over = 1;
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("%ld\n", used.ru_nvcsw + used.ru_nivcsw);
  return 0;
}
