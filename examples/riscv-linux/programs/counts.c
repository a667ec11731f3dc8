// SPDX-License-Identifier: Apache-2.0
// Known numbers of calls; built static and as a PIE. noipa keeps every function
// as written: one symbol, called as often as the source says.
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

static volatile unsigned sink;

KEEP unsigned fib(unsigned n) {  // 1973 calls for n = 15
  if (n < 2) return n;
  unsigned sum = fib(n - 1) + fib(n - 2);
  asm("" : "+r"(sum));  // otherwise the second call becomes a loop
  return sum;
}

KEEP int is_odd(unsigned n);
KEEP int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
KEEP int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

KEEP int compare(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;
}
KEEP void sort_some(void) {
  int numbers[200];
  unsigned seed = 1;
  for (int i = 0; i < 200; ++i)
    numbers[i] = (int)((seed = seed * 1664525 + 1013904223) >> 16);
  qsort(numbers, 200, sizeof(int), compare);
  sink += (unsigned)numbers[0];
}

static jmp_buf place;
KEEP void jump_out(int depth) {
  if (depth == 0) longjmp(place, 1);
  jump_out(depth - 1);
  sink++;
}
KEEP void jumps(void) {  // jump_out is called 20 * 6 times
  for (volatile int i = 0; i < 20; ++i)
    if (setjmp(place) == 0) jump_out(5);
}

KEEP void on_signal(int number) { sink += (unsigned)number; }
KEEP void signals(void) {
  signal(SIGUSR1, on_signal);
  for (int i = 0; i < 10; ++i) raise(SIGUSR1);
}

KEEP void write_some(void) {
  for (int i = 0; i < 5; ++i)
    if (write(1, "", 0) != 0) abort();
}

int main(void) {
  for (int i = 0; i < 3; ++i) {
    sink += fib(15);
    sink += (unsigned)is_even(60);
    sort_some();
    jumps();
    signals();
    write_some();
  }
  return 0;
}
