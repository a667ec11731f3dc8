// SPDX-License-Identifier: Apache-2.0
// A library for plugins.c; NAME is its function, PADDING makes it larger.
#include "work.h"

#ifdef PADDING
__attribute__((noinline, used)) static unsigned long padding(unsigned long n) {
  for (int i = 0; i < PADDING; i++) n += spin(n & 1);
  return n;
}
#endif

#define JOIN(a, b) a##b
#define INNER(name) JOIN(name, _inner)

__attribute__((noinline)) static unsigned long INNER(NAME)(unsigned long n) {
  unsigned long sum = 0;
  for (unsigned long i = 0; i < n; i++) sum += spin(1000) + i;
  return sum;
}

unsigned long NAME(unsigned long (*back)(unsigned long), unsigned long n);
unsigned long NAME(unsigned long (*back)(unsigned long), unsigned long n) {
  unsigned long sum = INNER(NAME)(n);
#ifdef PADDING
  sum += padding(sum);
#endif
  return sum + back(n);
}
