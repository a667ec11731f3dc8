// SPDX-License-Identifier: Apache-2.0
// What the programs here have in common: they are busy for some milliseconds.
#pragma once
#include <time.h>

static volatile unsigned long work_done;

static inline double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

__attribute__((noinline)) static unsigned long spin(unsigned long rounds) {
  for (unsigned long i = 0; i < rounds; i++) work_done += i * i;
  return work_done;
}
