// SPDX-License-Identifier: Apache-2.0
#include "object/no_names.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(NoNames, AMissingFileMayBeFoundElsewhere) {
  const NoNamesText why = describe(NoNames::kFileMissing, "/bin/a");
  EXPECT_EQ(why.text, "the file does not exist");
  EXPECT_EQ(why.helps, (Settings{Setting::kSymfs, Setting::kDebuginfod}));
}

TEST(NoNames, AStrippedFileIsNamedInTheCommandThatHelps) {
  EXPECT_NE(describe(NoNames::kStripped, "/bin/a").text.find("dpkg -S /bin/a"),
            std::string::npos);
}

TEST(NoNames, AFileOfARecordingIsQuotedInACommand) {
  const std::string text = describe(NoNames::kStripped, "/tmp/$(reboot)").text;
  EXPECT_NE(text.find("dpkg -S '/tmp/$(reboot)' prints"), std::string::npos);
}

TEST(NoNames, AFoundFileNeedsNoExplanation) {
  EXPECT_EQ(describe(no_names_of(FileState::kFound), "/bin/a").text, "");
}

}  // namespace
}  // namespace wick
