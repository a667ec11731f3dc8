// SPDX-License-Identifier: Apache-2.0
// This process's own stacks, beside what libgcc's unwinder says of them.
#ifdef __x86_64__
#include <gtest/gtest.h>
#include <signal.h>
#include <unwind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "builders/own_stack.h"

namespace wick {
namespace {

struct Capture {
  OwnStack own;
  std::vector<std::uint64_t> expected;  // as Unwinder gives them
};
Capture captured;

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* out) {
  int exact = 0;
  const std::uint64_t pc = _Unwind_GetIPInfo(context, &exact);
  if (pc != 0)
    static_cast<std::vector<std::uint64_t>*>(out)->push_back(
        pc - (exact != 0 ? 0 : 1));
  return _URC_NO_REASON;
}

[[gnu::noinline]] void take(const ucontext_t& context) {
  captured.own = OwnStack::from(context, std::size_t{1} << 20);
  captured.expected.clear();
  _Unwind_Backtrace(add_frame, &captured.expected);
  captured.expected.erase(captured.expected.begin());  // this function
}

[[gnu::noinline]] void capture() {
  ucontext_t context;
  getcontext(&context);
  take(context);
}

const OwnCode& code() {
  static const OwnCode own;
  return own;
}

struct Compared {
  UnwindEnd end = UnwindEnd::kNoRule;
  std::size_t frames = 0;
  std::string differences;
};

// The first frame is capture() itself, at two different places.
Compared compare() {
  static Unwinder unwinder(Machine::kX86_64);
  std::vector<std::uint64_t> have;
  Compared result;
  result.end = unwinder.unwind(captured.own.registers, captured.own.stack,
                               code(), 1, have);
  result.frames = have.size();
  const std::vector<std::uint64_t>& want = captured.expected;
  if (have.size() != want.size())
    result.differences += std::to_string(have.size()) + " frames for " +
                          std::to_string(want.size()) + "\n";
  for (std::size_t i = 1; i < std::min(have.size(), want.size()); ++i)
    if (have[i] != want[i])
      result.differences += "frame " + std::to_string(i) + " differs\n";
  return result;
}

volatile int sink;

[[gnu::noinline]] int recurse(int depth) {
  if (depth == 0) {
    capture();
    return 1;
  }
  const int result = recurse(depth - 1) + depth;
  sink = result;
  return result;
}

TEST(UnwinderLive, AgreesWithLibgcc) {
  recurse(20);
  const Compared result = compare();
  EXPECT_EQ(result.differences, "");
  EXPECT_EQ(result.end, UnwindEnd::kRoot);
  EXPECT_GT(result.frames, 21u);
}

TEST(UnwinderLive, GoesThroughARecursionOfThreeThousand) {
  recurse(3000);
  const Compared result = compare();
  EXPECT_EQ(result.differences, "");
  EXPECT_EQ(result.end, UnwindEnd::kRoot);
  EXPECT_GT(result.frames, 3000u);
}

TEST(UnwinderLive, GoesThroughLambdasAndTheStandardLibrary) {
  std::vector<int> numbers = {3, 1, 2};
  const std::function<void(int)> inner = [](int) { capture(); };
  std::sort(numbers.begin(), numbers.end(), [&](int a, int b) {
    recurse(2);
    return a < b;
  });
  std::for_each(numbers.begin(), numbers.end(),
                [&](int n) { std::invoke(inner, n); });
  EXPECT_EQ(compare().differences, "");
}

TEST(UnwinderLive, GoesThroughACatchBlock) {
  try {
    throw std::runtime_error("x");
  } catch (const std::exception&) {
    recurse(3);
  }
  EXPECT_EQ(compare().differences, "");
}

// A frame whose size is not known before it runs has its CFA in rbp.
[[gnu::noinline]] void with_alloca(int size) {
  auto* bytes =
      static_cast<unsigned char*>(__builtin_alloca(std::size_t(size)));
  bytes[0] = 1;
  sink = bytes[0];
  capture();
  sink = bytes[0];
}

TEST(UnwinderLive, GoesThroughAFrameOfVariableSize) {
  with_alloca(1000);
  EXPECT_EQ(compare().differences, "");
}

// A stack that is aligned to more than the ABI says has its CFA in an
// expression.
[[gnu::noinline]] void with_alignment(int n) {
  alignas(256) volatile unsigned char bytes[512];
  bytes[n] = 1;
  capture();
  sink = bytes[n];
}

TEST(UnwinderLive, GoesThroughARealignedFrame) {
  with_alignment(3);
  EXPECT_EQ(compare().differences, "");
}

TEST(UnwinderLive, AThreadsStackEndsAtItsRoot) {
  std::thread([] { recurse(5); }).join();
  const Compared result = compare();
  EXPECT_EQ(result.differences, "");
  EXPECT_EQ(result.end, UnwindEnd::kRoot);
}

extern "C" void capture_in_handler(int) { capture(); }

TEST(UnwinderLive, GoesThroughASignalHandlerToTheExactPlace) {
  struct sigaction action = {}, old = {};
  action.sa_handler = capture_in_handler;
  sigaction(SIGUSR1, &action, &old);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &old, nullptr);
  const Compared result = compare();
  EXPECT_EQ(result.differences, "");
  EXPECT_EQ(result.end, UnwindEnd::kRoot);
}

// The registers at any instruction of a function, as a profiler sees them: a
// call is stepped through with the trap flag, prologues, epilogues and PLT
// stubs included. The handler must not allocate; it runs in the middle of
// malloc.
struct Recorder {
  struct Step {
    Registers registers;
    std::size_t offset = 0, size = 0;
  };
  std::vector<Step> steps = std::vector<Step>(30'000);
  std::vector<char> stacks = std::vector<char>(64 << 20);
  std::size_t count = 0, used = 0;
  std::uint64_t end_of_stack = 0;
};
Recorder* recorder = nullptr;
std::uint64_t anchor = 0;  // a frame that must be found

extern "C" void on_step(int, siginfo_t*, void* context) {
  Recorder& r = *recorder;
  if (r.count == r.steps.size()) return;
  Recorder::Step& step = r.steps[r.count];
  step.registers =
      OwnStack::registers_of(*static_cast<const ucontext_t*>(context));
  step.offset = r.used;
  step.size = r.end_of_stack - step.registers.sp;
  if (step.size > r.stacks.size() - r.used) return;
  OwnStack::copy(step.registers.sp, r.stacks.data() + r.used, step.size);
  r.used += step.size;
  ++r.count;
}

[[gnu::noinline]] int work(int n) {
  std::string text = "n";
  for (int i = 0; i < n; ++i) text += std::to_string(i * 1000);
  std::vector<int> numbers(static_cast<std::size_t>(n), 1);
  std::sort(numbers.begin(), numbers.end());
  // No exception: while one is caught, libgcc writes over its own frames.
  const std::function<int(int)> twice = [&](int x) { return x * n; };
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%g %s", n * 0.5, text.c_str());
  std::qsort(numbers.data(), numbers.size(), sizeof(int),
             [](const void* a, const void* b) {
               return *static_cast<const int*>(a) - *static_cast<const int*>(b);
             });
  return twice(static_cast<int>(strtol(buffer, nullptr, 10)));
}

[[gnu::noinline]] void set_trap_flag(bool on) {
  if (on)
    asm volatile("pushf; orl $0x100, (%%rsp); popf" ::: "memory", "cc");
  else
    asm volatile("pushf; andl $~0x100, (%%rsp); popf" ::: "memory", "cc");
}

[[gnu::noinline]] int stepped_work() {
  capture();
  // Frame 1 is this function, 2 the thread's, 3 its caller.
  anchor = captured.expected[3];
  set_trap_flag(true);
  const int result = work(5);
  set_trap_flag(false);
  return result;
}

TEST(UnwinderLive, EveryInstructionOfACallIsUnwoundToTheRoot) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers' own code has no rules";
#endif
  Recorder recording;
  recorder = &recording;
  struct sigaction action = {}, old = {};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &old);
  std::thread([&] {  // whose stack is small
    recording.end_of_stack = OwnStack::end_of_stack();
    sink = stepped_work();
  })
      .join();
  sigaction(SIGTRAP, &old, nullptr);

  Unwinder unwinder(Machine::kX86_64);
  std::vector<std::uint64_t> out;
  std::size_t bad = 0;
  std::string first_bad;
  for (std::size_t i = 0; i < recording.count; ++i) {
    const Recorder::Step& step = recording.steps[i];
    // Its assembler text pushes without saying so.
    if (step.registers.pc - reinterpret_cast<std::uint64_t>(&set_trap_flag) <
        64)
      continue;
    out.clear();
    const UnwindEnd end = unwinder.unwind(
        step.registers, {recording.stacks.data() + step.offset, step.size},
        code(), 1, out);
    if (end == UnwindEnd::kRoot &&
        std::find(out.begin(), out.end(), anchor) != out.end())
      continue;
    ++bad;
    char text[64];
    std::snprintf(
        text, sizeof text, "%d at %llx in %zu frames\n", static_cast<int>(end),
        static_cast<unsigned long long>(step.registers.pc), out.size());
    if (bad < 10) first_bad += text;
  }
  RecordProperty("steps", static_cast<int>(recording.count));
  EXPECT_GT(recording.count, 1000u);
  EXPECT_EQ(bad, 0u) << first_bad;
}

}  // namespace
}  // namespace wick
#endif
