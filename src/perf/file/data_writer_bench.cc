// SPDX-License-Identifier: Apache-2.0
// Bytes a second of writing records: samples with call chains, one a call, into
// memory (/dev/shm) and compressed.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include "builders/perf_data_builder.h"
#include "perf/file/data_writer.h"
#include "perf/records/record_scanner.h"

namespace wick {
namespace {

using namespace sample_type;

EventAttr bench_attr() {
  return {.type = event_type::kSoftware,
          .sample_type = kIp | kTid | kTime | kCpu | kPeriod | kCallchain,
          .flags = attr_flag::kSampleIdAll};
}

// 10,000 samples whose chains differ near their leaf, as those of a program do.
std::string samples() {
  PerfDataBuilder file;
  file.event(bench_attr());
  PerfDataBuilder::Sample sample{.pid = 1, .tid = 1, .period = 250'000};
  std::uint64_t random = 1;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    sample.callchain = {callchain::kUser};
    for (std::uint64_t depth = 0; depth < 40; ++depth) {
      if (depth < 6)
        random = random * 6364136223846793005 + 1442695040888963407;
      sample.callchain.push_back(0x5555'0000'0000 + depth * 64 +
                                 (depth < 6 ? random >> 52 : 0));
    }
    sample.ip = sample.callchain[1];
    sample.time = i * 1'003'009;
    file.sample(sample);
  }
  return file.records();
}

void write_records(benchmark::State& state) {
  const std::string path =
      "/dev/shm/wick-bench-" + std::to_string(::getpid()) + ".data";
  const std::string records = samples();
  constexpr int kRounds = 50;  // about 200 MB
  std::uint64_t size = 0;
  for (auto _ : state) {
    PerfDataWriter file(OutputName::typed(path),
                        {{.attr = bench_attr(), .ids = {1}}},
                        {.compression_level = static_cast<int>(state.range(0)),
                         .keep_old = false});
    for (int round = 0; round < kRounds; ++round) {
      RecordScanner scanner(records, false);
      for (RecordScanner::Item item; scanner.next(item);)
        file.write({item.start, item.header.size});
      file.finished_round();
    }
    file.finish();
    size = file.bytes();
    state.PauseTiming();
    ::unlink(path.c_str());
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * kRounds *
                          static_cast<std::int64_t>(records.size()));
  state.counters["ratio"] =
      kRounds * static_cast<double>(records.size()) / static_cast<double>(size);
}
BENCHMARK(write_records)
    ->ArgName("level")
    ->Arg(0)
    ->Arg(1)
    ->Arg(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wick
