// SPDX-License-Identifier: Apache-2.0
// The cost of compiling a row and of unwinding a frame.
#include <benchmark/benchmark.h>

#include <array>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

#include "builders/own_stack.h"

namespace wick {
namespace {

void BM_UnwindTable(benchmark::State& state, const char* path) {
  if (!std::filesystem::exists(path)) {
    state.SkipWithError("not there");
    return;
  }
  const auto file = ElfFile::open(path);
  std::size_t rows = 0;
  for ([[maybe_unused]] auto _ : state) {
    const UnwindTable table = UnwindTable::build(file, nullptr);
    table.compile_all(1);
    rows += table.rows();
  }
  state.counters["rows"] = benchmark::Counter(
      static_cast<double>(rows) / static_cast<double>(state.iterations()));
  state.counters["s/row"] = benchmark::Counter(
      static_cast<double>(rows),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(BM_UnwindTable, cc1plus,
                  "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus");
BENCHMARK_CAPTURE(BM_UnwindTable, llvm,
                  "/usr/lib/x86_64-linux-gnu/libLLVM-16.so.1");
BENCHMARK_CAPTURE(BM_UnwindTable, libc, "/lib/x86_64-linux-gnu/libc.so.6");
BENCHMARK_CAPTURE(BM_UnwindTable, self, "/proc/self/exe");

#ifdef __x86_64__
// Thousands of call sites: functions that call each other along a path, each
// from one of four places.
constexpr int kFunctions = 1024;
using Hop = int (*)(const std::uint16_t* path);
extern const std::array<Hop, kFunctions> kHops;

std::vector<OwnStack> stacks;

[[gnu::noinline]] int arrive() {
  ucontext_t context;
  getcontext(&context);
  stacks.push_back(OwnStack::from(context, 65528));
  return 1;
}

template <int kNumber>
[[gnu::noinline]] int hop(const std::uint16_t* path) {
  if (path[0] == 0xffff) return arrive();
  const Hop next = kHops[path[0] % kFunctions];
  volatile int room[kNumber % 13 + 1];
  room[0] = kNumber;
  switch (path[0] / kFunctions % 4) {
    case 0:
      return next(path + 1) + room[0];
    case 1:
      return next(path + 1) * kNumber + room[0];
    case 2:
      return next(path + 1) - path[0] + room[0];
    default:
      return next(path + 1) ^ path[0] ^ room[0];
  }
}

template <int... kNumbers>
constexpr std::array<Hop, kFunctions> all_hops(
    std::integer_sequence<int, kNumbers...>) {
  return {hop<kNumbers>...};
}
const std::array<Hop, kFunctions> kHops =
    all_hops(std::make_integer_sequence<int, kFunctions>());

// Stacks of 60 frames; `distinct` of them are different.
void take_stacks(int distinct) {
  std::mt19937 random(1);
  std::vector<std::uint16_t> places(static_cast<std::size_t>(distinct));
  for (auto& place : places)
    place =
        static_cast<std::uint16_t>(random() % (std::size_t{kFunctions} * 4));
  stacks.clear();
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint16_t> path;
    for (int frame = 0; frame < 60; ++frame)
      path.push_back(places[random() % places.size()]);
    path.push_back(0xffff);
    benchmark::DoNotOptimize(kHops[0](path.data()));
  }
}

void BM_Unwind(benchmark::State& state) {
  take_stacks(static_cast<int>(state.range(0)));
  const OwnCode code;
  Unwinder unwinder(Machine::kX86_64);
  std::vector<std::uint64_t> out;
  std::size_t frames = 0, rooted = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (const OwnStack& own : stacks) {
      out.clear();
      rooted += unwinder.unwind(own.registers, own.stack, code, 1, out) ==
                UnwindEnd::kRoot;
      frames += out.size();
    }
  }
  if (rooted != stacks.size() * static_cast<std::size_t>(state.iterations()))
    state.SkipWithError("not all reached the root");
  state.counters["s/frame"] = benchmark::Counter(
      static_cast<double>(frames),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Unwind)->Arg(10)->Arg(200)->Arg(1000)->Arg(4000)->Arg(20'000);
#endif

}  // namespace
}  // namespace wick
