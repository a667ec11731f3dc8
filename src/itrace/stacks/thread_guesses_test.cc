// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/thread_guesses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace wick {
namespace {

// Threads that were left at `kSite`, on some hart and with some memory.
class ThreadGuessesTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kSite = 0x80001000, kAfter = kSite + 4;
  static constexpr SpaceId kHere{1}, kElsewhere{2};

  std::uint32_t park(std::uint32_t hart, SpaceId memory) {
    Context context = contexts_.make(hart);
    context.frames.resize(2);
    context.frames.back() = {.site = kSite,
                             .flow = Flow(FlowKind::kCall, 4),
                             .kind = StackFrame::Kind::kCall};
    context.parked_hart = hart;
    context.memory.be(memory);
    const std::uint32_t thread = context.thread;
    contexts_.park(std::move(context));
    return thread;
  }
  // The likeliest first.
  std::vector<std::uint32_t> resumed_on(std::uint32_t hart) {
    view_.enter(kHere);
    std::vector<std::uint32_t> threads;
    for (const ThreadGuess& guess :
         guesses_.resumed_at(kAfter, {.hart = hart, .has_satp = true}))
      threads.push_back(guess.thread);
    return threads;
  }

  CodeMap map_{TraceOptions{}, TraceInfo{}};
  CodeView view_{map_};
  Accounts accounts_;
  Contexts contexts_;
  ThreadGuesses guesses_{view_, accounts_, contexts_};
};

TEST_F(ThreadGuessesTest, TheThreadLeftFirstResumesFirst) {
  const std::uint32_t first = park(0, kHere), second = park(0, kHere);
  EXPECT_THAT(resumed_on(0), testing::ElementsAre(first, second));
}

TEST_F(ThreadGuessesTest, OfOneHartAThreadWhoseMemoryIsElsewhereComesLast) {
  const std::uint32_t elsewhere = park(0, kElsewhere), here = park(0, kHere);
  EXPECT_THAT(resumed_on(0), testing::ElementsAre(here, elsewhere));
}

// One that is ending runs in the memory of others.
TEST_F(ThreadGuessesTest, AThreadResumesOnItsHartRatherThanInItsMemory) {
  const std::uint32_t other_hart = park(1, kHere);
  const std::uint32_t elsewhere = park(0, kElsewhere);
  EXPECT_THAT(resumed_on(0), testing::ElementsAre(elsewhere, other_hart));
}

}  // namespace
}  // namespace wick
