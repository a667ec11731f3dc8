// SPDX-License-Identifier: Apache-2.0
// Bytes a second of decoding and ordering all records: samples with
// frame-pointer stacks and with copies of the stack, from two buffers in
// rounds.
#include <benchmark/benchmark.h>

#include "builders/perf_data_builder.h"
#include "perf/file/data_file.h"

namespace wick {
namespace {

using namespace sample_type;

enum Kind { kAddresses, kStackCopies, kCompressed, kKinds };

PerfDataBuilder recording(Kind kind, int rounds) {
  using Packing = PerfDataBuilder::Packing;
  PerfDataBuilder file(
      {.packing = kind == kCompressed ? Packing::kCompressed : Packing::kNone,
       .packed_size = 60'000});
  const bool copies = kind == kStackCopies;
  file.event({.sample_type = kIp | kTid | kTime | kCpu | kPeriod | kCallchain |
                             (copies ? kRegsUser | kStackUser : 0),
              .flags = attr_flag::kSampleIdAll,
              .sample_regs_user = 0xff0fff});
  PerfDataBuilder::Sample sample{.pid = 1, .tid = 1, .period = 250'000};
  sample.callchain = {callchain::kUser};
  for (std::uint64_t i = 0; i < (copies ? 0 : 40); ++i)
    sample.callchain.push_back(0x5555'0000'0000 + i * 64);
  if (copies) {
    sample.user_registers.assign(20, 0x7fff'0000'1000);
    sample.user_stack.assign(8192, 's');
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::uint32_t cpu = 0; cpu < 2; ++cpu)
      for (int i = 0; i < 500; ++i) {
        sample.cpu = cpu;
        sample.time = static_cast<std::uint64_t>(round * 500 + i) * 1000 + cpu;
        sample.ip = sample.time;
        file.sample(sample);
      }
    file.round();
  }
  return file;
}

void read_records(benchmark::State& state) {
  const auto kind = static_cast<Kind>(state.range(0));
  // About 100 MB of records, 16 of stack copies.
  const PerfDataBuilder file = recording(kind, kind == kStackCopies ? 2 : 250);
  InputFile input = file.input();
  PerfData data(input);
  PerfSample sample;
  for (auto _ : state) {
    std::uint64_t sum = 0;
    data.for_each_in_time_order([&](const PerfRecord& record) {
      if (decode_sample(record, sample))
        for (const std::uint64_t ip : sample.callchain) sum += ip;
    });
    benchmark::DoNotOptimize(sum);
  }
  const auto samples = static_cast<std::int64_t>(data.counts().samples);
  state.SetItemsProcessed(state.iterations() * samples);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(data.data_bytes()));
}
BENCHMARK(read_records)
    ->ArgName("kind")
    ->DenseRange(0, kKinds - 1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wick
