// SPDX-License-Identifier: Apache-2.0
// What measuring this machine costs.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <utility>

#include "host/host_reader.h"
#include "host/process_metrics.h"

namespace wick {
namespace {

void BM_HostTick(benchmark::State& state) {
  HostReader reader;
  HostMetrics before = reader.read();
  for (auto _ : state) {
    HostMetrics now = reader.read();
    benchmark::DoNotOptimize(rates(before, now));
    before = std::move(now);
  }
}
BENCHMARK(BM_HostTick);

void BM_Processes(benchmark::State& state) {
  ProcessReader reader;
  std::int64_t now = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(reader.read(now += 5'000'000'000));
  state.counters["processes"] = static_cast<double>(reader.counts().processes);
}
BENCHMARK(BM_Processes);

}  // namespace
}  // namespace wick
