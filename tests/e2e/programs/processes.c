// SPDX-License-Identifier: Apache-2.0
// Processes that fork, run the same program anew, and run another one.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

extern char** environ;

__attribute__((noinline)) static void child_work(double ms) {
  const double end = now_ms() + ms;
  while (now_ms() < end) work_done += spin(1000);
}
__attribute__((noinline)) static void parent_work(double ms) {
  const double end = now_ms() + ms;
  while (now_ms() < end) work_done += spin(1000);
}
__attribute__((noinline)) static void anew_work(double ms) {
  const double end = now_ms() + ms;
  while (now_ms() < end) work_done += spin(1000);
}

int main(int argc, char** argv) {
  const double ms = argc > 1 ? atof(argv[1]) : 300;
  if (argc > 2) {
    anew_work(ms);
    return 0;
  }
  const pid_t child = fork();
  if (child == 0) {
    child_work(ms / 3);
    execl(argv[0], "again", argv[1], "anew", (char*)NULL);
    _exit(1);
  }
  char script[100];
  snprintf(script, sizeof script,
           "i=0; while [ $i -lt %d ]; do i=$((i+1)); done", (int)(ms * 100));
  char* words[] = {"sh", "-c", script, NULL};
  pid_t other;
  posix_spawn(&other, "/bin/sh", NULL, NULL, words, environ);
  parent_work(ms / 3);
  while (wait(NULL) > 0) {
  }
}
