/* SPDX-License-Identifier: Apache-2.0
   C with a nested function (GNU), code in several sections, and #line. */
#include <stdio.h>

static inline int add(int a, int b) { return a + b; }

__attribute__((cold, noinline)) int seldom(int x) { return add(x, 7) * 3; }

__attribute__((section(".text.apart"), noinline)) int apart(int x) {
  return add(add(x, 1), x);
}

int outer(int n) {
  __attribute__((noinline)) int inner(int x) { return add(x, n); }
  int total = 0;
  for (int i = 0; i < n; ++i) total += inner(i);
  return total;
}

#line 100 "generated.y"
int generated(int x) {
  if (x > 3) return seldom(x);
  return outer(x);
}

int main(int argc, char **argv) {
  (void)argv;
  printf("%d\n", add(generated(argc), apart(argc)));
  return 0;
}
