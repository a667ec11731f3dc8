// SPDX-License-Identifier: Apache-2.0
#include "io/process_start.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace wick {
namespace {

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

TEST(ProcessStart, IsTheTwentySecondFieldWhateverTheNameContains) {
  EXPECT_EQ(start_ticks("7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 "
                        "17 18 4711 20 21"),
            4711u);
}

TEST(ProcessStart, IsNothingForATruncatedLine) {
  EXPECT_EQ(start_ticks("7 (a) S 1 2 3"), std::nullopt);
  EXPECT_EQ(start_ticks(""), std::nullopt);
}

TEST(ProcessStart, IsWhenTheProcessForked) {
  constexpr std::int64_t kRounding = 20'000'000;
  const std::int64_t before = now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto start = process_start(static_cast<std::uint32_t>(child));
  const std::int64_t after = now();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(start);
  EXPECT_GE(*start, before - kRounding);
  EXPECT_LE(*start, after);
  EXPECT_EQ(process_start(static_cast<std::uint32_t>(child)), std::nullopt);
}

}  // namespace
}  // namespace wick
