// SPDX-License-Identifier: Apache-2.0
// What a day of a busy host costs.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>

#include "builders/simulated_day.h"
#include "profile/fold.h"
#include "server/store/sqlite_store.h"

namespace wick {
namespace {

constexpr std::int64_t kBenchSecond = SimulatedDay::kSecond,
                       kBenchDay = 86'400 * kBenchSecond;
constexpr std::int64_t kDayStart = 1'700'000'000 / 86'400 * kBenchDay;

// The store of a whole day, made once.
struct DayStore {
  std::string folder;
  std::unique_ptr<Store> store;
  double seconds_of_put = 0;

  DayStore() {
    folder = (std::filesystem::temp_directory_path() /
              ("wick-bench-" + std::to_string(::getpid())))
                 .string();
    std::filesystem::create_directories(folder);
    store = open_sqlite_store(folder + "/store.db");
    SimulatedDay day(kDayStart);
    for (int i = 0; i < SimulatedDay::kBatches; ++i) {
      const Batch batch = day.batch(i);
      const std::clock_t start = std::clock();
      store->put(batch);
      seconds_of_put += static_cast<double>(std::clock() - start) /
                        static_cast<double>(CLOCKS_PER_SEC);
    }
  }
  ~DayStore() {
    store.reset();
    std::filesystem::remove_all(folder);
  }
};

DayStore& day_store() {
  static DayStore day;
  return day;
}

void ask(benchmark::State& state, const TimeSpan& span) {
  DayStore& day = day_store();
  std::size_t stacks = 0;
  for (auto _ : state) {
    const Profile profile = day.store->profile({.span = span});
    stacks = profile.samples.size();
    benchmark::DoNotOptimize(fold(profile, {}));
  }
  state.counters["stacks"] = static_cast<double>(stacks);
  state.counters["MB"] = static_cast<double>(day.store->size()) / 1e6;
  state.counters["put_ms"] = day.seconds_of_put / SimulatedDay::kBatches * 1e3;
}

void BM_StoreHour(benchmark::State& state) {
  ask(state, {kDayStart + 9 * 3600 * kBenchSecond,
              kDayStart + 10 * 3600 * kBenchSecond});
}
BENCHMARK(BM_StoreHour)->Unit(benchmark::kMillisecond);

void BM_StoreDay(benchmark::State& state) { ask(state, {}); }
BENCHMARK(BM_StoreDay)->Unit(benchmark::kMillisecond);

void BM_StoreMetricsOfADay(benchmark::State& state) {
  DayStore& day = day_store();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        day.store->metrics({.step_ns = 300 * kBenchSecond}));
}
BENCHMARK(BM_StoreMetricsOfADay)->Unit(benchmark::kMillisecond);

// The day becomes minutes, and then hours.
void BM_StoreThinnedDay(benchmark::State& state) {
  DayStore& day = day_store();
  RetainPolicy policy;
  policy.minutes_after_ns = state.range(0) == 1 ? 0 : 10 * kBenchDay;
  policy.hours_after_ns = state.range(0) == 2 ? 0 : 10 * kBenchDay;
  int steps = 0;
  const std::clock_t start = std::clock();
  while (day.store->retain(policy, kDayStart + 2 * kBenchDay)) ++steps;
  state.counters["step_ms"] = static_cast<double>(std::clock() - start) /
                              static_cast<double>(CLOCKS_PER_SEC) /
                              std::max(steps, 1) * 1e3;
  ask(state, {});
}
BENCHMARK(BM_StoreThinnedDay)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wick
