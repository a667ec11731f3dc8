// SPDX-License-Identifier: Apache-2.0
#include "io/line_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace wick {
namespace {

TEST(LineReader, GivesLinesWithTheirNumbers) {
  InputFile file = InputFile::from_memory("x", "a\r\n\nb");
  std::string seen;
  for_each_line(file, [&](std::string_view line, std::uint64_t number) {
    seen += fmt::format("{}={} ", number, line);
  });
  EXPECT_EQ(seen, "1=a 2= 3=b ");
}

TEST(AnyHeadLine, LeavesOutALineThatMayBeCut) {
  const auto is_end = [](std::string_view line) { return line == "end"; };
  EXPECT_TRUE(any_head_line("x\nend", 2, is_end));
  EXPECT_FALSE(any_head_line("x\nend", 1, is_end));
  const std::string full = std::string(InputFile::kHeadSize - 4, 'x') + "\nend";
  EXPECT_FALSE(any_head_line(full, 2, is_end));
}

}  // namespace
}  // namespace wick
