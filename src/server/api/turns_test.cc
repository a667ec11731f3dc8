// SPDX-License-Identifier: Apache-2.0
#include "server/api/turns.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace wick {
namespace {

using namespace std::chrono_literals;
using Turn = Turns::Turn;

TEST(Turns, AreForAFewAtATime) {
  Turns turns({.running = 2, .waiting = 0});
  const Turn first(turns), second(turns), third(turns);
  EXPECT_TRUE(first.has_come());
  EXPECT_TRUE(second.has_come());
  EXPECT_FALSE(third.has_come());
}

TEST(Turns, AreGivenBack) {
  Turns turns({.running = 1, .waiting = 0});
  { const Turn first(turns); }
  EXPECT_TRUE(Turn(turns).has_come());
}

TEST(Turns, AreWaitedFor) {
  Turns turns({.running = 1, .waiting = 1, .patience = 1h});
  std::optional<Turn> first(std::in_place, turns);
  bool has_come = false;
  std::thread second([&] { has_come = Turn(turns).has_come(); });
  first.reset();
  second.join();
  EXPECT_TRUE(has_come);
}

TEST(Turns, AreNotWaitedForForever) {
  Turns turns({.running = 1, .waiting = 1, .patience = 1ms});
  const Turn first(turns);
  EXPECT_FALSE(Turn(turns).has_come());
}

}  // namespace
}  // namespace wick
