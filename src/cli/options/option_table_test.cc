// SPDX-License-Identifier: Apache-2.0
#include "cli/options/option_table.h"

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "cli/progress.h"

namespace wick {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Commands, SayWhatTheyDo) {
  for (const Command* command : commands()) {
    EXPECT_FALSE(command->summary.empty()) << command->name;
    EXPECT_THAT(command->examples, HasSubstr("wick")) << command->name;
    EXPECT_EQ(find_command(command->name), command);
  }
}

TEST(Commands, DescribeEveryOptionOnce) {
  for (const Command* command : commands()) {
    std::set<std::string> seen;
    for (const OptionInfo& option : option_table(*command)) {
      EXPECT_FALSE(option.description.empty())
          << command->name << ' ' << option.names.front();
      for (const std::string& name : option.names)
        EXPECT_TRUE(seen.insert(name).second) << command->name << ' ' << name;
    }
  }
}

TEST(Commands, HaveHelpThatBeginsWithExamplesAndFitsTheTerminal) {
  for (const Command* command : commands()) {
    const std::string help = help_text(*command);
    EXPECT_LT(help.find("Examples:"), help.find("Usage:"));
    std::size_t column = 0;
    for (const char c : help) {
      const bool continues_character = (c & 0xc0) == 0x80;
      column = c == '\n' ? 0 : column + (continues_character ? 0 : 1);
      ASSERT_LE(column, 80U) << command->name;
    }
  }
}

TEST(Commands, AlignDescriptionsByCharactersNotBytes) {
  EXPECT_THAT(help_text(*find_command("record")),
              HasSubstr("\n  -p, --pid PID[,PID…]      attach to"));
  EXPECT_THAT(help_text(*find_command("record")),
              HasSubstr("\n  -a, --all-cpus            record"));
}

TEST(PossibleValues, ComeFromTheRegistryOrTheOption) {
  EXPECT_THAT(possible_values("INPUT-FORMAT"), Contains("perf-script"));
  EXPECT_THAT(possible_values("OUTPUT-FORMAT"), Contains("svg"));
  EXPECT_THAT(possible_values("PALETTE"), Contains("aqua"));
  EXPECT_THAT(possible_values("a|b"), testing::ElementsAre("a", "b"));
  EXPECT_TRUE(possible_values("FILE").empty());
}

TEST(RunCommand, RefusesWhatItDoesNotKnow) {
  const Command& fold = *find_command("fold");
  EXPECT_THROW(run_command(fold, {"--nosuch"}), UsageError);
  EXPECT_THROW(run_command(fold, {"--only-pid"}), UsageError);
  EXPECT_THROW(run_command(fold, {"--only-pid", "-3"}), UsageError);
}

TEST(RunCommand, TakesTimeWithoutARangeAsTheFlagOfGhcprof) {
  const Command& fold = *find_command("fold");
  // The range is refused before the input is looked for; the flag is not.
  EXPECT_THROW(run_command(fold, {"--time", "3..1", "/nonexistent"}),
               UsageError);
  try {
    run_command(fold, {"--time", "/nonexistent"});
    FAIL() << "an input that does not exist was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent: cannot open"));
  }
}

TEST(Progress, IsInBytesWhileReading) {
  EXPECT_EQ(progress_text("read", 135e6, 300e6, 0.5),
            "read 45%, 135 of 300 MB, 270 MB/s");
  EXPECT_EQ(progress_text("read", 135e6, 0, 2), "read 135 MB, 2 s");
  EXPECT_EQ(progress_text("fold", 135e6, 0, 2), "fold, 2 s");
}

}  // namespace
}  // namespace wick
