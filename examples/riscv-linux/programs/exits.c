// SPDX-License-Identifier: Apache-2.0
// Processes and threads that end in other ways than by returning from main.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

static volatile unsigned sink;

KEEP void last_work(unsigned n) {
  for (int i = 0; i < 2000; ++i) n = n * 1664525 + 1013904223;
  sink += n;
}

static void* leave_thread(void* nothing) {
  last_work(1);
  pthread_exit(nothing);
}
static void* leave_process(void* nothing) {
  last_work(2);
  exit(0);
  return nothing;
}

KEEP void start(void* (*function)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, 0, function, 0) != 0) abort();
}

KEEP void on_alarm(int number) {
  last_work((unsigned)number);
  _exit(0);  // from a handler, on a stack of its own
}
KEEP void die_in_handler(void) {
  static char stack[16384];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  const struct sigaction action = {.sa_handler = on_alarm,
                                   .sa_flags = SA_ONSTACK};
  sigaltstack(&other, 0);
  sigaction(SIGALRM, &action, 0);
  raise(SIGALRM);
}

KEEP void end(int way) {
  switch (way) {
    case 0:  // the first thread ends before the others
      start(leave_thread);
      last_work(3);
      pthread_exit(0);
    case 1:
      start(leave_process);
      for (;;) pause();
    case 2:
      abort();
    case 3:
      raise(SIGKILL);
      break;
    case 4:
      die_in_handler();
  }
}

int main(void) {
  for (int way = 0; way < 5; ++way)
    if (fork() == 0) {
      end(way);
      _exit(1);
    }
  while (wait(0) > 0) {
  }
  return 0;
}
