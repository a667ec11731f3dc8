// SPDX-License-Identifier: Apache-2.0
#include "integration/auto_counter.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace wick {
namespace {

AutoCounters read(const std::string& text) {
  InputFile file = InputFile::from_memory("AUTOCOUNTERFILE0.csv", text);
  return read_auto_counters(file);
}

constexpr const char* kHeader =
    "version,1\n"
    "Clock Domain Name,tile_clock,Base Multiplier,1,Base Divisor,2\n"
    "label,local_cycle,dcache_miss,icache_miss\n"
    "description,\"Local clock cycle\",\"misses, of data\",misses of code\n"
    "type,Accumulate,Accumulate,Accumulate\n"
    "event width,1,1,1\n"
    "accumulator width,64,64,64\n";

TEST(AutoCounter, GivesTheSumsOfTheLastReading) {
  const AutoCounters counters =
      read(std::string(kHeader) + "1000,500,10,4\n2000,1000,30,5\n");
  EXPECT_EQ(counters.clock_domain, "tile_clock");
  EXPECT_EQ(counters.readings, 2u);
  EXPECT_EQ(counters.last_cycle, 1000u);
  ASSERT_EQ(counters.counters.size(), 2u);
  EXPECT_EQ(counters.counters[0].label, "dcache_miss");
  EXPECT_EQ(counters.counters[0].description, "misses, of data");
  EXPECT_EQ(counters.counters[0].total, 30u);
  EXPECT_DOUBLE_EQ(counters.rate(counters.counters[1]), 0.005);
  EXPECT_TRUE(counters.diagnostics.empty());
}

TEST(AutoCounter, ReadsTheTextOfOldVersions) {
  const AutoCounters counters = read(
      "Cycle 100\n============================\nPerfCounter a: 1\n"
      "PerfCounter b: 2\n\nCycle 200\n============================\n"
      "PerfCounter a: 7\nPerfCounter b: 9\n\n");
  EXPECT_EQ(counters.last_cycle, 200u);
  ASSERT_EQ(counters.counters.size(), 2u);
  EXPECT_EQ(counters.counters[1].label, "b");
  EXPECT_EQ(counters.counters[1].total, 9u);
}

TEST(AutoCounter, CountsLinesThatAreBroken) {
  const AutoCounters counters =
      read(std::string(kHeader) + "1000,500,10,4\n2000,10x");
  EXPECT_EQ(counters.readings, 1u);
  EXPECT_EQ(counters.diagnostics.count(Problem::kBadLine), 1u);
}

TEST(AutoCounter, RefusesAFileWithoutAReading) {
  EXPECT_THROW(read(kHeader), Error);
  EXPECT_THROW(read(""), Error);
}

}  // namespace
}  // namespace wick
