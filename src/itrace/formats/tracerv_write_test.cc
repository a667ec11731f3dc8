// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/tracerv_write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "builders/trace_builder.h"

namespace wick {
namespace {

// Three instructions of which two retire in cycle 8, in two blocks.
const Steps kSteps = {{.cycle = 7, .pc = 0x10040, .satp = 5},
                      {.cycle = 8, .pc = 0x10044, .bits = 0x73, .satp = 5},
                      {.cycle = 8,
                       .pc = 0xffe0000040,
                       .bits = 0x4501,
                       .privilege = 1,
                       .satp = 5}};

TraceBlock block_of(const Steps& steps) {
  TraceBlock block;
  for (const Step& step : steps) {
    block.contexts.push_back(
        {.from = static_cast<std::uint32_t>(block.instructions.size()),
         .privilege = static_cast<Privilege>(step.privilege),
         .has_satp = true,
         .satp = step.satp});
    block.instructions.push_back({step.cycle, step.pc});
    block.bits.push_back(step.bits);
  }
  return block;
}

std::string written_as(const TracervWriteOptions& options) {
  std::ostringstream out;
  TracervWriter writer(out, options);
  writer.add(block_of({kSteps[0], kSteps[1]}));
  writer.add(block_of({kSteps[2]}));
  writer.finish();
  return out.str();
}

TEST(TracervWrite, WritesRecordsOfEveryWidth) {
  for (int width = 1; width <= 7; ++width)
    for (const int valid : {40, 63}) {
      const TracervLayout layout{
          .words = width + 1, .slots = width, .valid_bit = valid};
      SCOPED_TRACE(describe(layout));
      EXPECT_EQ(written_as({.layout = layout}),
                std::string(kClockHeader) + tracerv_records(kSteps, layout));
    }
}

// Instructions of `width` in each cycle but every third, which has one.
Steps wide_steps(std::uint64_t width) {
  Steps steps;
  for (std::uint64_t cycle = 1000; cycle < 2500; ++cycle)
    for (std::uint64_t slot = 0; slot < (cycle % 3 == 0 ? 1 : width); ++slot)
      steps.push_back({.cycle = cycle, .pc = 0x80000000 + 4 * steps.size()});
  return steps;
}

std::string records_of(const Steps& steps, std::string_view layout) {
  std::ostringstream out;
  const TraceBlock block = block_of(steps);
  TracervWriter writer(out, {.layout = parse_layout(layout, needs_of(block))});
  writer.add(block);
  writer.finish();
  return out.str();
}

TEST(TracervWrite, DefaultsToTheWidthOfTheTrace) {
  for (std::uint64_t width = 1; width <= 7; ++width) {
    const Steps steps = wide_steps(width);
    for (const std::string_view layout : {"tracerv", "tracerv:valid=40"}) {
      const ReadTrace read = read_trace(records_of(steps, layout));
      EXPECT_EQ(read.steps().size(), steps.size());
      EXPECT_EQ(read.steps().back().cycle, steps.back().cycle);
      EXPECT_THAT(read.info.layout,
                  testing::StartsWith(std::to_string(8 * (width + 1)) + "-"));
    }
  }
}

TEST(TracervWrite, WritesTheRequestedWidth) {
  const std::string one = records_of(wide_steps(3), "tracerv:width=1");
  EXPECT_EQ(one.size(), kClockHeader.size() + 16 * wide_steps(3).size());
  EXPECT_EQ(records_of(wide_steps(3), "tracerv:record=16"), one);
}

// A cycle in several records is not what a narrow core writes.
TEST(TracervWrite, CanBeReadIfItsRecordsAreNarrowerThanTheTrace) {
  for (const std::uint64_t width : {2, 3, 4, 5, 6, 7}) {
    SCOPED_TRACE(width);
    const Steps steps = wide_steps(width);
    const ReadTrace read = read_trace(records_of(steps, "tracerv:width=1"));
    EXPECT_EQ(read.info.layout,
              "16-byte records: cycle, 1 slot; valid bit 63; 40-bit pc");
    EXPECT_EQ(read.steps().size(), steps.size());
  }
}

TEST(TracervWrite, FillsBeatsOfANarrowCoreWithZeros) {
  const TracervLayout layout{.words = 8, .slots = 2};
  EXPECT_EQ(written_as({.layout = layout, .header = false}),
            tracerv_records(kSteps, layout));
}

TEST(TracervWrite, WritesTokensWithEverythingKnown) {
  const TracervLayout layout{
      .kind = TracervLayout::Kind::kTokens, .words = 5, .valid_bit = 40};
  EXPECT_EQ(written_as({.layout = layout, .header = false}),
            tracerv_records(kSteps, layout));
}

TEST(TracervWrite, WritesTextWithTheSlotOfEachInstruction) {
  EXPECT_EQ(written_as({.text = true}),
            "# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock\n"
            "Cycle: 0000000000000007 I0: 0000000000010040\n"
            "Cycle: 0000000000000008 I0: 0000000000010044\n"
            "Cycle: 0000000000000008 I1: 000000ffe0000040\n");
}

TEST(TracervWrite, CutsAddressesToTheBitsOfTheLayout) {
  std::ostringstream out;
  TracervWriter writer(out, {.text = true, .header = false});
  writer.add(block_of({{.cycle = 1, .pc = 0xffffffe000000040}}));
  writer.finish();
  EXPECT_EQ(out.str(), "Cycle: 0000000000000001 I0: 000000e000000040\n");
}

// A machine starts at addresses with few bits.
TEST(TracervWrite, KeepsLongAddressesThatComeLate) {
  std::ostringstream out;
  const TraceBlock first = block_of({{.cycle = 1, .pc = 0x80000000}});
  TracervWriter writer(out,
                       {.layout = parse_layout("tracerv", needs_of(first))});
  writer.add(first);
  writer.add(block_of({{.cycle = 2, .pc = 0x7ff012345000},
                       {.cycle = 3, .pc = 0xff00000080000000}}));
  writer.finish();
  EXPECT_EQ(writer.cut_pcs(), 0u);
  EXPECT_EQ(read_trace(out.str()).text(),
            "1:80000000 2:7ff012345000 3:100000080000000");
}

TEST(TracervWrite, WritesTextWithAllBitsOnRequest) {
  std::ostringstream out;
  TracervWriter writer(
      out, {.text = true, .layout = {.pc_bits = 64}, .header = false});
  writer.add(block_of({{.cycle = 1, .pc = 0xffffffe000000040}}));
  writer.finish();
  EXPECT_EQ(out.str(), "Cycle: 0000000000000001 I0: ffffffe000000040\n");
  EXPECT_EQ(writer.cut_pcs(), 0u);
}

TEST(TracervWrite, KeepsUserAndKernelCodeApartThatDifferOnlyInTheSign) {
  const TraceBlock block = block_of({{.cycle = 1, .pc = 0x7fff80300000},
                                     {.cycle = 2, .pc = 0xffffffff80300000}});
  std::ostringstream out;
  TracervWriter writer(out, {.layout = {.pc_bits = 47}});
  writer.add(block);
  EXPECT_EQ(writer.cut_pcs(), 1u);
}

TEST(TracervWrite, DoesNotCutPcsOfASourceWithoutMoreBits) {
  std::ostringstream out;
  TracervWriter writer(out, {.source_pc_bits = 40});
  writer.add(block_of({{.cycle = 1, .pc = 0xffe0000040}}));
  EXPECT_EQ(writer.cut_pcs(), 0u);
}

TEST(TracervWrite, CountsTruncatedPcs) {
  std::ostringstream out;
  TracervWriter writer(out, {});
  writer.add(block_of({{.cycle = 1, .pc = 0xffffffff80000000},
                       {.cycle = 2, .pc = 0x8f0000200000},
                       {.cycle = 3, .pc = 0xffff8f0000200000}}));
  EXPECT_EQ(writer.cut_pcs(), 2u);
}

TEST(TracervWrite, RefusesReadOnlyLayouts) {
  std::ostringstream out;
  EXPECT_THROW(
      TracervWriter(out, {.layout = {.kind = TracervLayout::Kind::kPacked}}),
      UsageError);
}

}  // namespace
}  // namespace wick
