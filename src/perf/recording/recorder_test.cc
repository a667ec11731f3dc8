// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recorder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <thread>

#include "builders/test_folder.h"
#include "perf/events/kernel_limits.h"

namespace wick {
namespace {

class RecorderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!read_kernel_limits().may_record_anything())
      GTEST_SKIP() << "the kernel does not allow recording";
  }

  RecordResult record_into(const std::string& name,
                           std::vector<std::string> program) {
    return record({.program = std::move(program),
                   .events = "cpu-clock",
                   .buffer_size = 65536,
                   .output = OutputName::typed(folder_.path() + "/" + name)},
                  stop_, {});
  }

  TestFolder folder_;
  StopRequest stop_;
};

TEST_F(RecorderTest, EndsWithTheProgramAndHasItsStatus) {
  const RecordResult result = record_into("a", {"sh", "-c", "exit 3"});
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(WEXITSTATUS(result.program_status), 3);
  EXPECT_EQ(result.write_error, "");
}

TEST_F(RecorderTest, StopsTheProgramIfItIsStoppedItself) {
  stop_.stop();
  const RecordResult result = record_into("a", {"sleep", "1000"});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.running_program, 0);
}

TEST_F(RecorderTest, StopsNoOtherRecording) {
  RecordResult stopped;
  std::thread other([&] { stopped = record_into("a", {"sleep", "1000"}); });
  const StopRequest never;
  const RecordResult finished =
      record({.program = {"true"},
              .events = "cpu-clock",
              .buffer_size = 65536,
              .output = OutputName::typed(folder_.path() + "/b")},
             never, {});
  stop_.stop();
  other.join();
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_FALSE(finished.interrupted);
  EXPECT_EQ(finished.program_status, 0);
}

}  // namespace
}  // namespace wick
