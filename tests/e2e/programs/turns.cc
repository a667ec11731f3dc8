// SPDX-License-Identifier: Apache-2.0
// Two threads use 75 and 25 % of the CPU time, the second 40 to 60 in functions
// that take turns.
#include <ctime>
#include <thread>
int calls;
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
__attribute__((always_inline)) inline void spin(double seconds) {
  volatile unsigned long sum = 0;
  for (const double end = now() + seconds; now() < end;)
    for (int i = 0; i < 20000; ++i) sum = sum + i;
}
__attribute__((noinline)) void forty() { spin(0.002); ++calls; }
__attribute__((noinline)) void sixty() { spin(0.003); ++calls; }
__attribute__((noinline)) void second() {
  for (int i = 0; i < 100; ++i) { forty(); sixty(); }
  ++calls;
}
__attribute__((noinline)) void first() { spin(0.015); ++calls; }
int main() {
  std::thread other(second);
  for (int i = 0; i < 100; ++i) first();
  other.join();
}
