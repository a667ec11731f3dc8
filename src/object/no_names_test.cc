// SPDX-License-Identifier: Apache-2.0
#include "object/no_names.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(NoNames, AMissingFileMayBeFoundElsewhere) {
  const NoNamesText why = describe(NoNames::kFileMissing);
  EXPECT_EQ(why.text, "the file does not exist");
  EXPECT_EQ(why.helps, (Settings{Setting::kSymfs, Setting::kDebuginfod}));
}

TEST(NoNames, AStrippedFileOfAPackageHasADebugPackage) {
  const NoNamesText why = describe(NoNames::kStripped, "gzip");
  EXPECT_NE(why.text.find("install gzip-dbgsym"), std::string::npos);
  EXPECT_EQ(why.helps, Settings{Setting::kDebuginfod});
  EXPECT_NE(describe(NoNames::kStripped, "libc6").text.find("libc6-dbg "),
            std::string::npos);
}

TEST(NoNames, AStrippedFileOfNoPackageCanOnlyBeBuiltAgain) {
  const NoNamesText why = describe(NoNames::kStripped, "");
  EXPECT_EQ(why.text,
            "its symbols are stripped; link it without -s and do not strip it");
  EXPECT_EQ(why.helps, Settings{});
}

TEST(NoNames, AFoundFileNeedsNoExplanation) {
  EXPECT_EQ(describe(no_names_of(FileState::kFound)).text, "");
}

}  // namespace
}  // namespace wick
