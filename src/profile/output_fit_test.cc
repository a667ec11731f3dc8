// SPDX-License-Identifier: Apache-2.0
#include "profile/output_fit.h"

#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

// The folded stacks after a fit to `bytes` at one byte for each frame.
std::string fitted(Profile& profile, Repeats repeats, std::uint64_t bytes) {
  fit_to_output(profile, {.repeats = repeats,
                          .frame_bytes = 1,
                          .free_bytes = bytes,
                          .bytes_per_input_byte = 0});
  return folded(profile);
}

std::string fitted(std::string_view text, Repeats repeats,
                   std::uint64_t bytes) {
  Profile profile = read_text("folded", text);
  return fitted(profile, repeats, bytes);
}

TEST(OutputFit, CutsNothingThatFits) {
  EXPECT_EQ(fitted("a;b;c 1\na;b;d 2\n", Repeats::kStacks, 6),
            "a;b;c 1\na;b;d 2\n");
}

TEST(OutputFit, CutsTheDeepestStacksAndKeepsTheirWeight) {
  Profile profile = read_text("folded", "a;b;c;d;e 1\na;b;c 2\na 4\n");
  EXPECT_EQ(fitted(profile, Repeats::kStacks, 7),
            "a 4\na;b;c 2\na;b;c;[truncated] 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kCutToFit), 1u);
}

TEST(OutputFit, CountsTheBytesOfNames) {
  Profile profile = read_text("folded", "a;bbbb;c 1\n");
  fit_to_output(profile, {.repeats = Repeats::kStacks,
                          .frame_bytes = 1,
                          .names = true,
                          .free_bytes = 7,
                          .bytes_per_input_byte = 0});
  EXPECT_EQ(folded(profile), "a;bbbb;[truncated] 1\n");
}

TEST(OutputFit, AllowsMoreForALargerInput) {
  for (const std::uint64_t size : {1, 3}) {
    SCOPED_TRACE(size);
    Profile profile = read_text("folded", "a;b;c 1\n");
    profile.input_bytes = size;
    fit_to_output(profile, {.repeats = Repeats::kStacks,
                            .frame_bytes = 1,
                            .free_bytes = 0,
                            .bytes_per_input_byte = 1});
    EXPECT_EQ(folded(profile), size == 1 ? "a;[truncated] 1\n" : "a;b;c 1\n");
  }
}

TEST(OutputFit, CutsAStackThatIsTooLongForOnePiece) {
  Profile profile = read_text("folded", "a;bbbb;c 1\na;d 2\n");
  fit_to_output(profile, {.repeats = Repeats::kStacks,
                          .frame_bytes = 1,
                          .names = true,
                          .stack_bytes = 8});
  EXPECT_EQ(folded(profile), "a;bbbb;[truncated] 1\na;d 2\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kCutToFit), 1u);
}

TEST(OutputFit, CountsAStackOnceForATree) {
  EXPECT_EQ(fitted("a;b;c 1\na;b;d 2\n", Repeats::kThreads, 4),
            "a;b;c 1\na;b;d 2\n");
  EXPECT_EQ(fitted("a;b;c 1\na;b;d 2\n", Repeats::kStacks, 4),
            "a;b;[truncated] 3\n");
}

TEST(OutputFit, CountsAStackForEachThreadOfATree) {
  Profile profile = read_text("perf-script",
                              "t 1 1.0: c:\n\t1 g (x)\n\t2 f (x)\n\n"
                              "u 2 2.0: c:\n\t1 g (x)\n\t2 f (x)\n\n");
  EXPECT_EQ(fitted(profile, Repeats::kThreads, 4), "t;f;g 1\nu;f;g 1\n");
  EXPECT_EQ(fitted(profile, Repeats::kThreads, 3),
            "t;f;[truncated] 1\nu;f;[truncated] 1\n");
}

TEST(OutputFit, CountsEachSample) {
  Profile profile = read_text("perf-script",
                              "t 1 1.0: c:\n\t1 g (x)\n\t2 f (x)\n\n"
                              "t 1 2.0: c:\n\t1 g (x)\n\t2 f (x)\n\n");
  EXPECT_EQ(fitted(profile, Repeats::kStacks, 2), "t;f;g 2\n");
  EXPECT_EQ(fitted(profile, Repeats::kSamples, 3), "t;f;[truncated] 2\n");
}

// Three samples 1 s apart, the third one 9 s later: f;g, f;h, f;h.
constexpr std::string_view kThreeSamples =
    "t 1 1.0: c:\n\t1 g (x)\n\t2 f (x)\n\n"
    "t 1 2.0: c:\n\t1 h (x)\n\t2 f (x)\n\n"
    "t 1 3.0: c:\n\t1 h (x)\n\t2 f (x)\n\n"
    "t 1 12.0: c:\n\t1 h (x)\n\t2 f (x)\n\n";

TEST(OutputFit, CountsWhatChangesBetweenSamples) {
  Profile profile = read_text("perf-script", kThreeSamples);
  EXPECT_EQ(fitted(profile, Repeats::kChanges, 3), "t;f;g 1\nt;f;h 3\n");
  EXPECT_EQ(fitted(profile, Repeats::kChanges, 2), "t;f;[truncated] 4\n");
}

TEST(OutputFit, CountsEverythingAgainAfterAGapInATimeline) {
  Profile profile = read_text("perf-script", kThreeSamples);
  EXPECT_EQ(fitted(profile, Repeats::kTimeline, 5), "t;f;g 1\nt;f;h 3\n");
  EXPECT_EQ(fitted(profile, Repeats::kTimeline, 4), "t;f;[truncated] 4\n");
}

TEST(OutputFit, KeepsTheOutermostFrameInAnyCase) {
  EXPECT_EQ(fitted("a;b 1\n", Repeats::kSamples, 0), "a;[truncated] 1\n");
}

}  // namespace
}  // namespace wick
