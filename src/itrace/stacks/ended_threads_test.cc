// SPDX-License-Identifier: Apache-2.0
// Threads that end.
#include <gtest/gtest.h>

#include <string>

#include "builders/tracked_stacks.h"

namespace wick {
namespace {

// A shell waits while a process runs, again and again.
class Processes : public TrackedStacks {
 protected:
  Processes() {
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
};

TEST_F(Processes, AThreadThatHasEndedIsNotKept) {
  track(processes(3));
  EXPECT_EQ(stack(), "main");
  EXPECT_EQ(contexts_.threads().size(), 4);
  EXPECT_EQ(contexts_.parked(), 0);
}

TEST_F(Processes, AThreadThatIsInterruptedWhileItEndsIsKept) {
  track(
      "main:0 handle_exception:0-1 k_sys_exit:0 do_task_dead:0 "
      "k_schedule:0 !k_schedule:1 handle_exception:0-1 k_schedule:0-1 "
      "__switch_to:0-1 ret_from_fork:0");
  EXPECT_EQ(contexts_.parked(), 1);
}

}  // namespace
}  // namespace wick
