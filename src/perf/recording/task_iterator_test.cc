// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/task_iterator.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "builders/fake_system.h"

namespace wick {
namespace {

TEST(TaskIterator, SeesThisThreadOnTheCpu) {
  const auto iterator = TaskIterator::load();
  if (!iterator) GTEST_SKIP() << "BPF iterators are not available";
  int seen_here = 0;
  EXPECT_TRUE(iterator->for_each([&](const SeenTask& seen) {
    if (seen.tid != static_cast<std::uint32_t>(::gettid())) return;
    ++seen_here;
    EXPECT_EQ(seen.pid, static_cast<std::uint32_t>(::getpid()));
    EXPECT_EQ(seen.is_on_cpu, 1u);
    EXPECT_FALSE(seen.is_kernel_thread());
    EXPECT_FALSE(seen.is_32_bit());
  }));
  EXPECT_EQ(seen_here, 1);
}

TEST(TaskIterator, NeedsTheTypesOfTheKernel) {
  FakeSystem system;
  EXPECT_FALSE(TaskIterator::load(system.paths));
  system.file("/sys/kernel/btf/vmlinux", "no BTF");
  system.paths.proc = "/proc";
  EXPECT_FALSE(TaskIterator::load(system.paths));
}

TEST(SeenTask, HasAsManyKernelFramesAsTheKernelWrote) {
  SeenTask seen;
  EXPECT_EQ(seen.kernel_leaf_first().size(), 0u);
  seen.kernel_bytes = 24;
  EXPECT_EQ(seen.kernel_leaf_first().size(), 3u);
  seen.kernel_bytes = -14;
  EXPECT_EQ(seen.kernel_leaf_first().size(), 0u);
  seen.kernel_bytes = 1 << 20;
  EXPECT_EQ(seen.kernel_leaf_first().size(), SeenTask::kMaxFrames);
}

}  // namespace
}  // namespace wick
