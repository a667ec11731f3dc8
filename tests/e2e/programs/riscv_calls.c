// SPDX-License-Identifier: Apache-2.0
// For the QEMU plugin's tests: `one` runs straight through, with FireSim's markers
// around the second half; `two` runs two threads; `fork` two processes; `loop` never
// ends.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

static volatile unsigned sink;

KEEP unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
KEEP void work(unsigned n) { sink += fib(n); }

// Both threads live at once: QEMU gives the number of an ended one away again.
static pthread_barrier_t both;

static void* run(void* n) {
  pthread_barrier_wait(&both);
  for (int i = 0; i < 20; ++i) work((unsigned)(unsigned long)n);
  return n;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "one";
  if (strcmp(what, "two") == 0) {
    pthread_t threads[2];
    pthread_barrier_init(&both, 0, 2);
    for (unsigned long i = 0; i < 2; ++i)
      pthread_create(&threads[i], 0, run, (void*)(12 + i));
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  } else if (strcmp(what, "fork") == 0) {
    if (fork() == 0) {
      work(15);
      _exit(0);
    }
    wait(0);
  } else if (strcmp(what, "loop") == 0) {
    while (1) work(20);
  } else {
    work(10);
    asm volatile(".word 0x00008013");
    work(11);
    work(12);
    asm volatile(".word 0x00010013");
    printf("%u\n", sink);
  }
  return 0;
}
