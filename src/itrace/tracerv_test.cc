// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/compress.h"
#include "base/error.h"
#include "builders/trace_builder.h"
#include "itrace/trace_reader.h"
#include "itrace/tracerv_layout.h"

namespace wick {
namespace {

using Kind = TracervLayout::Kind;
using Streams = TracervLayout::Streams;
using testing::HasSubstr;

const Steps kProgram = {{.cycle = 7, .pc = 0x10040},
                        {.cycle = 8, .pc = 0x10044},
                        {.cycle = 8, .pc = 0xffffe00040},
                        {.cycle = 31, .pc = 0xffffe00042}};
constexpr std::string_view kProgramText =
    "7:10040 8:10044 8:ffffe00040 31:ffffe00042";

std::string with_header(const Steps& steps, const TracervLayout& layout) {
  return std::string(kClockHeader) + tracerv_records(steps, layout);
}

TEST(Tracerv, ReadsRecordsOfEveryWidthWithoutBeingToldIt) {
  for (int width = 1; width <= 7; ++width)
    for (const int valid_bit : {40, 63}) {
      const TracervLayout layout{
          .words = width + 1, .slots = width, .valid_bit = valid_bit};
      SCOPED_TRACE(describe(layout));
      const ReadTrace read = read_trace(with_header(kProgram, layout));
      EXPECT_EQ(read.text(), kProgramText);
      EXPECT_EQ(read.info.layout, describe(layout));
      EXPECT_TRUE(read.diagnostics.empty());
    }
}

TEST(Tracerv, ReadsBeatsWithoutAnInstruction) {
  const TracervLayout beats{.words = 8, .slots = 7, .valid_bit = 40};
  std::string bytes;
  for (char cycle = 0; cycle < 9; ++cycle)
    bytes += cycle + std::string(63, '\0');
  EXPECT_EQ(
      read_trace(bytes + tracerv_records({{.cycle = 9, .pc = 0x10040}}, beats))
          .text(),
      "9:10040");
}

TEST(Tracerv, TakesTheBeatsOfOneCycleAsTheArmsOfAWideCore) {
  Steps steps;
  for (std::uint64_t i = 0; i < 9; ++i)
    steps.push_back({.cycle = 5, .pc = 0x1000 + 4 * i});
  const ReadTrace read =
      read_trace(with_header(steps, {.words = 8, .slots = 7}));
  EXPECT_EQ(read.text(),
            "5:1000 5:1004 5:1008 5:100c 5:1010 5:1014 5:1018 5:101c 5:1020");
}

TEST(Tracerv, LeavesOutSlotsThatAreNotValidWhereverTheyStand) {
  std::string bytes = tracerv_records(kProgram, {.words = 3, .slots = 2});
  for (const std::uint64_t word : {40ul, 0x1234ul, 0x8000000000010050ul})
    append_raw(bytes, word);
  EXPECT_EQ(read_trace(bytes).text(), std::string(kProgramText) + " 40:10050");
}

}  // namespace
}  // namespace wick
