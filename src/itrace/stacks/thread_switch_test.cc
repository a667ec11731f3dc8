// SPDX-License-Identifier: Apache-2.0
// Thread switches, and threads and programs that start.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "builders/tracked_stacks.h"

namespace wick {
namespace {

class Threads : public TrackedStacks {
 protected:
  Threads() {
    code_.function("main", "ecall nop");
    code_.function("handle_exception", "nop call sret");
    code_.function("k_sys_wait", "call ret");
    code_.function("k_schedule", "nop call nop ret");
    code_.function("__switch_to", "nop ret");
    code_.function("k_worker", "nop call nop j");
    code_.function("ret_from_fork", "nop jalr nop sret");
  }
  // main waits, and a kernel thread starts.
  const std::string kStart =
      "main:0 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 __switch_to:0-1 "
      "ret_from_fork:0-1 k_worker:0-1 ";
};

TEST_F(Threads, ANewThreadHasItsOwnStack) {
  track(kStart);
  EXPECT_EQ(stack(), "ret_from_fork;k_worker");
  EXPECT_EQ(contexts_.parked(), 1);
}

TEST_F(Threads, TheResumedThreadIsFoundByItsReturns) {
  track(kStart +
        "k_schedule:0-1 __switch_to:0-1 k_schedule:2-3 k_sys_wait:1 "
        "handle_exception:2 main:1");
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(tracker_->counts().switches, 2);
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
  EXPECT_EQ(self("main;handle_exception;k_sys_wait;k_schedule"), 4);
  EXPECT_EQ(self("ret_from_fork;k_worker;k_schedule"), 2);
}

TEST_F(Threads, OfTwoWaitingThreadsTheRightOneResumes) {
  track(kStart +
        "k_schedule:0-1 __switch_to:0-1 k_schedule:2-3 k_sys_wait:1 "
        "handle_exception:2 main:1 main:0 handle_exception:0-1 k_sys_wait:0 "
        "k_schedule:0-1 __switch_to:0-1 k_schedule:2-3 k_worker:2");
  EXPECT_EQ(stack(), "ret_from_fork;k_worker");
}

// Until it has returned from enough functions, it may be any thread.
TEST_F(Threads, WhatRunsBeforeItsThreadIsKnownBelongsToThatThread) {
  track(kStart +
        "k_schedule:0-1 __switch_to:0-1 k_schedule:2-3 k_sys_wait:1 "
        "handle_exception:2 main:1 main:0 handle_exception:0-1 k_sys_wait:0 "
        "k_schedule:0-1 __switch_to:0-1 k_schedule:2-3 k_worker:2-3");
  EXPECT_EQ(self("ret_from_fork;k_worker;k_schedule"), 4);
  EXPECT_EQ(self("ret_from_fork;k_worker"), 4);
}

// Its memory is gone, so the kernel leaves the page table of another one.
TEST_F(Threads, AProcessThatEndsRunsOnInTheSpaceOfAnother) {
  code_.function("other", "nop ecall nop");
  code_.function("k_sys_exit", "nop call nop");
  track("main:0");
  const auto block = [&](std::string_view trace) {
    TraceBlock block = code_.trace(trace);
    block.contexts.push_back({.from = 0, .has_satp = true, .satp = 1});
    return block;
  };
  const std::vector<SpaceChange> one = {{0, SpaceId{1}}},
                                 two = {{0, SpaceId{2}}};
  tracker_->track(
      block("@101 main:1 main:0 handle_exception:0-1 k_sys_exit:0-1 "
            "k_schedule:0-1 __switch_to:0-1"),
      one);
  tracker_->track(block("@201 ret_from_fork:0 ret_from_fork:3 other:0-1 "
                        "handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 "
                        "__switch_to:0-1 k_schedule:2-3 k_sys_exit:2"),
                  two);
  tracker_->finish();
  EXPECT_EQ(stack(), "main;handle_exception;k_sys_exit");
}

// The worker has waited longer, but has no memory to change to.
TEST_F(Threads, TheKernelChangesTheSpaceForAThreadThatHasMemory) {
  code_.function("other", "nop ecall nop");
  track("main:0");
  const auto track_in = [&](SpaceId space, std::string_view trace) {
    TraceBlock block = code_.trace(trace);
    block.contexts.push_back({.has_satp = true, .satp = index(space)});
    const std::vector<SpaceChange> spaces = {{0, space}};
    tracker_->track(block, spaces);
  };
  const std::string waits =
      "main:0 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 ";
  track_in(SpaceId{1},
           "@101 main:1 " + waits +
               "__switch_to:0-1 ret_from_fork:0-1 k_worker:0-1 k_schedule:0-1 "
               "__switch_to:0-1 k_schedule:2-3 k_sys_wait:1 handle_exception:2 "
               "main:1 " +
               waits);
  track_in(SpaceId{2},
           "@201 __switch_to:0-1 ret_from_fork:0 ret_from_fork:3 other:0-1 "
           "handle_exception:0-1 k_sys_wait:0 k_schedule:0-1");
  track_in(SpaceId{1}, "@301 __switch_to:0-1 k_schedule:2");
  tracker_->finish();
  EXPECT_EQ(stack(), "main;handle_exception;k_sys_wait;k_schedule");
}

TEST(ThreadMemory, IsTheSpaceThatWasChangedForIt) {
  using Doubt = Memory::Doubt;
  Memory memory;
  memory.resume(SpaceId{1}, true);
  EXPECT_TRUE(memory.is(SpaceId{1}));
  EXPECT_EQ(memory.doubt(SpaceId{1}, true), Doubt::kNone);
  EXPECT_EQ(memory.doubt(SpaceId{2}, true), Doubt::kOther);
  EXPECT_EQ(memory.doubt(SpaceId{2}, false), Doubt::kOther);
}

TEST(ThreadMemory, IsNoneForOneThatRunsInThatOfOthers) {
  using Doubt = Memory::Doubt;
  Memory worker;
  worker.resume(SpaceId{1}, false);
  EXPECT_EQ(worker.doubt(SpaceId{1}, true), Doubt::kUnknown);
  worker.resume(SpaceId{2}, false);
  EXPECT_EQ(worker.doubt(SpaceId{3}, false), Doubt::kNone);
  EXPECT_EQ(worker.doubt(SpaceId{2}, true), Doubt::kOther);
}

TEST(ThreadMemory, IsGoneOnceAProcessThatEndsRunsElsewhere) {
  Memory memory;
  memory.be(SpaceId{1});
  memory.resume(SpaceId{2}, false);
  EXPECT_FALSE(memory.is(SpaceId{1}));
  EXPECT_EQ(memory.doubt(SpaceId{3}, false), Memory::Doubt::kNone);
}

TEST_F(Threads, AnUnknownThreadIsNotMistakenForAnother) {
  code_.function("k_other", "call nop");
  track(
      "main:0 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 "
      "__switch_to:0-1 k_schedule:2-3 k_other:1");
  EXPECT_EQ(stack(), "k_other");
  EXPECT_EQ(contexts_.parked(), 1);
}

TEST_F(Threads, AChildReturnsToTheCallersOfItsParent) {
  code_.function("start", "call nop");
  code_.function("parent", "call nop");
  code_.function("fork", "ecall ret");
  track(
      "start:0 parent:0 fork:0 handle_exception:0-1 k_sys_wait:0 "
      "k_schedule:0-1 __switch_to:0-1 ret_from_fork:0 ret_from_fork:3 "
      "fork:1 parent:1");
  EXPECT_EQ(stack(), "start;parent");
  EXPECT_EQ(contexts_.thread_count(), 2);
}

TEST_F(Threads, AForkedChildHasItsParentsCallersFromTheFirstInstruction) {
  code_.function("start", "call nop");
  code_.function("fork", "ecall nop ret");
  code_.function("wait", "ecall ret");
  code_.function("wake_up_new_task", "nop ret");
  code_.function("k_sys_clone", "call ret");
  // The parent continues and waits elsewhere before the child runs.
  track(
      "start:0 fork:0 handle_exception:0-1 k_sys_clone:0 "
      "wake_up_new_task:0-1 k_sys_clone:1 handle_exception:2 fork:1-2 start:1 "
      "main:0 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 "
      "__switch_to:0-1 ret_from_fork:0 ret_from_fork:3 fork:1");
  EXPECT_EQ(stack(), "start;fork");
  EXPECT_EQ(contexts_.thread_count(), 2);
}

TEST_F(Threads, IndistinguishableThreadsResumeInTheOrderTheyWereLeft) {
  code_.function("ping", "call nop");
  code_.function("pong", "call nop");
  code_.function("take_turns", "call nop");
  code_.function("wait", "ecall ret");
  const std::string waits =
      "take_turns:0 wait:0 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 "
      "__switch_to:0-1 ";
  track("ping:0 " + waits + "ret_from_fork:0 ret_from_fork:3 pong:0 " + waits +
        "ret_from_fork:0-1 k_worker:0-1 k_schedule:0-1 __switch_to:0-1 "
        "k_schedule:2-3 k_sys_wait:1 handle_exception:2 wait:1 take_turns:1");
  EXPECT_EQ(stack(), "ping;take_turns");
}

// main and two threads of the kernel are left in a function that looks for
// another thread as long as there is one; the first of the two threads goes on
// and is left again before it returns.
class LeftAgain : public Threads {
 protected:
  LeftAgain() {
    code_.function("k_one", "call nop");
    code_.function("k_two", "call nop");
    code_.function("k_resched", "nop call beq ret");
  }
  const std::string kLeaves = "k_resched:0-1 __switch_to:0-1 ";
  const std::string kOneIsLeftAgain =
      "main:0 handle_exception:0-1 k_sys_wait:0 " + kLeaves +
      "ret_from_fork:0-1 k_one:0 " + kLeaves + "ret_from_fork:0-1 k_two:0 " +
      kLeaves + "k_resched:2 " + kLeaves;
  const std::string kMainGoesOn =
      "k_resched:2-3 k_sys_wait:1 handle_exception:2 main:1";
};

TEST_F(LeftAgain, IsNotTheThreadThatResumesNext) {
  track(kOneIsLeftAgain + kMainGoesOn);
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(self("ret_from_fork;k_one;k_resched"), 2 + 3);
  EXPECT_EQ(self("main;handle_exception;k_sys_wait;k_resched"), 2 + 2);
  EXPECT_EQ(contexts_.thread_count(), 3);
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(LeftAgain, IsTheThreadThatResumesAfterTheUrgentOne) {
  code_.function("alpha", "call call nop");
  code_.function("beta", "call nop");
  code_.function("gamma", "call nop");
  code_.function("wait", "ecall ret");
  const std::string waits =
      "wait:0 handle_exception:0-1 k_sys_wait:0 " + kLeaves;
  const std::string begins = "ret_from_fork:0 ret_from_fork:3 ";
  const std::string goes_on =
      "k_resched:2-3 k_sys_wait:1 handle_exception:2 wait:1 ";
  track("alpha:0 " + waits + begins + "beta:0 " + waits + begins + "gamma:0 " +
        waits + "ret_from_fork:0-1 k_one:0 " + kLeaves + "k_resched:2 " +
        kLeaves +  // gamma
        goes_on + "alpha:1 " + waits + goes_on + "gamma:1");
  EXPECT_EQ(stack(), "gamma");
  EXPECT_EQ(self("gamma;wait;handle_exception;k_sys_wait;k_resched"),
            2 + 3 + 2);
  EXPECT_EQ(self("beta;wait;handle_exception;k_sys_wait;k_resched"), 2);
}

TEST_F(LeftAgain, IsFoundByItsCallersIfInterruptedOnTheWayToItsProgram) {
  code_.function("alpha", "call nop");
  code_.function("beta", "call nop");
  code_.function("gamma", "call call nop");
  code_.function("wait", "ecall ret");
  const std::string waits =
      "wait:0 handle_exception:0-1 k_sys_wait:0 " + kLeaves;
  const std::string begins = "ret_from_fork:0 ret_from_fork:3 ";
  const std::string returns = "k_resched:2-3 k_sys_wait:1 handle_exception:2 ";
  track("alpha:0 " + waits + begins + "gamma:0 " + waits + begins + "beta:0 " +
        waits + "ret_from_fork:0-1 k_one:0 " + kLeaves +
        // beta, and an interrupt before its first instruction
        returns + "handle_exception:0-1 " + kLeaves +  //
        returns + "wait:1 gamma:1 " + waits +
        "k_resched:2-3 handle_exception:2 wait:1 beta:1");
  EXPECT_EQ(stack(), "beta");
  EXPECT_EQ(self("beta;wait;handle_exception;k_sys_wait"), 2);
  EXPECT_EQ(self("alpha;wait;handle_exception;k_sys_wait"), 1);
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(LeftAgain, ResumesBeforeIndistinguishableThreads) {
  code_.function("ping", "call nop");
  code_.function("pong", "call nop");
  code_.function("take_turns", "call nop");
  code_.function("wait", "ecall ret");
  const std::string waits =
      "take_turns:0 wait:0 handle_exception:0-1 k_sys_wait:0 " + kLeaves;
  const std::string begins = "ret_from_fork:0 ret_from_fork:3 ";
  track("pong:0 " + waits + begins + "ping:0 " + waits + begins +
        "main:0 handle_exception:0-1 k_sys_wait:0 " + kLeaves +
        "ret_from_fork:0-1 k_one:0 " + kLeaves + "k_resched:2 " +
        kLeaves +  // pong
        kMainGoesOn + " handle_exception:0-1 k_sys_wait:0 " + kLeaves +
        "k_resched:2-3 k_sys_wait:1 handle_exception:2 wait:1 take_turns:1");
  EXPECT_EQ(stack(), "pong;take_turns");
}

TEST_F(LeftAgain, DoesNotPreventTheThreadItWasMistakenForFromResuming) {
  track(kOneIsLeftAgain);  // what comes next cannot be seen: main is taken
  tracker_->track(code_.trace("@900 " + kMainGoesOn), {});
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(contexts_.thread_count(), 3);
}

// A program makes another one: its child runs on its memory until it is a
// program of its own. With satp, that is seen.
class Vfork : public Threads, public testing::WithParamInterface<bool> {
 protected:
  Vfork() {
    code_.function("start", "call nop call nop");
    code_.function("vfork", "ecall ret");
    code_.function("execve", "ecall ret");
    code_.function("_start", "nop ecall");
    code_.function("wake_up_new_task", "call ret");
  }
  const std::string kChild =
      "vfork:0 handle_exception:0-1 wake_up_new_task:0 k_schedule:0-1 "
      "__switch_to:0-1 ret_from_fork:0 ret_from_fork:3 ";
  // The child may have returned before it executes another program: its stack
  // is a copy, as far as it can be seen.
  const std::string kExec =
      "vfork:1 start:1-2 execve:0 handle_exception:0 handle_exception:2 ";

  // All in one space, except what follows the first `old` instructions.
  void run(std::string_view trace, std::size_t old = SIZE_MAX) {
    track("start:0");
    TraceBlock block = code_.trace("@101 " + std::string(trace));
    std::vector<SpaceChange> spaces;
    if (GetParam()) {
      spaces.push_back({0, SpaceId{1}});
      block.contexts.push_back({.from = 0, .has_satp = true, .satp = 1});
      if (old < block.instructions.size()) {
        const auto from = static_cast<std::uint32_t>(old);
        spaces.push_back({from, SpaceId{2}});
        block.contexts.push_back({.from = from, .has_satp = true, .satp = 2});
      }
    }
    tracker_->track(block, spaces);
  }
};
INSTANTIATE_TEST_SUITE_P(Satp, Vfork, testing::Bool());

TEST_P(Vfork, AChildHasItsParentsCallersFromTheFirstInstruction) {
  run(kChild + "vfork:1");
  EXPECT_EQ(stack(), "start;vfork");
  EXPECT_EQ(contexts_.thread_count(), 2);
}

TEST_P(Vfork, AProgramThatTheChildExecutesHasItsOwnRoot) {
  const std::string before = kChild + kExec;
  run(before + "_start:0", code_.trace(before).instructions.size() - 1);
  EXPECT_EQ(stack(), "_start");
  EXPECT_EQ(self("start;execve;handle_exception"), 2);
  EXPECT_EQ(contexts_.thread_count(), 3);
}

TEST_P(Vfork, TheParentResumesWhereItWas) {
  run(kChild + kExec +
      "_start:0-1 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 "
      "__switch_to:0-1 k_schedule:2-3 wake_up_new_task:1 handle_exception:2 "
      "vfork:1 start:1");
  EXPECT_EQ(stack(), "start");
  EXPECT_EQ(self("_start"), 2);
  EXPECT_EQ(self("start;vfork;handle_exception;wake_up_new_task;k_schedule"),
            4);
  EXPECT_EQ(self("_start;handle_exception;k_sys_wait;k_schedule"), 2);
  EXPECT_EQ(tracker_->counts().switches, 2);
  EXPECT_EQ(contexts_.thread_count(), 3);
}

TEST_F(Threads, AThreadStartsInClone) {
  code_.function("start", "call nop");
  code_.function("clone", "ecall jalr");
  code_.function("ping", "nop ret");
  code_.function("wake_up_new_task", "call ret");
  track(
      "start:0 clone:0 handle_exception:0-1 wake_up_new_task:0 "
      "k_schedule:0-1 __switch_to:0-1 ret_from_fork:0 ret_from_fork:3 "
      "clone:1 ping:0");
  EXPECT_EQ(stack(), "clone;ping");
}

TEST_F(Threads, ANewThreadMayTrapBeforeItsFirstInstruction) {
  code_.function("start", "call nop");
  code_.function("fork", "ecall nop ret");
  code_.function("wake_up_new_task", "call ret");
  track(
      "start:0 fork:0 handle_exception:0-1 wake_up_new_task:0 "
      "k_schedule:0-1 __switch_to:0-1 ret_from_fork:0 ret_from_fork:3 "
      "handle_exception:0 handle_exception:2 fork:1");
  EXPECT_EQ(stack(), "start;fork");
  // Where it goes on.
  EXPECT_EQ(self("start;fork;ret_from_fork"), 2);
  EXPECT_EQ(self("start;fork;handle_exception"), 2 + 2);
}

TEST_F(Threads, ThreadsInTheSameSystemCallAreToldApartByTheirCallers) {
  code_.function("one", "call nop");
  code_.function("two", "call nop");
  code_.function("wait", "ecall ret");
  const std::string waits =
      "wait:0 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 "
      "__switch_to:0-1 ";
  track("one:0 " + waits + "ret_from_fork:0 ret_from_fork:3 two:0 " + waits +
        "ret_from_fork:0-1 k_worker:0-1 k_schedule:0-1 __switch_to:0-1 "
        "k_schedule:2-3 k_sys_wait:1 handle_exception:2 wait:1 one:1");
  EXPECT_EQ(stack(), "one");
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(Threads, NamesApplyFromTheSwitchOn) {
  TraceBlock block;
  const auto told = [&](std::uint32_t from, int tid, const char* name) {
    block.facts.push_back({.from = from, .pid = tid, .tid = tid, .name = name});
  };
  track("main:0");
  block = code_.trace(
      "@101 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 __switch_to:0-1 "
      "ret_from_fork:0-1");
  told(0, 7, "init");
  told(7, 9, "kworker");  // with the first instruction after the switch
  tracker_->track(block, {});
  ASSERT_EQ(contexts_.thread_count(), 2);
  EXPECT_EQ(contexts_.threads()[0].name, "init");
  EXPECT_EQ(contexts_.threads()[1].name, "kworker");
  EXPECT_EQ(contexts_.threads()[1].tid, 9);
}

TEST_F(Threads, ThreadsNamedInTheTraceAreSwitchedToWithoutTheKernel) {
  track("main:0-1");
  TraceBlock block = code_.trace("@102 k_worker:0-1 main:0");
  block.facts.push_back({.from = 0, .pid = 1, .tid = 1, .name = "one"});
  tracker_->track(block, {});
  block = code_.trace("@105 k_worker:0");
  block.facts.push_back({.from = 0, .pid = 2, .tid = 2, .name = "two"});
  tracker_->track(block, {});
  ASSERT_EQ(contexts_.thread_count(), 2);
  EXPECT_EQ(contexts_.threads()[1].name, "two");
  EXPECT_EQ(stack(), "k_worker");
}

TEST_F(Threads, AProgramStartedByExecHasItsOwnRoot) {
  code_.function("_start", "nop nop");
  track("main:0");
  TraceBlock block = code_.trace("@101 handle_exception:0-2 _start:0");
  block.facts.push_back({.from = 0, .pid = 7, .tid = 7, .name = "sh"});
  // The kernel changes the name some time before.
  block.facts.push_back({.from = 1, .pid = 7, .tid = 7, .name = "ls"});
  block.facts.push_back(
      {.from = 2, .kind = SideBandFact::Kind::kUnmapAll, .pid = 7});
  tracker_->track(block, {});
  ASSERT_EQ(contexts_.thread_count(), 2);
  EXPECT_EQ(contexts_.threads()[0].name, "sh");
  EXPECT_EQ(contexts_.threads()[1].name, "ls");
  EXPECT_EQ(contexts_.threads()[1].tid, 7);
  EXPECT_EQ(stack(), "_start");
}

}  // namespace
}  // namespace wick
