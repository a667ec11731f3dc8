// SPDX-License-Identifier: Apache-2.0
// Work inside of signal handlers, on the stack that was interrupted and on one
// of their own.
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "work.h"

__attribute__((noinline)) static void work_in_handler(int number) {
  work_done += spin(100000) + (unsigned long)number;
}

static void on_timer(int number) { work_in_handler(number); }

static void on_user(int number, siginfo_t* info, void* context) {
  (void)info;
  (void)context;
  work_in_handler(number);
}

__attribute__((noinline)) static void interrupted(void) {
  for (int i = 0; i < 100; i++) work_done += spin(1000);
}

int main(int argc, char** argv) {
  const double end = now_ms() + (argc > 1 ? atof(argv[1]) : 300);
  const stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};
  sigaltstack(&other, NULL);
  struct sigaction on_own_stack = {.sa_sigaction = on_user,
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK};
  struct sigaction here = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &on_own_stack, NULL);
  sigaction(SIGALRM, &here, NULL);
  const struct itimerval often = {{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &often, NULL);
  while (now_ms() < end) {
    interrupted();
    raise(SIGUSR1);
  }
}
