// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recorded_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "perf/records/record_encoder.h"

namespace wick {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t kProgram = 70;

class RecordedTreeTest : public testing::Test {
 protected:
  RecordedTreeTest() {
    EventAttr attr;
    attr.sample_type = sample_type::kTid | sample_type::kTime;
    attr.flags = attr_flag::kSampleIdAll;
    event_.attr = attr;
    event_.layout = id_layout(attr);
    encoder_ = RecordEncoder(attr, 0, 0);
  }
  void comm(std::uint32_t pid) {
    visit(RecordType::kComm,
          encoder_.comm({.pid = pid, .tid = pid, .name = "x"}));
  }
  void fork(std::uint32_t parent, std::uint32_t pid) {
    visit(RecordType::kFork, encoder_.fork({.pid = pid,
                                            .parent_pid = parent,
                                            .tid = pid,
                                            .parent_tid = parent},
                                           0));
  }
  void new_thread(std::uint32_t pid) { fork(pid, pid); }
  void exit(std::uint32_t pid) {
    visit(RecordType::kExit, encoder_.exit({.pid = pid, .tid = pid}));
  }
  bool contains(std::uint32_t pid) { return tree_.contains(pid, time_, false); }

  RecordedTree tree_{kProgram};
  std::uint64_t time_ = 1'000'000'000;

 private:
  void visit(RecordType type, std::string_view record) {
    const std::string whole(record);
    tree_.visit({.type = type,
                 .body = std::string_view(whole).substr(8),
                 .time = time_,
                 .event = &event_});
  }
  PerfEvent event_;
  RecordEncoder encoder_{event_.attr, 0, 0};
};

TEST_F(RecordedTreeTest, TheProgramBeginsWithItsExec) {
  EXPECT_FALSE(contains(kProgram));
  comm(kProgram);
  EXPECT_TRUE(contains(kProgram));
}

TEST_F(RecordedTreeTest, TheProgramBeginsAlsoIfItsNameIsLost) {
  tree_.begins_before(time_ + 1);
  EXPECT_FALSE(contains(kProgram));
  ++time_;
  EXPECT_TRUE(contains(kProgram));
}

TEST_F(RecordedTreeTest, DescendantsBelongToIt) {
  comm(kProgram);
  fork(kProgram, 71);
  fork(71, 72);
  exit(71);
  EXPECT_TRUE(contains(72));
}

TEST_F(RecordedTreeTest, OtherProcessesDoNot) {
  comm(50);
  comm(kProgram);
  fork(50, 51);
  EXPECT_FALSE(contains(50));
  EXPECT_FALSE(contains(51));
  EXPECT_FALSE(contains(0));
}

TEST_F(RecordedTreeTest, AProcessLivesAsLongAsItsLastThread) {
  comm(kProgram);
  fork(kProgram, 71);
  new_thread(71);
  exit(71);
  EXPECT_TRUE(contains(71));
  exit(71);
  EXPECT_FALSE(contains(71));
  EXPECT_THAT(tree_.alive(), ElementsAre(kProgram));
}

TEST_F(RecordedTreeTest, AProcessThatEndsIsInTheKernelForAMoment) {
  comm(kProgram);
  fork(kProgram, 71);
  exit(71);
  EXPECT_TRUE(tree_.contains(71, time_ + 1000, true));
  EXPECT_FALSE(tree_.contains(71, time_ + 1000, false));
  EXPECT_FALSE(tree_.contains(71, time_ + 1'000'000'000, true));
}

TEST_F(RecordedTreeTest, PidsAreUsedAgain) {
  comm(kProgram);
  fork(kProgram, 71);
  exit(71);
  time_ += 1'000'000'000;
  fork(kProgram, 71);
  EXPECT_TRUE(contains(71));
  fork(kProgram, 72);
  exit(72);
  EXPECT_TRUE(contains(71)) << "its first end is long ago";
}

TEST_F(RecordedTreeTest, TasksAreCounted) {
  comm(kProgram);
  fork(kProgram, 71);
  new_thread(71);
  exit(71);
  EXPECT_EQ(tree_.tasks(), 3u);
}

}  // namespace
}  // namespace wick
