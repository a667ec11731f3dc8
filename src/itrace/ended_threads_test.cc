// SPDX-License-Identifier: Apache-2.0
#include "itrace/ended_threads.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "builders/tracked_stacks.h"

namespace wick {
namespace {

// A shell waits while a process runs, again and again.
class EndedThreadsTest : public TrackedStacks {
 protected:
  EndedThreadsTest() {
    code_.function("main", "ecall j");
    code_.function("handle_exception", "nop call sret");
    code_.function("k_sys_wait", "call ret");
    code_.function("k_schedule", "nop call nop ret");
    code_.function("__switch_to", "nop ret");
    code_.function("ret_from_fork", "nop sret");
    code_.function("work", "nop call nop");
    code_.function("exit", "ecall nop");
    code_.function("k_sys_exit", "call nop");
    code_.function("do_task_dead", "call nop");
  }
  const std::string kWait =
      "main:0 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 "
      "__switch_to:0-1 ";
  const std::string kProcess =
      "ret_from_fork:0-1 work:0-1 exit:0 handle_exception:0-1 k_sys_exit:0 "
      "do_task_dead:0 k_schedule:0-1 __switch_to:0-1 ";
  const std::string kGoOn = "k_schedule:2-3 k_sys_wait:1 handle_exception:2 ";

  std::string processes(int count) const {
    std::string trace;
    for (int i = 0; i < count; ++i) trace += kWait + kProcess + kGoOn;
    return trace + "main:1";
  }
  void name_threads(const std::string& name) {
    for (ThreadFacts& facts : contexts_.threads()) facts.name = name;
  }
};

TEST_F(EndedThreadsTest, AreNotKept) {
  track(processes(3));
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(contexts_.thread_count(), 4);
  EXPECT_EQ(contexts_.parked(), 0);
  EXPECT_EQ(contexts_.take_ended(), (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST_F(EndedThreadsTest, AreNotThoseInterruptedWhileTheyEnd) {
  track(
      "main:0 handle_exception:0-1 k_sys_exit:0 do_task_dead:0 "
      "k_schedule:0 !k_schedule:1 handle_exception:0-1 k_schedule:0-1 "
      "__switch_to:0-1 ret_from_fork:0");
  EXPECT_EQ(contexts_.parked(), 1);
}

TEST_F(EndedThreadsTest, AreOneThreadWithTheirSum) {
  track(processes(3));
  accounts_.settle_rest();
  EndedThreads ended(accounts_, contexts_, *map_, true);
  ended.merge_all();
  int nodes = 0;
  for (const CallNodeId id : accounts_.ids())
    if (accounts_[id].depth > 0 && path(id) == "work;exit") ++nodes;
  EXPECT_EQ(nodes, 1);
  EXPECT_EQ(self("work;exit"), 3);
  EXPECT_EQ(calls("exit"), 3);
}

TEST_F(EndedThreadsTest, OfDifferentNamesOrIdsStayApart) {
  for (const bool by_id : {false, true}) {
    track(processes(3));
    name_threads("sh");
    contexts_.threads()[2].name = "ls";
    contexts_.threads()[3].pid = 7;
    contexts_.threads()[0].pid = 1;
    accounts_.settle_rest();
    EndedThreads ended(accounts_, contexts_, *map_, by_id);
    ended.merge_all();
    std::set<std::uint32_t> threads;
    for (const CallNodeId id : accounts_.ids())
      if (accounts_[id].depth == 1) threads.insert(accounts_[id].thread);
    // "sh" without an id, "ls", and one or two "sh" with an id.
    EXPECT_EQ(threads.size(), by_id ? 4 : 3) << by_id;
  }
}

TEST_F(EndedThreadsTest, NeedNoMoreMemoryHoweverManyThereAre) {
  track(processes(1));
  TraceBlock block = code_.trace(processes(100));
  const std::uint64_t cycles = block.instructions.size();
  EndedThreads ended(accounts_, contexts_, *map_, true);
  const auto nodes_after = [&](int blocks) {
    for (int i = 0; i < blocks; ++i) {
      for (Retired& one : block.instructions) one.cycle += cycles;
      tracker_->track(block, {});
      ended.merge_if_worthwhile();
    }
    return accounts_.size();
  };
  const std::size_t nodes = nodes_after(40);
  EXPECT_LE(nodes_after(80), nodes);
  EXPECT_EQ(contexts_.parked(), 0);
  accounts_.settle_rest();
  ended.merge_all();
  EXPECT_EQ(calls("exit"), 1 + 120 * 100);
  EXPECT_LT(accounts_.in_use(), 30);
}

}  // namespace
}  // namespace wick
