// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

constexpr std::string_view kOne =
    "    vfs_read\n    entry_SYSCALL_64_after_hwframe\n    read\n    main\n"
    "    -                my dd (25)\n        7\n\n";

TEST(Bcc, ReadsAStackItsOwnerAndItsCount) {
  EXPECT_EQ(folded(read_text("bcc", kOne)),
            "my dd;main;read;entry_SYSCALL_64_after_hwframe;vfs_read 7\n");
}

TEST(Bcc, MarksWhatIsAboveTheEntryIntoTheKernel) {
  EXPECT_EQ(folded(read_text("bcc", kOne), {.annotate_kernel = true}),
            "my dd;main;read;entry_SYSCALL_64_after_hwframe_[k];"
            "vfs_read_[k] 7\n");
}

TEST(Bcc, KeepsTheSeparator) {
  EXPECT_EQ(folded(read_text("bcc",
                             "    k\n    --\n    u\n"
                             "    -                a (1)\n        2\n"),
                   {.annotate_kernel = true}),
            "a;u;--;k_[k] 2\n");
}

TEST(Bcc, CountsMicrosecondsOffTheCpu) {
  const Profile profile = read_text(
      "bcc",
      "Tracing off-CPU time (us) of all threads by user + kernel stack... Hit "
      "Ctrl-C to end.\n\n    k\n    -                a (1)\n        250\n");
  EXPECT_EQ(profile.strings[profile.events[EventId{0}].unit], "microseconds");
  EXPECT_EQ(folded(profile), "a;k 250\n");
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Bcc, KeepsAStackWithoutFrames) {
  const Profile profile =
      read_text("bcc", "    -                a (1)\n        3\n");
  EXPECT_EQ(folded(profile), "a 3\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 1u);
}

TEST(Bcc, ReportsWhatTheProfilerLost) {
  const Profile profile = read_text(
      "bcc",
      std::string(kOne) + "WARNING: 12 stack traces could not be displayed.\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kLostSamples), 12u);
}

TEST(Bcc, NotesACountThatIsMissing) {
  const Profile profile =
      read_text("bcc", std::string(kOne) + "    f\n    -         a (1)\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
  EXPECT_EQ(whole_weight(profile), 7);
}

// With -f, bcc prints folded stacks, "-" between the program and the kernel.
TEST(Bcc, FoldedOutputIsReadAsFolded) {
  EXPECT_EQ(folded(read_text("",
                             "my dd;main;read;-;vfs_read 7\n"
                             "sh;[Missed User Stack];-;x 2\n")),
            "my dd;main;read;-;vfs_read 7\nsh;[Missed User Stack];-;x 2\n");
}

}  // namespace
}  // namespace wick
