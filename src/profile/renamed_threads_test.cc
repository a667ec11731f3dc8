// SPDX-License-Identifier: Apache-2.0
#include "profile/renamed_threads.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(RenamedThreads, HaveTheNameOfTheirLastSample) {
  Profile profile;
  const auto thread = [&](std::int32_t tid, std::string_view comm) {
    return profile.thread_id(
        {.pid = 1, .tid = tid, .comm = profile.strings.intern(comm)});
  };
  const ThreadId worker = thread(2, "worker"), app = thread(2, "app");
  const ThreadId other = thread(3, "app");
  profile.samples = {{.weight = 1, .thread = app},
                     {.weight = 1, .thread = other},
                     {.weight = 1, .thread = worker}};
  const auto names = last_names(profile);
  EXPECT_EQ(names[app], worker);
  EXPECT_EQ(names[worker], worker);
  EXPECT_EQ(names[other], other);
}

TEST(RenamedThreads, AreNotThoseWithoutATid) {
  Profile profile;
  const ThreadId a =
      profile.thread_id({.pid = 1, .comm = profile.strings.intern("a")});
  const ThreadId b =
      profile.thread_id({.pid = 1, .comm = profile.strings.intern("b")});
  const auto names = last_names(profile);
  EXPECT_EQ(names[a], a);
  EXPECT_EQ(names[b], b);
}

}  // namespace
}  // namespace wick
