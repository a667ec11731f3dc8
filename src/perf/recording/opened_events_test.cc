// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/opened_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace wick {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SmallerBuffers, TheLimitOfLockedMemoryCanBeRaised) {
  EXPECT_THAT(explain_smaller_buffers(1 << 19, 1 << 23, EPERM),
              HasSubstr("no more memory may be locked; `sudo sysctl "
                        "kernel.perf_event_mlock_kb=8"));
}

TEST(SmallerBuffers, NoLimitIsBlamedWhereTheKernelHasNoMemory) {
  const std::string text = explain_smaller_buffers(1 << 19, 1 << 23, ENOMEM);
  EXPECT_THAT(text, HasSubstr("the kernel has no memory for larger ones"));
  EXPECT_THAT(text, Not(HasSubstr("locked")));
}

}  // namespace
}  // namespace wick
