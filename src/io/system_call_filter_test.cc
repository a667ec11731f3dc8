// SPDX-License-Identifier: Apache-2.0
#include "io/system_call_filter.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace wick {
namespace {

// What `body` returns in a process of its own.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SystemCallFilter, WhatIsForbiddenFails) {
  EXPECT_EQ(in_child([] {
              const std::uint32_t forbidden[] = {__NR_getppid};
              if (!forbid_system_calls(forbidden)) return 1;
              return ::syscall(__NR_getppid) == -1 && errno == EPERM ? 0 : 2;
            }),
            0);
}

TEST(SystemCallFilter, EverythingElseWorks) {
  EXPECT_EQ(in_child([] {
              const std::uint32_t forbidden[] = {__NR_getppid};
              if (!forbid_system_calls(forbidden)) return 1;
              return ::syscall(__NR_getuid) >= 0 ? 0 : 2;
            }),
            0);
}

// What only some are allowed to do is tested with ConfinedChild.

TEST(SystemCallFilter, ChildrenInheritIt) {
  EXPECT_EQ(
      in_child([] {
        const std::uint32_t forbidden[] = {__NR_getppid};
        if (!forbid_system_calls(forbidden)) return 1;
        return in_child([] { return ::syscall(__NR_getppid) == -1 ? 0 : 2; });
      }),
      0);
}

}  // namespace
}  // namespace wick
