// SPDX-License-Identifier: Apache-2.0
// A simulated day of one busy host with 8 CPUs: 19 samples a second on each,
// compilers that come and go, 50,000 stacks of some 30 frames of which few are
// frequent, 250 metrics.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "profile/fold.h"
#include "server/store/sqlite_store.h"

namespace wick {
namespace {

constexpr std::int64_t kBenchSecond = 1'000'000'000,
                       kBenchDay = 86'400 * kBenchSecond;
constexpr std::int64_t kDayStart = 1'700'000'000 / 86'400 * kBenchDay;
constexpr int kCpus = 8, kHertz = 19, kStacks = 50'000, kFunctions = 30'000;
constexpr int kBatches = 8640;

// Zipf's law, as by inverting its integral.
int frequent_first(std::mt19937& random, int count) {
  const double uniform = std::uniform_real_distribution<>(0, 1)(random);
  return static_cast<int>(std::pow(count, uniform)) - 1;
}

class Day {
 public:
  Batch batch(int number) {
    Batch batch;
    batch.agent = "agent";
    batch.sequence = static_cast<std::uint64_t>(number) + 1;
    batch.host = "box";
    batch.from_ns = kDayStart + number * 10 * kBenchSecond;
    batch.to_ns = batch.from_ns + 10 * kBenchSecond;
    Profile& profile = batch.profile;
    const EventId event = profile.event_id("cpu-clock", "ns");
    SampleCollector samples(profile, false);
    for (int i = 0; i < kCpus * kHertz * 10; ++i) {
      const int stack = frequent_first(random_, kStacks);
      const int pid = thread_of(stack, number);
      samples.add({.weight = kBenchSecond / kHertz,
                   .stack = add_stack(profile, stack),
                   .thread = profile.thread_id(
                       {pid, pid,
                        profile.strings.intern("program-" +
                                               std::to_string(stack % 40))}),
                   .event = event});
    }
    for (ThreadId id : profile.threads.ids())
      if (const Thread& thread = profile.threads[id]; thread.pid > 0)
        batch.processes.push_back({thread.pid,
                                   std::string(profile.strings[thread.comm]),
                                   "/system.slice/build.service", ""});
    for (int i = 0; i < 250; ++i) {
      const double value = i % 3 == 0 ? 0 : 1000.0 * i + random_() % 1000;
      batch.metrics.push_back({"metric" + std::to_string(i / 9),
                               std::to_string(i % 9), value, value * 1.5});
    }
    for (int i = 0; i < 30; ++i)
      batch.busiest.push_back(
          {.pid = i < 20 ? 100 + i : 1000 + number * 10 + i,
           .parent = 1,
           .start_ticks =
               static_cast<std::uint64_t>(i < 20 ? i : number * 1000),
           .name = "program-" + std::to_string(i),
           .cpu = (random_() % 1000) / 1000.0,
           .system_cpu = (random_() % 100) / 1000.0,
           .minor_faults = static_cast<double>(random_() % 1000),
           .read_bytes = 0,
           .written_bytes = static_cast<double>(random_() % 100'000),
           .resident_bytes = random_() % 1'000'000'000});
    return batch;
  }

 private:
  // Programs with an even number run all day, the others for a batch.
  static int thread_of(int stack, int number) {
    const int program = stack % 40;
    return program % 2 == 0 ? 100 + program : 1000 + number * 20 + program;
  }

  // A path in a tree: stacks share their outer frames.
  static StackId add_stack(Profile& profile, int stack) {
    std::mt19937 random(static_cast<unsigned>(stack));
    StackId id = StackId::kRoot;
    const int depth = 20 + static_cast<int>(random() % 20);
    for (int i = 0; i < depth; ++i) {
      const int range = 1 << std::min(i + 2, 14);
      const int function = i < depth - 4
                               ? (stack % range) * 7 % kFunctions
                               : static_cast<int>(random() % kFunctions);
      id = profile.stacks.push(
          id, profile.frames.intern(
                  {.function = profile.strings.intern(
                       "some::library::Class<int>::function_" +
                       std::to_string(function)),
                   .module = profile.module_id(
                       "/usr/lib/lib" + std::to_string(function % 60) + ".so",
                       "0123456789abcdef" + std::to_string(function % 60)),
                   .address =
                       0x1000u + static_cast<std::uint64_t>(function) * 96}));
    }
    return id;
  }

  std::mt19937 random_{1};
};

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
    Day day;
    for (int i = 0; i < kBatches; ++i) {
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
  state.counters["put_ms"] = day.seconds_of_put / kBatches * 1e3;
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
