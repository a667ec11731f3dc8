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
