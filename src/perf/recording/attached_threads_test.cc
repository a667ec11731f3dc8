// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/attached_threads.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "builders/fake_system.h"
#include "perf/recording/descendants.h"
#include "perf/records/record_encoder.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AttachedThreadsTest : public testing::Test {
 protected:
  void process(pid_t pid, pid_t parent) {
    const std::string folder = fmt::format("/proc/{}", pid);
    system_.file(folder + "/status",
                 fmt::format("Tgid:\t{}\nPPid:\t{}\n", pid, parent));
    thread(pid, pid);
  }
  void thread(pid_t pid, pid_t tid) {
    system_.file(fmt::format("/proc/{}/task/{}/comm", pid, tid), "x\n");
  }

  FakeSystem system_;
};

TEST_F(AttachedThreadsTest, DescendantsAreFoundInAnyOrderOfPids) {
  process(1, 0);
  process(50, 90);  // a grandchild with a lower pid
  process(90, 70);
  process(70, 1);
  process(80, 1);
  EXPECT_THAT(with_descendants({70}, system_.paths), ElementsAre(50, 70, 90));
}

TEST_F(AttachedThreadsTest, TheRecorderBelowARecordedShellIsLeftOut) {
  const pid_t self = ::getpid();
  const pid_t shell = self + 1, program = self + 2;
  process(shell, 1);
  process(self, shell);
  process(program, self);
  EXPECT_THAT(with_descendants({shell}, system_.paths), ElementsAre(shell));
}

TEST_F(AttachedThreadsTest, ChildrenCanBeLeftOut) {
  process(70, 1);
  process(71, 70);
  EXPECT_THAT(
      attached_processes({.processes = {70}, .children = false}, system_.paths),
      ElementsAre(70));
}

TEST_F(AttachedThreadsTest, AProcessThatDoesNotExistIsAnError) {
  process(70, 1);
  const RecordOptions options{.processes = {70, 71}};
  AttachedThreads threads(options, system_.paths);
  EXPECT_THROW(threads.next(), Error);
}

TEST_F(AttachedThreadsTest, WhatBeginsMeanwhileIsReturnedLater) {
  process(70, 1);
  const RecordOptions options{.processes = {70}};
  AttachedThreads threads(options, system_.paths);
  EXPECT_THAT(threads.next(), ElementsAre(70));
  process(71, 70);
  thread(70, 72);
  EXPECT_THAT(threads.next(), ElementsAre(71, 72));
  EXPECT_THAT(threads.next(), IsEmpty());
}

TEST_F(AttachedThreadsTest, ChildrenOfWhatWasUnchangedHaveInheritedEvents) {
  process(70, 1);
  process(80, 70);
  const RecordOptions options{.processes = {70}};
  AttachedThreads threads(options, system_.paths);
  EXPECT_THAT(threads.next(), ElementsAre(70, 80));
  process(81, 80);
  EXPECT_THAT(threads.next(), ElementsAre(81));
  process(71, 70);  // 70 had its events before 81 was found
  process(82, 81);  // 81 may not have had them
  process(83, 82);
  EXPECT_THAT(threads.next(), ElementsAre(82, 83));
}

// --- Events that are there twice --------------------------------------------

class LateEventsTest : public testing::Test {
 protected:
  LateEventsTest() {
    event_.attr.sample_type =
        sample_type::kIdentifier | sample_type::kTid | sample_type::kCpu;
    event_.attr.flags = attr_flag::kSampleIdAll;
    other_.attr = event_.attr;
    event_.layout = id_layout(event_.attr);
    other_.layout = event_.layout;
    event_.ids = {1, 2, 3};
    other_.ids = {11, 12, 13};
  }
  // A record of `tid` on CPU 0, by the event that was opened with `id`.
  bool is_double(std::uint32_t tid, std::uint64_t id) {
    const PerfEvent& event = id > 10 ? other_ : event_;
    RecordEncoder encoder(event.attr, id, 0);
    const std::string whole(
        encoder.comm({.pid = tid, .tid = tid, .name = "x"}));
    return late_.are_double({.type = RecordType::kComm,
                             .body = std::string_view(whole).substr(8),
                             .event = &event});
  }

  PerfEvent event_, other_;
  LateEvents late_;
};

TEST_F(LateEventsTest, AreNeededByAThreadThatInheritedNone) {
  late_.add(2, 70, 0);
  EXPECT_FALSE(is_double(70, 2));
  EXPECT_FALSE(is_double(70, 2));
}

TEST_F(LateEventsTest, AreDoubleOnceAnInheritedEventIsSeen) {
  late_.add(2, 70, 0);
  EXPECT_FALSE(is_double(70, 1));
  EXPECT_TRUE(is_double(70, 2));
  EXPECT_FALSE(is_double(70, 1));
  EXPECT_TRUE(is_double(75, 2)) << "a child inherited both";
}

TEST_F(LateEventsTest, ConcernNoOtherEventCpuOrThread) {
  late_.add(2, 70, 0);
  late_.add(3, 70, 1);
  late_.add(12, 70, 0);
  EXPECT_FALSE(is_double(71, 1));
  EXPECT_FALSE(is_double(70, 2));
  EXPECT_FALSE(is_double(70, 1));
  EXPECT_FALSE(is_double(70, 3));
  EXPECT_FALSE(is_double(70, 12));
}

}  // namespace
}  // namespace wick
