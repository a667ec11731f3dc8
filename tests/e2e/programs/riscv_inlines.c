// SPDX-License-Identifier: Apache-2.0
// A program without a library, so that every instruction of it has debug
// information: calls within inlined calls, in loops and in recursion.
static volatile unsigned sink;

#define INLINE static inline __attribute__((always_inline))
#define KEEP __attribute__((noipa))

INLINE unsigned twice(unsigned n) {
  sink = n;
  return 2 * n + sink;
}

INLINE unsigned mix(unsigned n) {
  unsigned sum = twice(n);
  sink = sum;
  return sum + twice(sum);
}

KEEP unsigned work(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n; ++i) {
    sum += mix(i);
    if (sum % 3 == 0) sum += twice(sum);
  }
  return sum;
}

KEEP unsigned climb(unsigned n) {
  if (n == 0) return work(30) + 1;
  unsigned sum = climb(n - 1);
  sink = sum;
  return twice(sum);
}

__attribute__((noreturn)) void _start(void) {
  sink = climb(4);
  sink = mix(sink);
  register long number asm("a7") = 94;
  register long status asm("a0") = 0;
  asm volatile("ecall" : : "r"(number), "r"(status));
  __builtin_unreachable();
}
