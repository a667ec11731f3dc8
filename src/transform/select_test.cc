// SPDX-License-Identifier: Apache-2.0
#include "transform/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"

namespace wick {
namespace {

std::string selected(std::string_view text, const Selection& selection) {
  return folded(select(read_text("folded", text), selection));
}

TEST(Select, FocusKeepsStacksWithAMatch) {
  EXPECT_EQ(selected("a;b;c 1\na;d 2\n", {.focus = {"^b$"}}), "a;b;c 1\n");
}

TEST(Select, CountsWhatItLeavesOut) {
  const Profile profile =
      select(read_text("folded", "a;b 1\na;d 2\n"), {.focus = {"b"}});
  EXPECT_EQ(profile.diagnostics.count(Problem::kNotSelected), 2u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kNotSelected), 2);
}

TEST(Select, CountsSamplesWithoutStackAmongThoseThatStay) {
  const Profile profile = select(read_text("perf-script",
                                           "a 1 1.0: 1 cycles:\n\n"
                                           "b 2 1.1: 1 cycles:\n\n"),
                                 {.comm = "a"});
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 1u);
}

// One sample each of a and b, in code without a name.
Profile unnamed_code() {
  Profile profile = read_text("perf-script",
                              "a 1/1 1.0: 1 cycles:\n\t1 [unknown] (m)\n\n"
                              "b 2/2 2.0: 1 cycles:\n\t1 [unknown] (m)\n\n");
  profile.diagnostics.note(Problem::kNoSymbol, 2);
  profile.diagnostics.note(Problem::kNoUnwindRule, 5);
  profile.diagnostics.note_time(Problem::kShortLived, 10, 100);
  return profile;
}

TEST(Select, CountsSamplesWithoutANameAmongThoseThatStay) {
  EXPECT_EQ(select(unnamed_code(), {.comm = "b"})
                .diagnostics.count(Problem::kNoSymbol),
            1u);
}

TEST(Select, SaysOfWhatItCannotCountAnewThatItIsOfTheWhole) {
  const auto text = [](const Selection& selection, std::size_t line) {
    return describe(select(unnamed_code(), selection).diagnostics)[line];
  };
  EXPECT_EQ(text({}, 0), "5 stacks end at code without unwind rules");
  EXPECT_EQ(text({.comm = "b"}, 1),
            "5 stacks end at code without unwind rules (in the whole input)");
  EXPECT_THAT(text({.comm = "b"}, 3),
              testing::HasSubstr("(10% of 100 ns, in the whole input)"));
}

TEST(Select, FocusLeavesNoSampleWithoutStack) {
  const Profile profile = select(read_text("perf-script",
                                           "a 1 1.0: 1 cycles:\n\n"
                                           "a 1 1.1: 1 cycles:\n\t0 f (m)\n"),
                                 {.focus = {"f"}});
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 0u);
}

TEST(Select, TimesCountFromTheFirstSampleOfTheWholeProfile) {
  const auto in_range = [](Selection selection) {
    selection.time = TimeRange{.from = 1, .to = 2};
    return folded(select(read_text("perf-script",
                                   "a 1 10.0: 1 cycles:\n\t0 f (m)\n\n"
                                   "b 2 10.5: 1 faults:\n\t0 g (m)\n\n"
                                   "b 2 11.5: 1 faults:\n\t0 h (m)\n\n"),
                         selection));
  };
  EXPECT_EQ(in_range({.event = "faults"}), "b;h 1\n");
  EXPECT_EQ(in_range({.event = "faults", .comm = "b"}), "b;h 1\n");
}

TEST(Select, HideGivesTheWeightToTheCaller) {
  EXPECT_EQ(selected("a;b;c 1\na;b 2\n", {.hide = {"b"}}), "a 2\na;c 1\n");
}

TEST(Select, SkipAfterMakesAFunctionTheRoot) {
  EXPECT_EQ(selected("x;main;f 1\nother 2\n", {.skip_after = {"main"}}),
            "main;f 1\nother 2\n");
}

TEST(Select, BaseLeavesOutStacksWithoutIt) {
  EXPECT_EQ(selected("x;main;f 1\nother 2\n", {.base = {"main"}}),
            "main;f 1\n");
}

TEST(Select, BaseTakesARootAndALeaf) {  // inferno drops both
  EXPECT_EQ(selected("main;f 1\nx;main 2\n", {.base = {"main"}}),
            "main 2\nmain;f 1\n");
}

TEST(Select, KernelOnlyKeepsKernelFrames) {
  EXPECT_EQ(selected("a;sys_[k] 1\na;b 2\n", {.kernel_only = true}),
            "sys_[k] 1\n");
}

TEST(Select, UserOnlyGivesKernelTimeToTheCaller) {
  EXPECT_EQ(selected("a;sys_[k] 1\na;b 2\n", {.user_only = true}),
            "a 1\na;b 2\n");
}

TEST(Select, MergesDirectRecursion) {
  EXPECT_EQ(selected("a;f;f;f;g 1\na;f;g;f 2\n", {.merge_recursion = true}),
            "a;f;g 1\na;f;g;f 2\n");
}

TEST(Select, DoesNotTakeACallBetweenFunctionsWithoutNamesForRecursion) {
  Profile profile;
  const ModuleId gzip = profile.module_id("/usr/bin/gzip");
  StackId stack = StackId::kRoot;
  for (const std::uint64_t start : {0x100, 0x200, 0x200})
    stack = profile.stacks.push(
        stack, profile.frames.intern({.module = gzip,
                                      .address = start + index(stack),
                                      .function_start = start}));
  profile.samples.push_back(
      {.weight = 1, .stack = stack, .event = profile.event_id("cycles")});
  EXPECT_EQ(folded(select(std::move(profile), {.merge_recursion = true})),
            "[gzip+0x100];[gzip+0x200] 1\n");
}

TEST(Select, ANameOfATraceIsThatOfAllProcessesOfTheProgram) {
  const auto selected = [](bool is_trace) {
    Profile profile;
    profile.is_trace = is_trace;
    const EventId event = profile.event_id("cycles");
    for (const char* name : {"hard", "hard #2", "hard #x", "harder"})
      profile.samples.push_back(
          {.weight = 1,
           .stack =
               profile.stacks.push(StackId::kRoot, profile.named_frame("main")),
           .thread = profile.thread_id({.comm = profile.strings.intern(name)}),
           .event = event});
    return folded(select(std::move(profile), {.comm = "hard"}));
  };
  EXPECT_EQ(selected(true), "hard #2;main 1\nhard;main 1\n");
  EXPECT_EQ(selected(false), "hard;main 1\n");
}

TEST(Select, RefusesAPatternThatIsNone) {
  EXPECT_THROW(select(read_text("folded", "a 1\n"), {.focus = {"("}}),
               UsageError);
}

TEST(Select, BaseTakesCodeWithoutAName) {
  EXPECT_EQ(folded(select(read_text("perf-script",
                                    "a 1 1.0: 1 cycles:\n\t2 f (m)\n"
                                    "\t1 [unknown] (/bin/gzip)\n\n"),
                          {.base = {"[gzip]"}})),
            "[gzip];f 1\n");
}

constexpr std::string_view kTwoProcesses =
    "a 1/1 10.0: 1 cycles:\n\t0 f (m)\n\n"
    "b 2/2 11.5: 1 cycles:\n\t0 g (m)\n\n";

// What select() says if nothing is left.
std::string complaint(const Selection& selection) {
  try {
    select(read_text("perf-script", kTwoProcesses), selection);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(EmptySelection, NamesTheProcessesThatThereAre) {
  EXPECT_EQ(complaint({.comm = "c"}),
            "no sample is of 'c'; there are samples of a, b");
  EXPECT_EQ(complaint({.pid = 3}),
            "no sample is of process 3; there are samples of 1 (a), 2 (b)");
  EXPECT_EQ(complaint({.pid = 1, .comm = "b"}),
            "no sample is of process 1 and 'b'; there are samples of 1 (a), 2 "
            "(b)");
}

TEST(EmptySelection, NamesTheTimesThatThereAre) {
  EXPECT_EQ(complaint({.time = TimeRange{.from = 5, .to = 6}}),
            "no sample is in the range of time; samples are from 0.000 to "
            "1.500 s (@10.000..11.500 on the input's clock)");
}

TEST(EmptySelection, NamesTheHottestFunctions) {
  EXPECT_EQ(complaint({.focus = {"x", "y"}}),
            "no stack has a function that matches 'x' or 'y'; the hottest "
            "functions are f, g");
  EXPECT_EQ(complaint({.base = {"x"}}),
            "no stack has the function 'x'; the hottest functions are f, g");
}

TEST(EmptySelection, IsOneWithoutKernelFrames) {
  EXPECT_EQ(complaint({.kernel_only = true}), "no stack has a kernel frame");
}

TEST(EmptySelection, LeavesAnEmptyInputAlone) {
  EXPECT_TRUE(select(Profile{}, {.comm = "c"}).samples.empty());
}

// Over random profiles.
TEST(Select, KeepsTheWholeWeight) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const std::int64_t whole = whole_weight(random_profile(seed));
    for (const Selection& selection :
         {Selection{.event = "*", .hide = {"o"}},
          Selection{.event = "*", .skip_after = {"main"}},
          Selection{.event = "*", .merge_recursion = true}}) {
      const Profile profile = select(random_profile(seed), selection);
      EXPECT_EQ(check(profile), "");
      EXPECT_EQ(whole_weight(profile), whole);
    }
    const Profile focused =
        select(random_profile(seed), {.event = "*", .focus = {"main"}});
    EXPECT_EQ(whole_weight(focused) +
                  focused.diagnostics.weight(Problem::kNotSelected),
              whole);
  }
}

}  // namespace
}  // namespace wick
