// SPDX-License-Identifier: Apache-2.0
// What the tests of `wick serve` let it record.
//   load shares SECONDS     spends 60, 30 and 10 % of its time in three functions
//   load storm FORKS RATE   so many short processes, at most RATE a second
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;

#define WORK(name)                                        \
  __attribute__((noinline)) static void name(long times) { \
    for (long i = 0; i < times; ++i) sum += i;            \
  }
WORK(sixty_percent)
WORK(thirty_percent)
WORK(ten_percent)

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void shares(double seconds) {
  const double end = now(CLOCK_MONOTONIC) + seconds;
  while (now(CLOCK_MONOTONIC) < end) {
    sixty_percent(600000);
    thirty_percent(300000);
    ten_percent(100000);
  }
  printf("%.9f\n", now(CLOCK_PROCESS_CPUTIME_ID));
}

static void storm(long forks, long rate) {
  const struct timespec pause = {0, 1000000000 / rate};
  for (long i = 0; i < forks; ++i) {
    if (fork() == 0) {
      execl("/proc/self/exe", "leaf", (char*)0);
      _exit(127);
    }
    nanosleep(&pause, 0);
    while (waitpid(-1, 0, WNOHANG) > 0) {
    }
  }
  while (wait(0) > 0) {
  }
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "shares") == 0) {
    shares(atof(argv[2]));
  } else if (argc == 4 && strcmp(argv[1], "storm") == 0) {
    storm(atol(argv[2]), atol(argv[3]));
  } else {
    ten_percent(200000);  // one of the storm
  }
  return 0;
}
