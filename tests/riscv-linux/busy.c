// SPDX-License-Identifier: Apache-2.0
// Keeps a processor busy with what programs do: sorting, recursion, formatting.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void* a, const void* b) {
  const int x = *(const int*)a, y = *(const int*)b;
  return x < y ? -1 : x > y;
}
static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(void) {
  static int numbers[100000];
  unsigned seed = 1, sum = 0;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 100000; ++i)
      numbers[i] = (int)((seed = seed * 1664525 + 1013904223) >> 8);
    qsort(numbers, 100000, sizeof(int), compare);
    sum += (unsigned)numbers[5] + fib(24);
    for (int i = 0; i < 20000; ++i) {
      char text[64];
      snprintf(text, sizeof text, "%d %x", numbers[i], (unsigned)i);
      sum += (unsigned)strlen(text);
    }
  }
  printf("%u\n", sum);
  return 0;
}
