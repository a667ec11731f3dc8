// SPDX-License-Identifier: Apache-2.0
// Stacks into a table: pushed frame by frame, and as a sorted batch.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "profile/stack_batch.h"

namespace wick {
namespace {

// Stacks of 48 frames, each sharing a piece of random length with the one
// before it, in random order.
std::vector<std::vector<FrameId>> some_stacks(std::size_t count) {
  std::mt19937 random(1);
  std::vector<std::vector<FrameId>> stacks(count, std::vector<FrameId>(48));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t shared = i == 0 ? 0 : random() % 48;
    for (std::size_t j = 0; j < 48; ++j)
      stacks[i][j] = j < shared
                         ? stacks[i - 1][j]
                         : FrameId{static_cast<std::uint32_t>(random() % 5000)};
  }
  std::ranges::shuffle(stacks, random);
  return stacks;
}

void count_frames(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0) * 48);
}

void BM_PushFrameByFrame(benchmark::State& state) {
  const auto stacks = some_stacks(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    StackTable table;
    for (const auto& frames : stacks) {
      StackId id = StackId::kRoot;
      for (const FrameId frame : frames) id = table.push(id, frame);
      benchmark::DoNotOptimize(id);
    }
  }
  count_frames(state);
}
BENCHMARK(BM_PushFrameByFrame)->Arg(2'000)->Arg(50'000);

void BM_Batch(benchmark::State& state) {
  const auto stacks = some_stacks(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    StackTable table;
    StackBatch batch;
    for (const auto& frames : stacks) batch.add(frames);
    benchmark::DoNotOptimize(batch.move_to(table));
  }
  count_frames(state);
}
BENCHMARK(BM_Batch)->Arg(2'000)->Arg(50'000);

}  // namespace
}  // namespace wick
