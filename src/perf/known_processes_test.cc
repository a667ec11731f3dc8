// SPDX-License-Identifier: Apache-2.0
#include "perf/known_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders/perf_data_builder.h"
#include "perf/data_file.h"

namespace wick {
namespace {

using testing::ElementsAre;

class KnownProcessesTest : public testing::Test {
 protected:
  KnownProcessesTest() {
    file_.event({.sample_type =
                     sample_type::kIp | sample_type::kTid | sample_type::kTime,
                 .flags = attr_flag::kSampleIdAll});
  }
  void sample(std::uint32_t pid) {
    file_.sample({.ip = 0x1000, .pid = pid, .tid = pid, .time = 9});
  }
  // The processes that samples bring.
  std::vector<std::uint32_t> newcomers() {
    InputFile input = file_.input();
    PerfData data(input);
    KnownProcesses known;
    PerfRecord record;
    std::vector<std::uint32_t> pids;
    while (data.next(record)) {
      known.visit(record);
      if (record.type != RecordType::kSample) continue;
      if (const std::uint32_t pid = known.newcomer(record)) pids.push_back(pid);
    }
    return pids;
  }

  PerfDataBuilder file_;
};

TEST_F(KnownProcessesTest, AreThoseThatRecordsToldOf) {
  file_.comm(7, 7, "old", 1);
  file_.record(RecordType::kFork, 0,
               file_.make().u32(8).u32(7).u32(8).u32(7).u64(2), {.time = 2});
  sample(7);
  sample(8);
  EXPECT_THAT(newcomers(), ElementsAre());
}

TEST_F(KnownProcessesTest, AProcessThatOnlyASampleTellsOfIsNewOnce) {
  sample(9);
  sample(9);
  sample(10);
  EXPECT_THAT(newcomers(), ElementsAre(9, 10));
}

TEST_F(KnownProcessesTest, NeitherTheIdleTaskNorOneThatEndedIsNew) {
  sample(0);
  sample(0xffffffff);
  EXPECT_THAT(newcomers(), ElementsAre());
}

}  // namespace
}  // namespace wick
