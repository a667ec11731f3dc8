// SPDX-License-Identifier: Apache-2.0
// Three threads: one sleeps, one works, one ends early. Prints for each its tid, the
// milliseconds that it saw itself, and those from before it was made until it was
// gone: its life is between the two. For main, the last, only the first are known.
// lives [MILLISECONDS]: sleeps as long before it makes the threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sum;
double now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
void nap(int ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&t, 0);
}
void work(int ms) {
  const double end = now() + ms;
  while (now() < end)
    for (int i = 0; i < 1000; i++) sum += i;
}
struct life { int sleeps, works; long tid; double made, begin, end; };
void* live(void* given) {
  struct life* life = given;
  life->begin = now();
  life->tid = syscall(SYS_gettid);
  nap(life->sleeps);
  work(life->works);
  life->end = now();
  return 0;
}
// The kernel lets others join a thread before it has ended.
void wait_for_end(long tid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%ld", tid);
  while (access(path, F_OK) == 0) nap(1);
}
int main(int argc, char** argv) {
  const double begin = now();
  struct life lives[] = {{900, 0}, {0, 900}, {100, 100}};
  pthread_t threads[3];
  if (argc > 1) nap(atoi(argv[1]));
  for (int i = 0; i < 3; i++) {
    lives[i].made = now();
    pthread_create(&threads[i], 0, live, &lives[i]);
  }
  // The shortest life first.
  for (int i = 2; i >= 0; i--) {
    pthread_join(threads[i], 0);
    wait_for_end(lives[i].tid);
    printf("%ld %f %f\n", lives[i].tid, lives[i].end - lives[i].begin,
           now() - lives[i].made);
  }
  printf("%d %f\n", getpid(), now() - begin);
}
