// SPDX-License-Identifier: Apache-2.0
// Transcripts: where the trace goes, and the pushes and pops that it causes.
#include "itrace/stacks/stack_tracker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "builders/tracked_stacks.h"

namespace wick {
namespace {

class StackTrackerTest : public TrackedStacks {};

TEST_F(StackTrackerTest, CallsPushAndReturnsPop) {
  code_.function("main", "nop call nop ret");
  code_.function("work", "nop nop ret");
  EXPECT_EQ(track("main:0-1 work:0-2 main:2"),
            "begin main\npush work\npop work\n");
  EXPECT_EQ(self("main"), 3);
  EXPECT_EQ(self("main;work"), 3);
  EXPECT_EQ(calls("work"), 1);
}

TEST_F(StackTrackerTest, RecursionKeepsItsDepth) {
  code_.function("main", "call nop");
  code_.function("climb", "nop call ret");
  EXPECT_EQ(
      track("main:0 climb:0-1 climb:0-1 climb:0-2 climb:2 climb:2 main:1"),
      "begin main\npush climb\npush climb\npush climb\npop climb\n"
      "pop climb\npop climb\n");
  EXPECT_EQ(self("main;climb;climb;climb"), 3);
  EXPECT_EQ(calls("climb"), 3);
}

TEST_F(StackTrackerTest, ATailCallReplacesTheFunctionThatJumps) {
  code_.function("main", "call nop");
  code_.function("sort_some", "nop j");
  code_.function("qsort", "nop ret");
  EXPECT_EQ(track("main:0 sort_some:0-1 qsort:0-1 main:1"),
            "begin main\npush sort_some\nbecome qsort\npop qsort\n");
  EXPECT_EQ(self("main;qsort"), 2);
  EXPECT_EQ(calls("qsort"), 1);
}

TEST_F(StackTrackerTest, APltStubIsNotACaller) {
  code_.function("main", "call nop");
  code_.function("write@plt", "nop jr");
  code_.function("write", "nop ret");
  track("main:0 write@plt:0-1 write:0-1 main:1");
  EXPECT_EQ(self("main;write"), 2);
  EXPECT_EQ(stack(), "main");
}

TEST_F(StackTrackerTest, ALoopToTheStartOfAFunctionIsNotACall) {
  code_.function("main", "call nop");
  code_.function("spin", "nop beq ret");
  track("main:0 spin:0-1 spin:0-1 spin:0-2 main:1");
  EXPECT_EQ(calls("spin"), 1);
  EXPECT_EQ(stack(), "main");
}

TEST_F(StackTrackerTest, FallingThroughToTheNextFunctionIsNotACall) {
  code_.function("main", "call nop");
  code_.function("first",
                 "nop nop nop nop nop nop nop nop nop nop nop nop nop "
                 "nop nop nop");
  code_.function("second", "ret");
  EXPECT_EQ(track("main:0 first:0-15 second:0 main:1"),
            "begin main\npush first\nbecome second\npop second\n");
}

TEST_F(StackTrackerTest, AJumpToTheNextFunctionIsATailCall) {
  code_.function("main", "call nop");
  code_.function("is_odd",
                 "nop nop nop nop nop nop nop nop nop nop nop nop nop "
                 "nop nop j");
  code_.function("is_even", "ret");
  EXPECT_EQ(track("main:0 is_odd:0-15 is_even:0 main:1"),
            "begin main\npush is_odd\nbecome is_even\npop is_even\n");
  EXPECT_EQ(calls("is_even"), 1);
}

TEST_F(StackTrackerTest, LongjmpPopsEverythingAboveWhereItLands) {
  code_.function("main", "call nop call nop");
  code_.function("setjmp", "ret");
  code_.function("work", "call nop");
  code_.function("longjmp", "nop ret");
  track("main:0 setjmp:0 main:1-2 work:0 longjmp:0-1 main:1");
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(StackTrackerTest, LongjmpFindsACallerWithoutAName) {
  code_.function("main", "call nop");
  code_.function("start#0", "call nop call nop");
  code_.function("_setjmp", "nop j");
  code_.function("save", "nop ret");
  code_.function("work", "call nop");
  code_.function("longjmp", "nop ret");
  track(
      "main:0 start#0:0 _setjmp:0-1 save:0-1 start#0:1-2 work:0 longjmp:0-1 "
      "start#0:1");
  EXPECT_EQ(tracker_->frames().size(), 2);
}

TEST_F(StackTrackerTest, AnExceptionLandsInAFunctionOnTheStack) {
  code_.function("main", "call nop");
  code_.function("parse", "call nop nop ret");
  code_.function("value", "call nop");
  code_.function("throw", "nop jr");
  track("main:0 parse:0 value:0 throw:0-1 parse:2-3 main:1");
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(self("main;parse"), 3);
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(StackTrackerTest, MillicodeReturnsThroughT0) {
  code_.function("main", "call nop");
  code_.function("work", "callt0 nop j");
  code_.function("save_3", "nop rett0");
  code_.function("restore_3", "nop ret");
  EXPECT_EQ(track("main:0 work:0 save_3:0-1 work:1-2 restore_3:0-1 main:1"),
            "begin main\npush work\npush save_3\npop save_3\n"
            "become restore_3\npop restore_3\n");
}

TEST_F(StackTrackerTest, ASystemCallIsOnTopOfTheUserStack) {
  code_.function("main", "call nop");
  code_.function("read", "ecall ret");
  code_.function("handle_exception", "nop call sret");
  code_.function("k_sys_read", "nop ret");
  track(
      "main:0 read:0 handle_exception:0-1 k_sys_read:0-1 handle_exception:2 "
      "read:1 main:1");
  EXPECT_EQ(self("main;read;handle_exception;k_sys_read"), 2);
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(tracker_->counts().traps, 1);
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(StackTrackerTest, AFaultRepeatsTheInstruction) {
  code_.function("main", "call nop");
  code_.function("work", "nop nop ret");
  code_.function("handle_exception", "nop sret");
  track("main:0 work:0-1 handle_exception:0-1 work:1-2 main:1");
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(self("main;work"), 4);
}

TEST_F(StackTrackerTest, AnInterruptMayComeBetweenACallAndItsTarget) {
  code_.function("main", "call nop");
  code_.function("work", "nop ret");
  code_.function("handle_exception", "nop sret");
  EXPECT_EQ(track("main:0 handle_exception:0-1 work:0-1 main:1"),
            "begin main\ntrap handle_exception\npop handle_exception\n"
            "push work\npop work\n");
}

TEST_F(StackTrackerTest, AnInterruptMayComeBetweenAReturnAndItsTarget) {
  code_.function("main", "call nop");
  code_.function("work", "nop ret");
  code_.function("handle_exception", "nop sret");
  track("main:0 work:0-1 handle_exception:0-1 main:1");
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(self("main;handle_exception"), 2);
  EXPECT_EQ(self("main;work"), 2);
}

TEST_F(StackTrackerTest, AFaultInFetchingAFunctionIsOnTopOfThatFunction) {
  code_.function("main", "jalr nop");
  code_.function("work", "nop ret");
  code_.function("handle_exception", "nop call sret");
  code_.function("k_fault", "nop ret");
  track(
      "main:0 handle_exception:0-1 k_fault:0-1 handle_exception:2 work:0-1 "
      "main:1");
  EXPECT_EQ(self("main;work;handle_exception"), 3);
  EXPECT_EQ(self("main;work;handle_exception;k_fault"), 2);
  EXPECT_EQ(self("main;work"), 2);
}

TEST_F(StackTrackerTest, ACallThatIsRepeatedAfterAnInterruptWasInterrupted) {
  code_.function("main", "jalr nop");
  code_.function("work", "nop ret");
  code_.function("handle_exception", "nop sret");
  track("!main:0 handle_exception:0-1 main:0 work:0-1 main:1");
  EXPECT_EQ(self("main;handle_exception"), 2);
}

TEST_F(StackTrackerTest, AFaultOnTheWayBackIsOnTopOfWhereItLeads) {
  code_.function("main", "call nop");
  code_.function("execve", "ecall ret");
  code_.function("handle_exception", "nop sret");
  code_.function("_start", "nop nop");
  track("main:0 execve:0 handle_exception:0-1 handle_exception:0-1 _start:0");
  EXPECT_EQ(self("main;execve;handle_exception"), 2);
  EXPECT_EQ(self("_start;handle_exception"), 2);
}

TEST_F(StackTrackerTest, NodesOfInterruptsAreUsedAgain) {
  code_.function("main", "jalr nop");
  code_.function("work", "nop ret");
  code_.function("handle_exception", "nop sret");
  std::string trace = "main:0";
  for (int i = 0; i < 1000; ++i)
    trace += " handle_exception:0-1 work:0-1 main:1 main:0";
  track(trace);
  EXPECT_EQ(self("main;work;handle_exception"), 2000);
  EXPECT_LT(accounts_.size(), 20);
}

TEST_F(StackTrackerTest, TrapsAreNested) {
  code_.function("main", "ecall nop");
  code_.function("handle_exception", "nop call sret");
  code_.function("k_sys_read", "nop nop ret");
  track(
      "main:0 handle_exception:0-1 k_sys_read:0-1 handle_exception:0 "
      "handle_exception:2 k_sys_read:2 handle_exception:2 main:1");
  EXPECT_EQ(self("main;handle_exception;k_sys_read;handle_exception"), 2);
  EXPECT_EQ(stack(), "main");
}

TEST_F(StackTrackerTest, TheSbiIsOnTopOfTheKernelStack) {
  code_.function("k_set_timer", "nop ecall ret");
  code_.function("k_tick", "call nop");
  code_.function("_trap_handler", "nop call mret");
  code_.function("m_set_timer", "nop ret");
  track(
      "k_tick:0 k_set_timer:0-1 _trap_handler:0-1 m_set_timer:0-1 "
      "_trap_handler:2 k_set_timer:2 k_tick:1");
  EXPECT_EQ(self("k_tick;k_set_timer;_trap_handler;m_set_timer"), 2);
  EXPECT_EQ(stack(), "k_tick");
}

TEST_F(StackTrackerTest, WhatMModeHandsOnInterruptsTheSameCode) {
  code_.function("main", "call nop");
  code_.function("work", "nop nop ret");
  code_.function("_trap_handler", "nop mret");
  code_.function("handle_exception", "nop call sret");
  code_.function("k_tick", "nop ret");
  track(
      "main:0 work:0 _trap_handler:0-1 handle_exception:0-1 k_tick:0-1 "
      "handle_exception:2 work:1-2 main:1");
  EXPECT_EQ(self("main;work;_trap_handler"), 2);
  EXPECT_EQ(self("main;work;handle_exception;k_tick"), 2);
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(StackTrackerTest, WhatMModeHandsOnMayInterruptTheKernel) {
  code_.function("k_idle", "call nop");
  code_.function("k_wait", "nop nop ret");
  code_.function("_trap_handler", "nop mret");
  code_.function("handle_exception", "nop sret");
  track(
      "k_idle:0 k_wait:0 _trap_handler:0-1 handle_exception:0-1 k_wait:1-2 "
      "k_idle:1");
  EXPECT_EQ(self("k_idle;k_wait;handle_exception"), 2);
  EXPECT_EQ(stack(), "k_idle");
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(StackTrackerTest, WhereTrapsLedBeforeIsATrapAgain) {
  code_.function("k_main", "nop ecall nop ret");
  code_.function("m_nameless", "nop mret");
  track("k_main:0-1 m_nameless:0-1 m_nameless:0-1 k_main:2");
  EXPECT_EQ(stack(), "k_main");
  EXPECT_EQ(self("k_main;m_nameless"), 4);
  EXPECT_EQ(tracker_->counts().traps, 2);
}

TEST_F(StackTrackerTest, AMarkedTrapIsATrapWhereverItLeads) {
  code_.function("m_main", "call nop");
  code_.function("m_work", "nop beq nop ret");
  code_.function("m_vector", "nop mret");
  // The branch did not retire; it is shown again.
  track("m_main:0 m_work:0 !m_work:1 m_vector:0-1 m_work:1-3 m_main:1");
  EXPECT_EQ(self("m_main;m_work;m_vector"), 2);
  EXPECT_EQ(stack(), "m_main");
}

TEST_F(StackTrackerTest, ATraceMayBeginInTheMiddle) {
  code_.function("main", "call nop call nop");
  code_.function("work", "nop nop ret");
  EXPECT_EQ(track("work:1-2 main:1-2 work:0-2 main:3"),
            "begin work\npop work\nbegin main\npush work\npop work\n");
  EXPECT_EQ(self("work"), 2);
  EXPECT_EQ(self("main;work"), 3);
  EXPECT_EQ(tracker_->counts().resynchronised, 1);
}

TEST_F(StackTrackerTest, ATraceMayBeginAtCycle0InTheSecondPageOfMemory) {
  TraceBlock reset_vector;
  for (std::uint64_t i = 0; i < 4; ++i)
    reset_vector.instructions.push_back({i, 0x1000 + 4 * i});
  CodeMap map({}, {});
  Places places(map, Places::Detail::kFunctions);
  StackTracker tracker(map, places, accounts_, contexts_, {});
  tracker.track(reset_vector, {});
  EXPECT_EQ(tracker.counts().weight, 4);
  EXPECT_EQ(tracker.counts().time_disorder, 0);
}

TEST_F(StackTrackerTest, AfterAGapFunctionsStillOnTheStackContinue) {
  code_.function("main", "call nop nop");
  code_.function("work", "nop nop ret");
  track("main:0 work:0");
  TraceBlock block = code_.trace("@900 main:2");
  block.after_gap = true;
  tracker_->track(block, {});
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(given_out(), 3) << "the cycles of the gap count for no stack";
  block = code_.trace("@999 work:1");
  block.after_gap = true;
  tracker_->track(block, {});
  EXPECT_EQ(stack(), "work");
}

class Stretches : public StackTrackerTest {
 protected:
  // "cycle+weight" of the stretches of blocks.
  std::string of(const std::vector<TraceBlock>& blocks) {
    CodeMap map({}, {});
    code_.add_to(map);
    Places places(map, Places::Detail::kFunctions);
    std::string out;
    StackTracker tracker(map, places, accounts_, contexts_,
                         {.slice = [&](std::uint64_t cycle, CallNodeId,
                                       std::uint16_t, std::uint64_t weight) {
                           out += fmt::format("{}+{} ", cycle, weight);
                         }});
    for (const TraceBlock& block : blocks) tracker.track(block, {});
    tracker.finish();
    disorder_ = tracker.counts().time_disorder;
    return out;
  }
  std::uint64_t disorder_ = 0;
};

TEST_F(Stretches, EndAtAGap) {
  code_.function("main", "nop nop nop");
  TraceBlock behind = code_.trace("@900 main:1-2");
  behind.after_gap = true;
  EXPECT_EQ(of({code_.trace("@100 main:0"), behind}), "100+1 900+2 ");
}

TEST_F(Stretches, BeginAtTheNewCycleWhenTimeGoesBackwards) {
  code_.function("main", "call nop nop");
  code_.function("work", "nop ret");
  EXPECT_EQ(of({code_.trace("@900 main:0 @500 work:0-1 main:1-2")}),
            "900+1 501+1 502+2 ");
  EXPECT_EQ(disorder_, 1);
}

TEST_F(StackTrackerTest, AProcessAfterAnotherHasItsOwnStack) {
  code_.function("main", "call nop nop");
  code_.function("work", "nop nop ret");
  track("main:0");
  const std::vector<SpaceChange> spaces = {
      {0, SpaceId{1}}, {1, SpaceId{2}}, {3, SpaceId{1}}};
  tracker_->track(code_.trace("@101 work:0 main:1-2 work:1"), spaces);
  EXPECT_EQ(contexts_.threads().size(), 2);
  EXPECT_EQ(contexts_.threads()[0].space, SpaceId{1});
  EXPECT_EQ(contexts_.threads()[1].space, SpaceId{2});
  EXPECT_EQ(stack(), "main;work");
  EXPECT_EQ(given_out(), 5);
}

TEST_F(StackTrackerTest, AProcessChangeMayBeReportedLate) {
  code_.function("other", "nop nop");
  code_.function("work", "nop nop ret");
  code_.function("main", "nop call>work nop");
  track("other:0");
  const std::vector<SpaceChange> spaces = {{0, SpaceId{1}}, {3, SpaceId{2}}};
  tracker_->track(code_.trace("@101 other:1 main:0-1 work:0-2 main:2"), spaces);
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(self("main;work"), 3);
  EXPECT_EQ(contexts_.threads().size(), 2);
}

TEST_F(StackTrackerTest, AProgramAfterAnotherIsAnotherProcess) {
  code_.function("main", "call nop nop");
  code_.function("work", "nop nop ret");
  code_.function("o_main", "call nop nop");
  code_.function("o_work", "nop nop ret");
  track("main:0 work:0-1 o_main:0 o_work:0-1");
  EXPECT_EQ(contexts_.threads().size(), 2);
  EXPECT_EQ(self("main;work"), 2);
  EXPECT_EQ(self("o_main;o_work"), 2);
  EXPECT_EQ(stack(), "o_main;o_work");
}

TEST_F(StackTrackerTest, AProgramThatWasLeftForAnotherGoesOn) {
  code_.function("main", "call nop nop");
  code_.function("work", "nop nop ret");
  code_.function("o_main", "nop nop");
  track("main:0 work:0 o_main:0 work:1-2 main:1 o_main:1");
  EXPECT_EQ(contexts_.threads().size(), 2);
  EXPECT_EQ(self("main;work"), 3);
  EXPECT_EQ(stack(), "o_main");
}

TEST_F(StackTrackerTest, AJumpToAnotherProgramIsNotAnotherProcess) {
  code_.function("main", "nop call nop");
  code_.function("o_work", "nop ret");
  track("main:0-1 o_work:0-1 main:2");
  EXPECT_EQ(contexts_.threads().size(), 1);
  EXPECT_EQ(self("main;o_work"), 2);
}

TEST_F(StackTrackerTest, AProgramInTheMiddleOfAnotherFunctionIsNotASignal) {
  code_.function("main", "nop nop");
  code_.function("other", "nop nop");
  track("main:0 other:1");
  EXPECT_EQ(stack(), "other");
  EXPECT_EQ(tracker_->counts().resynchronised, 1);
}

TEST_F(StackTrackerTest, ASignalInterruptsAndEndsWithSigreturn) {
  code_.function("main", "call nop");
  code_.function("work", "nop nop ret");
  code_.function("handler", "nop ret");
  code_.function("sigreturn", "nop ecall");
  code_.function("handle_exception", "nop sret");
  track(
      "main:0 work:0 handle_exception:0-1 handler:0-1 sigreturn:0-1 "
      "handle_exception:0-1 work:1-2 main:1");
  EXPECT_EQ(self("main;work;handler"), 2);
  EXPECT_EQ(stack(), "main");
}

TEST_F(StackTrackerTest, ANewProgramStartsWithAnEmptyStack) {
  code_.function("main", "call nop");
  code_.function("execve", "ecall ret");
  code_.function("handle_exception", "nop sret");
  code_.function("_start", "nop nop");
  track("main:0 execve:0 handle_exception:0-1 _start:0-1");
  EXPECT_EQ(stack(), "_start");
}

TEST_F(StackTrackerTest, ASignalHandlerReturnsToCodeThatWasNotCalled) {
  code_.function("main", "call nop");
  code_.function("work", "nop nop ret");
  code_.function("handler", "nop ret");
  code_.function("vdso", "nop nop ecall");
  code_.function("handle_exception", "nop sret");
  track(
      "main:0 work:0 handle_exception:0-1 handler:0-1 vdso:1-2 "
      "handle_exception:0-1 work:1-2 main:1");
  EXPECT_EQ(self("main;work;vdso"), 2);
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(StackTrackerTest, ASignalFromBeforeTheTraceLeavesNothingBehind) {
  code_.function("main", "nop nop");
  code_.function("vdso", "nop ecall");
  code_.function("handle_exception", "nop call sret");
  code_.function("sys_rt_sigreturn", "nop ret");
  track(
      "vdso:0-1 handle_exception:0-1 sys_rt_sigreturn:0-1 handle_exception:2 "
      "main:0");
  EXPECT_EQ(stack(), "main");
}

TEST_F(StackTrackerTest, AHandlerFromBeforeTheTraceLeavesNothingBehind) {
  code_.function("main", "nop nop");
  code_.function("handler", "nop ret");
  code_.function("vdso", "li139 ecall");
  code_.function("handle_exception", "nop call sret");
  code_.function("sys_rt_sigreturn", "nop ret");
  track(
      "handler:0-1 vdso:0-1 handle_exception:0-1 sys_rt_sigreturn:0-1 "
      "handle_exception:2 main:1");
  EXPECT_EQ(stack(), "main");
}

TEST_F(StackTrackerTest, ACallDelayedByASignalCountsOnce) {
  code_.function("work", "nop ret");
  code_.function("main", "nop call>work nop");
  code_.function("handler", "nop ret");
  code_.function("vdso", "li139 ecall");
  code_.function("handle_exception", "nop call sret");
  code_.function("sys_rt_sigreturn", "nop ret");
  track(
      "main:0-1 handle_exception:0 handle_exception:2 handler:0-1 vdso:0-1 "
      "handle_exception:0-1 sys_rt_sigreturn:0-1 handle_exception:2 work:0-1 "
      "main:2");
  EXPECT_EQ(calls("work"), 1);
  EXPECT_EQ(self("main;work"), 2);
  EXPECT_EQ(stack(), "main");
}

// Each trap is taken on the way out of the one before it. Where the last one
// goes on says nothing of any of them.
TEST_F(StackTrackerTest, NestedTrapsAreNotUnwoundForEver) {
  code_.function("handle_exception", "nop");
  code_.function("ret_from_exception", "nop nop");
  code_.function("k_work", "nop nop");
  code_.function("k_other", "nop nop");
  std::string trace = "k_work:0";
  for (int i = 0; i < 30'000; ++i)
    trace += " handle_exception:0 ret_from_exception:0";
  track(trace + " k_other:1", {.text = false});
  EXPECT_EQ(stack(), "k_other");
  EXPECT_EQ(tracker_->counts().resynchronised, 1);
}

TEST_F(StackTrackerTest, CodeInterruptedTwiceInARowIsOnTheStackOnce) {
  code_.function("main", "call nop");
  code_.function("work", "nop nop ret");
  code_.function("handle_exception", "nop sret");
  track(
      "main:0 work:0 handle_exception:0-1 handle_exception:0-1 work:1-2 "
      "main:1");
  EXPECT_EQ(self("main;work;handle_exception"), 4);
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(tracker_->counts().resynchronised, 0);
}

TEST_F(StackTrackerTest, APatchedJumpStaysInItsFunction) {
  code_.function("k_main", "call nop");
  code_.function("k_work", "nop nop nop ret");  // the second is patched
  EXPECT_EQ(track("k_main:0 k_work:0-1 k_work:3 k_main:1"),
            "begin k_main\npush k_work\npop k_work\n");
}

TEST_F(StackTrackerTest, APatchedCallIsACall) {
  code_.function("k_main", "nop nop");  // the first is patched
  code_.function("k_trace", "nop ret");
  track("k_main:0 k_trace:0-1 k_main:1");
  EXPECT_EQ(self("k_main;k_trace"), 2);
  EXPECT_EQ(stack(), "k_main");
}

TEST_F(StackTrackerTest, InstructionWordsInTheTraceOverrideTheFile) {
  code_.function("main", "nop nop");
  code_.function("work", "nop ret");
  map_ = std::make_unique<CodeMap>(TraceOptions{}, TraceInfo{});
  code_.add_to(*map_);
  Places places(*map_, Places::Detail::kFunctions);
  StackTracker tracker(*map_, places, accounts_, contexts_, {});
  TraceBlock block = code_.trace("main:0 work:0-1 main:1");
  block.bits = code_.bits(block);
  block.bits[0] = 0x000000ef;  // a call where the file has none
  tracker.track(block, {});
  EXPECT_EQ(tracker.counts().calls, 1);
  EXPECT_EQ(tracker.counts().traps, 0);
}

// --- names alone: no text, no instruction words

TEST_F(StackTrackerTest,
       WithoutTextCallsAndReturnsAreInferredFromWhereTheyLand) {
  code_.function("k_main", "nop call nop ret");
  code_.function("k_work", "nop nop ret");
  EXPECT_EQ(track("k_main:0-1 k_work:0-2 k_main:2", {.text = false}),
            "begin k_main\npush k_work\npop k_work\n");
}

TEST_F(StackTrackerTest, WithoutTextAFunctionThatNeverReturnsIsCalled) {
  code_.function("k_main", "call nop");
  // Functions are 16 instructions apart: nothing follows the last one.
  code_.function("k_sys_exit",
                 "nop nop nop nop nop nop nop nop nop nop nop nop nop nop nop "
                 "call");
  code_.function("k_other", "nop");
  code_.function("do_exit", "nop");
  track("k_main:0 k_sys_exit:0-15 do_exit:0", {.text = false});
  EXPECT_EQ(stack(), "k_main;k_sys_exit;do_exit");
}

TEST_F(StackTrackerTest, WithoutTextATailCallIsLearntFromItsReturn) {
  code_.function("k_main", "call call nop");
  code_.function("k_first", "nop beq j nop ret");
  code_.function("k_second", "nop ret");
  track(
      "k_main:0 k_first:0-2 k_second:0-1 k_main:1 k_first:0-2 "
      "k_second:0-1 k_main:2",
      {.text = false});
  EXPECT_EQ(stack(), "k_main");
  EXPECT_EQ(self("k_main;k_first;k_second"), 2);  // taken for a call
  EXPECT_EQ(self("k_main;k_second"), 2);          // known by now
}

TEST_F(StackTrackerTest, WithoutTextASystemCallIsInferredFromItsHandler) {
  code_.function("main", "nop call nop");
  code_.function("handle_exception", "nop call j");
  code_.function("ret_from_exception", "nop sret");
  code_.function("k_sys_read", "nop ret");
  const std::string call =
      "handle_exception:0-1 k_sys_read:0-1 handle_exception:2 "
      "ret_from_exception:0-1 ";
  track("main:0 " + call + "main:1-2 " + call, {.text = false});
  EXPECT_EQ(stack(), "main;ret_from_exception");
}

// --- attribution of cycles

TEST_F(StackTrackerTest, TheNextInstructionGetsTheWait) {
  code_.function("main", "nop call nop ret");
  code_.function("work", "nop ret");
  track("main:0 @110 main:1 @140 work:0-1 @200 main:2");
  EXPECT_EQ(self("main"), 1 + 10 + 59);
  EXPECT_EQ(self("main;work"), 31);
}

TEST_F(StackTrackerTest, TheLastInstructionGetsTheWaitOnRequest) {
  code_.function("main", "nop call nop ret");
  code_.function("work", "nop ret");
  track("main:0 @110 main:1 @140 work:0-1 @200 main:2",
        {.attribution = Attribution::kLastCommitted});
  EXPECT_EQ(self("main"), 10 + 30 + 1);
  EXPECT_EQ(self("main;work"), 60);
}

TEST_F(StackTrackerTest, AnInstructionThatFlushesGetsTheWaitUnderTip) {
  code_.function("main", "csrw call nop");
  code_.function("work", "nop ret");
  track("main:0 @150 main:1 @200 work:0-1 @300 main:2",
        {.attribution = Attribution::kTip});
  // csrw keeps its wait, work waits for its own, the long one behind ret is
  // main's.
  EXPECT_EQ(self("main"), 50 + 1 + 99);
  EXPECT_EQ(self("main;work"), 51);
}

TEST_F(StackTrackerTest, InstructionsOfOneCycleTakeTurns) {
  code_.function("main", "call nop call nop");
  code_.function("work", "ret");
  // Two and two retire together.
  track("@100 +0 main:0 work:0 @101 main:1-2 @102 work:0 main:3");
  EXPECT_EQ(self("main") + self("main;work"), 3);
  EXPECT_EQ(self("main;work"), 1);
}

TEST_F(StackTrackerTest, AnyTraceGivesEveryCycleToOneStack) {
  const std::string names[] = {
      "main",        "work",   "handle_exception", "ret_from_exception",
      "__switch_to", "k_read", "_trap_handler",    "m_set_timer"};
  for (const std::string& name : names)
    code_.function(name,
                   "nop call beq jr ret ecall sret j jalr mret wfi "
                   "callt0 rett0 csrw nop nop");
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    std::string trace;
    while (trace.size() < 3000) {
      const auto at = random() % 16;
      trace += fmt::format("+{} {}:{}-{} ", random() % 3,
                           names[random() % std::size(names)], at,
                           at + random() % (16 - at));
    }
    track(trace, {.bits = round % 3 == 0,
                  .text = round % 3 != 1,
                  .attribution = static_cast<Attribution>(round % 5 % 3)});
    if (HasFailure()) return;
  }
}

TEST_F(StackTrackerTest, TimeThatGoesBackwardsIsCountedAndAddsNothing) {
  code_.function("main", "nop nop nop");
  TraceBlock block = code_.trace("main:0 @50 main:1 @51 main:2");
  track("main:0-2");
  tracker_->track(block, {});
  EXPECT_GE(tracker_->counts().time_disorder, 1);
}

}  // namespace
}  // namespace wick
