// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/traced_code.h"
#include "itrace/stacks/stack_tracker.h"

namespace wick {
namespace {

class SignalsTest : public testing::Test {
 protected:
  SignalsTest() {
    code_.function("work", "nop nop ret");
    code_.function("handler", "nop ret");
    code_.function("sigreturn", "li139 ecall");
    code_.function("handle_exception", "nop sret");
  }
  // What was pushed and popped, one transfer after the other.
  std::string track(std::string_view trace) {
    code_.add_to(map_);
    StackTracker tracker(map_, places_, accounts_, contexts_,
                         {.transcript = [this](const std::string& line) {
                           said_ += line + '\n';
                         }});
    tracker.track(code_.trace(trace), {});
    EXPECT_EQ(tracker.counts().resynchronised, 0);
    return said_;
  }

  TracedCode code_;
  CodeMap map_{TraceOptions{}, TraceInfo{}};
  Places places_{map_, Places::Detail::kFunctions};
  Accounts accounts_;
  Contexts contexts_;
  std::string said_;
};

// --- a program without its kernel

TEST_F(SignalsTest, AHandlerMayRunAfterASystemCall) {
  code_.function("main", "nop ecall nop");
  EXPECT_EQ(track("main:0-1 handler:0-1 sigreturn:0-1 main:2"),
            "begin main\nsignal handler\nbecome sigreturn\npop sigreturn\n");
}

TEST_F(SignalsTest, ACallThatLandsElsewhereIsASignalAndHappensLater) {
  code_.function("main", "nop call>work nop");
  EXPECT_EQ(track("main:0-1 handler:0-1 sigreturn:0-1 work:0-2 main:2"),
            "begin main\nsignal handler\nbecome sigreturn\npop sigreturn\n"
            "push work\npop work\n");
}

TEST_F(SignalsTest, AReturnThatLandsAtAFunctionIsASignal) {
  code_.function("main", "nop call>work nop");
  EXPECT_EQ(track("main:0-1 work:0-2 handler:0-1 sigreturn:0-1 main:2"),
            "begin main\npush work\nsignal handler\nbecome sigreturn\n"
            "pop sigreturn\npop work\n");
}

TEST_F(SignalsTest, OneMayFollowAnotherImmediately) {
  code_.function("main", "nop call>work nop");
  EXPECT_EQ(track("main:0-1 handler:0-1 sigreturn:0-1 handler:0-1 "
                  "sigreturn:0-1 work:0-2 main:2"),
            "begin main\nsignal handler\nbecome sigreturn\npop sigreturn\n"
            "signal handler\nbecome sigreturn\npop sigreturn\n"
            "push work\npop work\n");
}

TEST_F(SignalsTest, AKnownHandlerIsNotTheTargetOfAPointer) {
  code_.function("main", "ecall nop jalr nop");
  EXPECT_EQ(track("main:0 handler:0-1 sigreturn:0-1 main:1-2 handler:0-1 "
                  "sigreturn:0-1 work:0-2 main:3"),
            "begin main\nsignal handler\nbecome sigreturn\npop sigreturn\n"
            "signal handler\nbecome sigreturn\npop sigreturn\n"
            "push work\npop work\n");
}

TEST_F(SignalsTest, AHandlerMayJumpOut) {
  code_.function("main", "nop call>work nop");
  code_.function("out", "nop j>handler");
  code_.function("longjmp", "nop ret");
  code_.function("fault", "call>longjmp");
  EXPECT_EQ(track("main:0-1 work:0 fault:0 longjmp:0-1 main:2"),
            "begin main\npush work\nsignal fault\npush longjmp\n"
            "pop longjmp\npop fault\npop work\n");
}

TEST_F(SignalsTest, ATraceMayBeginInAHandler) {
  code_.function("main", "nop ecall nop");
  EXPECT_EQ(track("handler:1 sigreturn:0-1 main:2"),
            "begin handler\nbecome sigreturn\npop sigreturn\nbegin main\n");
}

// --- a program with its kernel

TEST_F(SignalsTest, AnInterruptAtACallMayEndInAHandler) {
  code_.function("main", "nop call>work nop");
  EXPECT_EQ(track("main:0-1 handle_exception:0-1 handler:0-1 sigreturn:0-1 "
                  "handle_exception:0-1 work:0-2 main:2"),
            "begin main\ntrap handle_exception\npop handle_exception\n"
            "signal handler\nbecome sigreturn\n"
            "trap handle_exception\npop handle_exception\npop sigreturn\n"
            "push work\npop work\n");
}

// --- not signals

TEST_F(SignalsTest, ALandingPadMayBeginAColdPart) {
  code_.function("main", "call nop");
  code_.function("main.cold", "nop j>work");
  code_.function("throw", "nop ret");
  EXPECT_EQ(track("main:0 throw:0-1 main.cold:0-1"),
            "begin main\npush throw\npop throw\nbecome main.cold\n");
}

TEST_F(SignalsTest, AJumpToTheNextFunctionIsATailCall) {
  code_.function("main", "nop call nop");
  // Functions are 16 instructions apart.
  code_.function("last",
                 "nop nop nop nop nop nop nop nop nop nop nop nop nop "
                 "nop nop j");
  code_.function("behind", "nop ret");
  track("main:0-1 last:0-15 behind:0-1 main:2");
  EXPECT_EQ(said_, "begin main\npush last\nbecome behind\npop behind\n");
  std::uint64_t calls = 0;
  for (const CallNodeId id : accounts_.ids())
    if (map_.function(accounts_[id].function).name == "behind")
      calls += accounts_[id].calls;
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace wick
