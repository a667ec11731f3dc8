// SPDX-License-Identifier: Apache-2.0
// Two processes of one program and a pipe: the child writes, the parent reads,
// and each one's computation appears under its own root.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

KEEP unsigned child_work(unsigned n) {
  for (int i = 0; i < 300; ++i) n = n * 1664525 + 1013904223;
  return n;
}
KEEP unsigned parent_work(unsigned n) {
  for (int i = 0; i < 300; ++i) n ^= n << 3 ^ n >> 5;
  return n;
}

int main(void) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) abort();
  if (fork() == 0) {
    for (unsigned i = 0; i < 40; ++i) {
      const unsigned n = child_work(i);
      if (write(pipe_ends[1], &n, sizeof n) != sizeof n) abort();
    }
    _exit(0);
  }
  unsigned sum = 0, n;
  for (int i = 0; i < 40; ++i) {
    if (read(pipe_ends[0], &n, sizeof n) != sizeof n) abort();
    sum += parent_work(n);
  }
  wait(0);
  return sum == 1;
}
