// SPDX-License-Identifier: Apache-2.0
// From samples to the tree that is drawn.
#include <benchmark/benchmark.h>

#include <random>

#include "profile/fold.h"

namespace wick {
namespace {

Profile some_profile(std::size_t samples) {
  std::mt19937 random(1);
  Profile profile;
  profile.event_id("cycles");
  std::vector<StackId> stacks{StackId::kRoot};
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t caller = random() % stacks.size();
    stacks.push_back(profile.stacks.push(
        stacks[caller],
        profile.named_frame("function_" + std::to_string(random() % 3000))));
  }
  for (std::size_t i = 0; i < samples; ++i)
    profile.samples.push_back(
        {.weight = 1, .stack = stacks[random() % stacks.size()]});
  return profile;
}

void BM_Fold(benchmark::State& state, const FoldOptions& options) {
  const Profile profile =
      some_profile(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(fold(profile, options).size());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(BM_Fold, whole, FoldOptions{})->Arg(1'000'000);
BENCHMARK_CAPTURE(BM_Fold, pruned, FoldOptions{.min_share = 0.0001})
    ->Arg(1'000'000);
BENCHMARK_CAPTURE(BM_Fold, reversed, FoldOptions{.reversed = true})
    ->Arg(1'000'000);

}  // namespace
}  // namespace wick
