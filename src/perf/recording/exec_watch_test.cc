// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/exec_watch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <set>

namespace wick {
namespace {

TEST(ExecWatch, AnExecIsToldAtOnce) {
  const KernelLimits limits = read_kernel_limits();
  std::mutex mutex;
  std::set<std::uint32_t> seen;
  ExecWatch watch(limits.online_cpus, limits, [&](std::uint32_t pid) {
    const std::scoped_lock lock(mutex);
    seen.insert(pid);
  });
  if (!watch.is_open()) GTEST_SKIP() << "only root may watch whole CPUs";
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/true", "true", nullptr);
    ::_exit(1);
  }
  const auto is_seen = [&] {
    const std::scoped_lock lock(mutex);
    return seen.contains(static_cast<std::uint32_t>(child));
  };
  for (int i = 0; i < 10'000 && !is_seen(); ++i) ::usleep(1000);
  EXPECT_TRUE(is_seen());
  ::waitpid(child, nullptr, 0);
}

TEST(ExecWatch, WithoutRightsNothingIsWatched) {
  KernelLimits limits = read_kernel_limits();
  limits.capabilities = 0;
  limits.paranoid = 2;
  const ExecWatch watch(limits.online_cpus, limits, [](std::uint32_t) {});
  EXPECT_FALSE(watch.is_open());
}

}  // namespace
}  // namespace wick
