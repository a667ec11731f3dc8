// SPDX-License-Identifier: Apache-2.0
// Counts its own calls while it runs, in every way that a stack can change, and
// prints them: "calls NAME COUNT". Each way is a section that main calls once.
// noipa keeps every function as it is written: one symbol, entered as often as
// its first line is executed.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

#define KEEP __attribute__((noipa))

namespace {

struct Count {
  const char* name;
  std::atomic<unsigned> calls{0};
  Count* next;
  static Count* first;
  explicit Count(const char* name) : name(name), next(first) { first = this; }
};
Count* Count::first = nullptr;
volatile unsigned sink;

}  // namespace

// Names without C++'s parameters, so that nm and wick write them alike.
#define FUNCTION(type, name, ...)         \
  static Count count_##name(#name);       \
  extern "C" KEEP type name(__VA_ARGS__); \
  extern "C" KEEP type name(__VA_ARGS__)
#define COUNT(name) count_##name.calls.fetch_add(1, std::memory_order_relaxed)

FUNCTION(unsigned, fib, unsigned n) {
  COUNT(fib);
  if (n < 2) return n;
  unsigned sum = fib(n - 1) + fib(n - 2);
  asm("" : "+r"(sum));  // else the second call becomes a loop
  return sum;
}
FUNCTION(void, recursion, void) {
  COUNT(recursion);
  sink += fib(11);
}

// Each calls the other, and adds to what it returns.
extern "C" unsigned down_odd(unsigned n);
FUNCTION(unsigned, down_even, unsigned n) {
  COUNT(down_even);
  unsigned depth = n == 0 ? 0 : down_odd(n - 1) + 1;
  asm("" : "+r"(depth));
  return depth;
}
FUNCTION(unsigned, down_odd, unsigned n) {
  COUNT(down_odd);
  unsigned depth = n == 0 ? 0 : down_even(n - 1) + 1;
  asm("" : "+r"(depth));
  return depth;
}
FUNCTION(void, mutual_recursion, void) {
  COUNT(mutual_recursion);
  for (unsigned i = 0; i < 20; ++i) sink += down_even(i);
}

// These jump to each other.
extern "C" unsigned is_odd(unsigned n);
FUNCTION(unsigned, is_even, unsigned n) {
  COUNT(is_even);
  return n == 0 ? 1 : is_odd(n - 1);
}
FUNCTION(unsigned, is_odd, unsigned n) {
  COUNT(is_odd);
  return n == 0 ? 0 : is_even(n - 1);
}
FUNCTION(void, tail_calls, void) {
  COUNT(tail_calls);
  for (unsigned i = 0; i < 20; ++i) sink += is_even(i);
}

FUNCTION(int, compare, const void* a, const void* b) {
  COUNT(compare);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}
FUNCTION(void, sorting, void) {
  COUNT(sorting);
  int numbers[100];
  unsigned seed = 1;
  for (int& number : numbers)
    number = static_cast<int>((seed = seed * 1664525 + 1013904223) >> 16);
  qsort(numbers, 100, sizeof(int), compare);
  sink += static_cast<unsigned>(numbers[0]);
}

FUNCTION(void, dig, int depth) {
  COUNT(dig);
  if (depth == 0) throw std::runtime_error("found");
  dig(depth - 1);
  sink = sink + 1;
}
struct Counter {  // its destructor runs while the stack is unwound
  KEEP ~Counter() { sink = sink + 1; }
};
FUNCTION(void, pass_on, int depth) {
  COUNT(pass_on);
  const Counter counter;
  try {
    dig(depth);
  } catch (const std::logic_error&) {
    abort();
  }
}
FUNCTION(void, catch_one, int depth) {
  COUNT(catch_one);
  try {
    pass_on(depth);
  } catch (const std::exception&) {
    sink = sink + 1;
  }
  sink = sink + 1;  // else the end of the handler is a tail call
}
FUNCTION(void, exceptions, void) {
  COUNT(exceptions);
  for (int i = 0; i < 4; ++i) catch_one(i);
  sink = sink + 1;  // else the last one is a tail call
}

static jmp_buf place;
FUNCTION(void, jump_out, int depth) {
  COUNT(jump_out);
  if (depth == 0) longjmp(place, 1);
  jump_out(depth - 1);
  sink = sink + 1;
}
FUNCTION(void, jumps, void) {
  COUNT(jumps);
  for (volatile int i = 0; i < 10; i = i + 1)
    if (setjmp(place) == 0) jump_out(5);
}

FUNCTION(void, from_handler, void) {
  COUNT(from_handler);
  sink = sink + 1;
}
FUNCTION(void, on_signal, int) {
  COUNT(on_signal);
  from_handler();
}
FUNCTION(void, raised, void) {
  COUNT(raised);
  signal(SIGUSR1, on_signal);
  for (int i = 0; i < 5; ++i) raise(SIGUSR1);
}

// Whenever it comes, in the middle of anything.
static volatile sig_atomic_t alarms;
FUNCTION(void, on_alarm, int) {
  COUNT(on_alarm);
  from_handler();
  alarms = alarms + 1;
}
FUNCTION(unsigned, spin, unsigned n) {
  COUNT(spin);
  for (unsigned i = 0; i < 100; ++i) n = n % 3 ? n * 3 + 1 : n / 3;
  return n;
}
FUNCTION(void, alarmed, void) {
  COUNT(alarmed);
  signal(SIGALRM, on_alarm);
  const itimerval soon = {{0, 300}, {0, 300}}, never = {};
  setitimer(ITIMER_REAL, &soon, nullptr);
  while (alarms < 4) sink += spin(sink);
  setitimer(ITIMER_REAL, &never, nullptr);
}

// A fault, left by a jump.
static sigjmp_buf safe;
FUNCTION(void, on_fault, int) {
  COUNT(on_fault);
  siglongjmp(safe, 1);
}
FUNCTION(void, touch, volatile int* where) {
  COUNT(touch);
  *where = 1;
  sink = sink + 1;
}
FUNCTION(void, faults, void) {
  COUNT(faults);
  signal(SIGSEGV, on_fault);
  for (volatile int i = 0; i < 4; i = i + 1)
    if (sigsetjmp(safe, 1) == 0) touch(nullptr);
}

FUNCTION(unsigned, work, unsigned n) {
  COUNT(work);
  return fib(n) + 1;
}
FUNCTION(void*, in_thread, void* n) {
  COUNT(in_thread);
  for (int i = 0; i < 10; ++i)
    sink = sink + work(static_cast<unsigned>(reinterpret_cast<long>(n)));
  return n;
}
FUNCTION(void, threads, void) {
  COUNT(threads);
  pthread_t all[2];
  for (long i = 0; i < 2; ++i)
    pthread_create(&all[i], nullptr, in_thread, reinterpret_cast<void*>(6 + i));
  for (const pthread_t thread : all) pthread_join(thread, nullptr);
}

int main() {
  recursion();
  mutual_recursion();
  tail_calls();
  sorting();
  exceptions();
  jumps();
  raised();
  alarmed();
  faults();
  threads();
  for (const Count* count = Count::first; count; count = count->next)
    printf("calls %s %u\n", count->name, count->calls.load());
  return 0;
}
