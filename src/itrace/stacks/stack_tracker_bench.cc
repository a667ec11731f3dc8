// SPDX-License-Identifier: Apache-2.0
// How fast stacks are rebuilt: blocks in memory that call, loop and return
// through functions of which only the names are known, which is the most
// expensive kind of code.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "itrace/stacks/stack_tracker.h"

namespace wick {
namespace {

constexpr std::uint64_t kText = 0xffffffff80000000, kSize = 0x400;
constexpr std::uint64_t kFunctions = 256;

std::string names() {
  std::string text;
  for (std::uint64_t i = 0; i < kFunctions; ++i)
    text += fmt::format("{:x} T function_{}\n", kText + i * kSize, i);
  return text;
}

// Calls eight deep; each function runs a loop of sixteen instructions four
// times before and after its call.
void visit(std::uint64_t function, int depth, TraceBlock& block) {
  const std::uint64_t start = kText + function % kFunctions * kSize;
  const auto run = [&](std::uint64_t from, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      block.instructions.push_back(
          {block.instructions.size(), start + from + 4 * i});
  };
  run(0, 4);
  for (int i = 0; i < 4; ++i) run(16, 16);
  run(80, 1);
  if (depth > 0) visit(function * 7 + 3, depth - 1, block);
  for (int i = 0; i < 4; ++i) run(84, 16);
  run(148, 2);
}

void StackTracker_NamesAlone(benchmark::State& state) {
  TraceBlock block;
  for (std::uint64_t f = 0; block.instructions.size() < 60000; ++f)
    visit(f, 8, block);
  const std::uint64_t cycles = block.instructions.size();
  CodeMap map({}, {});
  map.add_system_map(names(), "System.map");
  Places places(map, Places::Detail::kFunctions);
  Accounts accounts;
  Contexts contexts;
  StackTracker tracker(map, places, accounts, contexts, {});
  for (auto _ : state) {
    tracker.track(block, {});
    for (Retired& instruction : block.instructions) instruction.cycle += cycles;
  }
  state.SetItemsProcessed(
      static_cast<std::int64_t>(state.iterations() * cycles));
}
BENCHMARK(StackTracker_NamesAlone);

}  // namespace
}  // namespace wick
