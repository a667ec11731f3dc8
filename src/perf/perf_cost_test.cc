// SPDX-License-Identifier: Apache-2.0
// What a recording costs follows its size: twice as many samples, threads or
// mappings cost twice as much to read.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "builders/cost.h"
#include "builders/perf_data_builder.h"
#include "profile/format.h"

namespace wick {

extern const InputFormat perf_data_input;

namespace {

constexpr int kRecords = 1000;

// `add(file, i)` adds the i-th part of a recording.
void expect_linear(
    const std::function<void(PerfDataBuilder&, std::uint32_t)>& add) {
  Cost costs[2];
  for (int i = 0; i < 2; ++i) {
    PerfDataBuilder file;
    file.event({.sample_type = sample_type::kIp | sample_type::kTid |
                               sample_type::kTime | sample_type::kCallchain,
                .flags = attr_flag::kSampleIdAll});
    for (int n = 0; n < (i + 1) * kRecords; ++n)
      add(file, static_cast<std::uint32_t>(n));
    InputFile input = file.input();
    costs[i] = cost_of([&](std::ostream&) { perf_data_input.read(input, {}); });
  }
  expect_doubled_at_most(costs[0], costs[1]);
}

PerfDataBuilder::Sample sample_at(std::uint32_t i, std::uint32_t pid) {
  return {.ip = 0x1000 + i, .pid = pid, .tid = pid, .time = i + 1};
}

TEST(RecordingCosts, OfDeepCallchainsDoubleAtMost) {
  expect_linear([](PerfDataBuilder& file, std::uint32_t i) {
    PerfDataBuilder::Sample sample = sample_at(i, 1);
    for (std::uint32_t k = 0; k < 100; ++k)
      sample.callchain.push_back(0x1000 + i * 100 + k);
    file.sample(sample);
  });
}

TEST(RecordingCosts, OfProcessesDoubleAtMost) {
  expect_linear([](PerfDataBuilder& file, std::uint32_t i) {
    file.comm(i + 1, i + 1, "name" + std::to_string(i));
    file.sample(sample_at(i, i + 1));
  });
}

TEST(RecordingCosts, OfMappingsDoubleAtMost) {
  expect_linear([](PerfDataBuilder& file, std::uint32_t i) {
    file.record(RecordType::kMmap, misc::kUser,
                file.make()
                    .u32(1)
                    .u32(1)
                    .u64(0x1000)
                    .u64(0x100000 + i)
                    .u64(0)
                    .name("/no/such/file" + std::to_string(i)),
                {.time = i + 1});
    file.sample(sample_at(i, 1));
  });
}

}  // namespace
}  // namespace wick
