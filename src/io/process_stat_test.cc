// SPDX-License-Identifier: Apache-2.0
#include "io/process_stat.h"

#include <gtest/gtest.h>

#include <string>

namespace wick {
namespace {

constexpr std::string_view kStat =
    "77 (a) R 1 (b)) S 1 77 77 0 -1 4194304 93 0 0 0 0 0 0 0 20 0 1 0 4711 "
    "2990080 446 18446744073709551615 1 1 0 0 0 0 0 6 0 1 0 0 17 3 0 0 0 0 0 0 "
    "0 0 0 0 0 0 0\n";

TEST(ProcessStat, HasItsFieldsAfterWhateverName) {
  const auto stat = parse_process_stat(kStat);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "a) R 1 (b)");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->priority, 120);
  EXPECT_EQ(stat->parent, 1);
  EXPECT_EQ(stat->minor_faults, 93u);
  EXPECT_EQ(stat->threads, 1u);
  EXPECT_EQ(stat->resident_pages, 446u);
  EXPECT_EQ(stat->start_ticks, 4711u);
  EXPECT_EQ(stat->cpu, 3u);
}

TEST(ProcessStat, CutAnywhereBeforeTheCpuIsNone) {
  for (std::size_t i = 0; i < kStat.find(" 3 0 0"); ++i)
    EXPECT_FALSE(parse_process_stat(kStat.substr(0, i))) << i;
}

TEST(ProcessStat, APriorityBeyondAllNumbersIsNone) {
  std::string text(kStat);
  text.replace(text.find(" 20 "), 4, " 2147483647 ");
  EXPECT_FALSE(parse_process_stat(text));
}

}  // namespace
}  // namespace wick
