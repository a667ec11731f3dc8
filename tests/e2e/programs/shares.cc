// SPDX-License-Identifier: Apache-2.0
// Spends 60, 30 and 10 % of its CPU time in three functions that take turns, so
// that a virtual machine that stands still for a moment takes from all of them.
// shares [ROUNDS]: of 15 milliseconds each.
#include <cstdlib>
#include <ctime>
volatile unsigned long sum;
int calls;  // counting after a call keeps it from becoming a jump
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
template <int N> __attribute__((noinline)) void spin(double seconds) {
  const double end = now() + seconds;
  while (now() < end)
    for (int i = 0; i < 20000; ++i) sum = sum + i * N;
}
__attribute__((noinline)) void sixty() { spin<1>(0.009); ++calls; }
__attribute__((noinline)) void thirty() { spin<2>(0.0045); ++calls; }
__attribute__((noinline)) void ten() { spin<3>(0.0015); ++calls; }
int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  for (int i = 0; i < rounds; ++i) { sixty(); thirty(); ten(); }
}
