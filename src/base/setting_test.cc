// SPDX-License-Identifier: Apache-2.0
#include "base/setting.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

std::string_view name(Setting setting) {
  switch (setting) {
    case Setting::kElf:
      return "--elf";
    case Setting::kModule:
      return "--module";
    case Setting::kSysroot:
      return "--sysroot";
    default:
      return "?";
  }
}

TEST(Setting, ASetIsSpelledAsAList) {
  EXPECT_EQ(spelled({}, name), "");
  EXPECT_EQ(spelled(Setting::kElf, name), "--elf");
  EXPECT_EQ(spelled({Setting::kElf, Setting::kModule}, name),
            "--elf or --module");
  EXPECT_EQ(spelled({Setting::kElf, Setting::kModule, Setting::kSysroot}, name),
            "--elf, --module or --sysroot");
}

TEST(Setting, AHintFollowsTheMessage) {
  EXPECT_EQ(with_hint("the file is missing", Setting::kElf, name),
            "the file is missing; see --elf");
  EXPECT_EQ(with_hint("the file is missing", {}, name), "the file is missing");
}

TEST(Setting, WhereNothingCanBeSetThereIsNoHint) {
  EXPECT_EQ(with_hint("the file is missing", Setting::kElf, nullptr),
            "the file is missing");
}

}  // namespace
}  // namespace wick
