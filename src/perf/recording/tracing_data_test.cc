// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/tracing_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"
#include "builders/test_folder.h"
#include "perf/records/tracepoint.h"

namespace wick {
namespace {

class TracingData : public testing::Test {
 protected:
  TracingData() {
    put("events/header_page", "\tfield: u64 timestamp;\n");
    put("events/header_event", "# compressed entry header\n");
  }
  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = folder_.path() + "/" + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  std::string collect(std::vector<std::string> names) {
    return collect_tracing_data(names, folder_.path());
  }
  TestFolder folder_;
};

constexpr const char* kSwitch =
    "name: sched_switch\nID: 316\nformat:\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n";

TEST_F(TracingData, DescribesTheTracepointsThatAreAskedFor) {
  put("events/sched/sched_switch/format", kSwitch);
  put("events/sched/sched_wakeup/format", "name: sched_wakeup\nID: 318\n");
  put("events/block/block_rq_issue/format", "name: block_rq_issue\nID: 9\n");
  put("printk_formats", "0xffffffff81000000 : \"text\"\n");
  const auto formats = read_tracing_data(
      collect({"sched:sched_switch", "block:block_rq_issue"}));
  ASSERT_EQ(formats.size(), 2u);
  EXPECT_EQ(formats[0]->system, "block");
  EXPECT_EQ(formats[0]->id, 9u);
  EXPECT_EQ(formats[1]->name, "sched_switch");
  EXPECT_EQ(formats[1]->id, 316u);
  ASSERT_NE(formats[1]->field("prev_pid"), nullptr);
}

TEST_F(TracingData, DescribesATracepointWithoutItsModifiers) {
  put("events/sched/sched_switch/format", kSwitch);
  const auto formats = read_tracing_data(collect({"sched:sched_switch:k"}));
  ASSERT_EQ(formats.size(), 1u);
  EXPECT_EQ(formats[0]->name, "sched_switch");
}

TEST_F(TracingData, DescribesATracepointOnce) {
  put("events/sched/sched_switch/format", kSwitch);
  EXPECT_EQ(
      read_tracing_data(collect({"sched:sched_switch", "sched:sched_switch"}))
          .size(),
      1u);
}

TEST_F(TracingData, FailsForWhatTheKernelDoesNotHave) {
  EXPECT_THROW(collect({"sched:sched_nothing"}), Error);
  EXPECT_THROW(collect({"sched_switch"}), Error);
  EXPECT_THROW(collect({"sched:../../x"}), Error);
  EXPECT_THROW(collect_tracing_data({}, ""), Error);
}

TEST(TracingDataOfThisKernel, HasTheFieldsOfSchedSwitch) {
  if (readable_tracefs({}).empty()) GTEST_SKIP() << "tracefs is not readable";
  const std::vector<std::string> names{"sched:sched_switch"};
  const auto formats = read_tracing_data(collect_tracing_data(names));
  ASSERT_EQ(formats.size(), 1u);
  EXPECT_NE(formats[0]->field("next_comm"), nullptr);
}

}  // namespace
}  // namespace wick
