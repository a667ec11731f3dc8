// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/known_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders/perf_data_builder.h"
#include "perf/file/data_file.h"

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
  void fork(std::uint32_t pid, std::uint32_t parent) {
    file_.record(RecordType::kFork, 0,
                 file_.make().u32(pid).u32(parent).u32(pid).u32(parent).u64(2),
                 {.time = 2});
  }
  // The processes that samples bring; the first record is of /proc.
  std::vector<std::uint32_t> newcomers() {
    InputFile input = file_.input();
    PerfData data(input);
    KnownProcesses known;
    PerfRecord record;
    std::vector<std::uint32_t> pids;
    for (bool is_first = true; data.next(record); is_first = false) {
      if (is_first) known.on_described(record);
      known.visit(record);
      if (record.type != RecordType::kSample) continue;
      if (const std::uint32_t pid = known.newcomer(record)) pids.push_back(pid);
    }
    return pids;
  }

  PerfDataBuilder file_;
};

TEST_F(KnownProcessesTest, AreThoseThatRecordsDescribe) {
  file_.comm(7, 7, "old", 1);
  fork(8, 7);
  sample(7);
  sample(8);
  EXPECT_THAT(newcomers(), ElementsAre());
}

TEST_F(KnownProcessesTest, ExecDescribesAProcess) {
  file_.comm(7, 7, "old", 1);
  file_.record(RecordType::kComm, misc::kCommExec,
               file_.make().u32(9).u32(9).name("new"), {.time = 2});
  sample(9);
  EXPECT_THAT(newcomers(), ElementsAre());
}

// It came into a control group, or its FORK was lost.
TEST_F(KnownProcessesTest, ANameAThreadOrAChildDoesNotDescribeAProcess) {
  file_.comm(7, 7, "old", 1);
  file_.comm(9, 9, "renamed", 2);
  fork(10, 10);  // a thread
  fork(12, 11);
  for (const std::uint32_t pid : {9, 10, 11, 12}) sample(pid);
  EXPECT_THAT(newcomers(), ElementsAre(9, 10, 11, 12));
}

TEST_F(KnownProcessesTest, AProcessThatOnlyASampleRevealsIsNewOnce) {
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
