// SPDX-License-Identifier: Apache-2.0
#include "base/shell.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(ShellQuoted, LeavesPlainWords) {
  EXPECT_EQ(shell_quoted("/usr/lib/libc.so.6"), "/usr/lib/libc.so.6");
  EXPECT_EQ(shell_quoted("--freq=99"), "--freq=99");
}

TEST(ShellQuoted, QuotesWhatTheShellWouldInterpret) {
  EXPECT_EQ(shell_quoted("a b;touch x"), "'a b;touch x'");
  EXPECT_EQ(shell_quoted("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(shell_quoted("~"), "'~'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(ShellQuoted, QuotesQuotes) {
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
}

TEST(ShellQuoted, SpellsControlCharacters) {
  EXPECT_EQ(shell_quoted("a\nb\x1b'\\"), "$'a\\x0ab\\x1b\\'\\\\'");
}

TEST(ShellQuoted, KeepsAFileFromLookingLikeAnOption) {
  EXPECT_EQ(shell_quoted_file("-rf.data"), "./-rf.data");
  EXPECT_EQ(shell_quoted_file("- f"), "'./- f'");
}

TEST(ShellCommand, QuotesEachWord) {
  const std::string words[] = {"perf", "record", "-o", "a b"};
  EXPECT_EQ(shell_command(words), "perf record -o 'a b'");
}

TEST(SuggestedCommand, IsQuotedAsAWholeUnlessTheFileIs) {
  EXPECT_EQ(suggested_command("wick report", "wick.data"),
            "'wick report wick.data'");
  EXPECT_EQ(suggested_command("wick report", "a b.data"),
            "wick report 'a b.data'");
}

}  // namespace
}  // namespace wick
