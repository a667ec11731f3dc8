// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/error.h"
#include "builders/trace_builder.h"
#include "io/compress.h"
#include "itrace/formats/trace_reader.h"
#include "itrace/formats/tracerv_layout.h"

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

TEST(Tracerv, DetectsRecordsOfEveryWidth) {
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

// Half a word further on, records look like others with huge cycles.
TEST(Tracerv, RefusesRecordsThatDoNotBeginWithTheFile) {
  std::string bytes = "these are 36 bytes of something else";
  for (std::uint64_t i = 0; i < 100; ++i) {
    append_raw(bytes, 1000 + i);
    append_raw(bytes, (0x80001000 + 4 * i) | std::uint64_t{1} << 63);
  }
  EXPECT_TRUE(find_layout(bytes.substr(36)));
  EXPECT_FALSE(find_layout(bytes));
}

TEST(Tracerv, ReadsBeatsWithoutInstructions) {
  const TracervLayout beats{.words = 8, .slots = 7, .valid_bit = 40};
  std::string bytes;
  for (char cycle = 0; cycle < 9; ++cycle)
    bytes += cycle + std::string(63, '\0');
  EXPECT_EQ(
      read_trace(bytes + tracerv_records({{.cycle = 9, .pc = 0x10040}}, beats))
          .text(),
      "9:10040");
}

// Beats of FireSim 1.10 to 1.15: `idle` cycles in which nothing retires and the
// first `width` words say `left`, then a thousand in which the slots retire in
// turn, and those that do not have an address nevertheless.
std::string beats_after_idle(std::uint64_t idle, std::uint64_t left,
                             std::uint64_t width) {
  std::string bytes(kClockHeader);
  for (std::uint64_t cycle = 0; cycle < idle + 1000; ++cycle) {
    append_raw(bytes, cycle);
    for (std::uint64_t slot = 0; slot < 7; ++slot) {
      const std::uint64_t pc = 0x80000000 + 4 * (cycle * width + slot);
      const bool valid = cycle >= idle && (cycle + slot) % 2 == 0;
      append_raw(bytes, slot >= width  ? std::uint64_t{0}
                        : cycle < idle ? left
                        : valid        ? pc | std::uint64_t{1} << 40
                                       : pc);
    }
  }
  return bytes;
}

TEST(Tracerv, ReadsBeatsThatBeginWithAnyNumberOfIdleCycles) {
  for (const std::uint64_t idle : {500, 511, 512, 1000, 1020, 5000})
    for (const std::uint64_t left : {0ul, 0x10040ul, 0xffe0001234ul})
      for (const std::uint64_t width : {1, 3, 7}) {
        SCOPED_TRACE(testing::Message()
                     << idle << " idle, " << left << ", width " << width);
        const ReadTrace read = read_trace(beats_after_idle(idle, left, width));
        EXPECT_EQ(read.info.layout,
                  "64-byte records: cycle, 7 slots; valid bit 40; 40-bit pc");
        EXPECT_EQ(read.steps().size(), 500 * width);
        EXPECT_TRUE(read.diagnostics.empty());
      }
}

TEST(Tracerv, ReadsBeatsInDigitsThatBeginWithIdleCycles) {
  const std::string records =
      beats_after_idle(600, 0x10040, 3).substr(kClockHeader.size());
  EXPECT_EQ(read_trace(as_beat_lines(records)).steps().size(), 1500u);
}

// What the core of the tokens does in reset: machine mode, nothing retires.
TEST(Tracerv, ReadsTokensInBeatsThatBeginWithIdleCycles) {
  const TracervLayout tokens{
      .kind = Kind::kTokens, .words = 8, .valid_bit = 40};
  std::string bytes;
  for (std::uint64_t cycle = 0; cycle < 2000; ++cycle)
    for (const std::uint64_t word :
         {cycle, 0x10040ul, 0x13ul, 0ul, 3ul, 0ul, 0ul, 0ul})
      append_raw(bytes, word);
  bytes +=
      tracerv_records({{.cycle = 2000, .pc = 0x10040, .privilege = 3}}, tokens);
  const ReadTrace read = read_trace(bytes);
  EXPECT_EQ(read.text(), "2000:10040");
  EXPECT_TRUE(read.info.has_bits);
}

// More than the 64 KiB that are looked at, without a privilege that shows.
TEST(Tracerv, ReadsTokensThatBeginWithIdleCyclesInUserMode) {
  const TracervLayout tokens{
      .kind = Kind::kTokens, .words = 5, .valid_bit = 40};
  std::string bytes;
  for (std::uint64_t cycle = 0; cycle < 1700; ++cycle)
    for (const std::uint64_t word : {cycle, 0x10040ul, 0x13ul, 0ul, 0ul})
      append_raw(bytes, word);
  bytes += tracerv_records({{.cycle = 1700, .pc = 0x10040}}, tokens);
  const ReadTrace read = read_trace(bytes);
  EXPECT_EQ(read.text(), "1700:10040");
  EXPECT_TRUE(read.info.has_bits);
}

TEST(Tracerv, JoinsTheBeatsOfOneCycleOfAWideCore) {
  Steps steps;
  for (std::uint64_t i = 0; i < 9; ++i)
    steps.push_back({.cycle = 5, .pc = 0x1000 + 4 * i});
  const ReadTrace read =
      read_trace(with_header(steps, {.words = 8, .slots = 7}));
  EXPECT_EQ(read.text(),
            "5:1000 5:1004 5:1008 5:100c 5:1010 5:1014 5:1018 5:101c 5:1020");
}

TEST(Tracerv, SkipsInvalidSlotsAnywhere) {
  std::string bytes = tracerv_records(kProgram, {.words = 3, .slots = 2});
  for (const std::uint64_t word : {40ul, 0x1234ul, 0x8000000000010050ul})
    append_raw(bytes, word);
  EXPECT_EQ(read_trace(bytes).text(), std::string(kProgramText) + " 40:10050");
}

TEST(Tracerv, ReadsTheStreamsOfFireSim19AsHarts) {
  const ReadTrace read =
      read_trace(tracerv_records({{.cycle = 70, .pc = 0x10040},
                                  {.cycle = 70, .pc = 0x20040, .hart = 3},
                                  {.cycle = 71, .pc = 0x10044},
                                  {.cycle = 72, .pc = 0x20044, .hart = 3}},
                                 {.words = 8,
                                  .slots = 7,
                                  .cycle_last = true,
                                  .valid_bit = 40,
                                  .streams = Streams::kHarts}));
  EXPECT_EQ(read.text(), "70:10040 71:10044 3/70:20040 3/72:20044");
  EXPECT_EQ(read.info.layout,
            "64-byte records: 7 harts, cycle; valid bit 40; 40-bit pc");
}

TEST(Tracerv, ReadsTheReversedStreamsOfFireSim18IfGivenTheirNumber) {
  const TracervLayout reversed{.words = 8,
                               .slots = 2,
                               .cycle_last = true,
                               .valid_bit = 40,
                               .streams = Streams::kHartsReversed};
  const std::string bytes = tracerv_records(
      {{.cycle = 70, .pc = 0x10040}, {.cycle = 71, .pc = 0x20040, .hart = 1}},
      reversed);
  EXPECT_EQ(read_trace(bytes, "",
                       {.layout = "tracerv:width=2,valid=40,cycle=last,"
                                  "streams=reversed"})
                .text(),
            "1/71:20040 70:10040");
}

TEST(Tracerv, ReadsTrapsFromTheBundlesOfFireSim14) {
  const ReadTrace read = read_trace(tracerv_records(
      {{.cycle = 0, .pc = 0x10040, .bits = 0x73, .exception = true, .cause = 8},
       {.cycle = 0, .pc = 0x20040, .bits = 0x4501, .privilege = 3, .hart = 1},
       {.cycle = 2,
        .pc = 0x20042,
        .bits = 0x9302,
        .privilege = 3,
        .hart = 1,
        .exception = true,
        .interrupt = true,
        .cause = 0x87}},
      {.kind = Kind::kPacked,
       .words = 8,
       .slots = 2,
       .valid_bit = 40,
       .streams = Streams::kHarts}));
  EXPECT_EQ(read.text(), "0:10040! 1/0:20040 1/2:20042!");
  EXPECT_TRUE(read.info.has_traps);
  EXPECT_EQ(read.steps().at(0).cause, 8u);
  EXPECT_FALSE(read.steps().at(0).interrupt);
  EXPECT_EQ(read.steps().at(2).cause, 7u);
  EXPECT_TRUE(read.steps().at(2).interrupt);
  EXPECT_EQ(read.steps().at(2).privilege, 3);
}

TEST(Tracerv, TakesTheHartFromFireSimsFileName) {
  const std::string bytes = with_header(kProgram, {});
  EXPECT_EQ(read_trace(bytes, "", {}, "run/TRACEFILE-C2").blocks.at(0).hart,
            2u);
  EXPECT_EQ(read_trace(bytes, "", {}, "TRACEFILE-C11.zst").blocks.at(0).hart,
            11u);
  EXPECT_EQ(read_trace(bytes, "", {}, "a-Code").blocks.at(0).hart, 0u);
}

TEST(Tracerv, KeepsTheClockDomainOfTheHeader) {
  EXPECT_EQ(read_trace(with_header(kProgram, {})).info.clock_domain,
            "baseClock, 1/1 of Base Clock");
}

TEST(Tracerv, FindsWidePcsAnywhereInTheFile) {
  Steps steps;
  for (std::uint64_t i = 0; i < 10'000; ++i)
    steps.push_back({.cycle = i, .pc = 0x80000000 + 4 * i});
  for (std::uint64_t i = 0; i < 10'000; ++i)
    steps.push_back({.cycle = 10'000 + i, .pc = 0x1'ffff'8000'0000 + 4 * i});
  const std::string bytes = tracerv_records(steps, {});
  InputFile file = InputFile::from_memory("x", bytes);
  EXPECT_EQ(open_trace(file, "", {})->info().pc_bits, 49);
  EXPECT_EQ(read_trace(gzip(bytes)).info.pc_bits, 49);
}

TEST(Tracerv, SetsCyclesRiseOnlyIfTheyDo) {
  // The first block does not know the cycle before it.
  const auto second_block_rises = [](std::uint64_t doubtful) {
    Steps steps;
    for (std::uint64_t i = 0; i < 2 * TraceReader::kBlockSize; ++i)
      steps.push_back({.cycle = 7 + 2 * i, .pc = 0x10000 + 4 * (i % 100)});
    steps[TraceReader::kBlockSize + 9].cycle = doubtful;
    return read_trace(tracerv_records(steps, {})).blocks.at(1).cycles_rise;
  };
  constexpr std::uint64_t kRight = 7 + 2 * (TraceReader::kBlockSize + 9);
  EXPECT_TRUE(second_block_rises(kRight));
  EXPECT_TRUE(second_block_rises(kRight - 1));
  EXPECT_FALSE(second_block_rises(kRight - 2));  // as the one before it
  EXPECT_FALSE(second_block_rises(kRight - 3));
}

TEST(Tracerv, GivesBlocksOfBoundedSize) {
  Steps steps;
  for (std::uint64_t i = 0; i < 200'000; ++i)
    steps.push_back({.cycle = i / 3, .pc = 0x10000 + 2 * i});
  const TracervLayout layout{.words = 4, .slots = 3};
  for (const std::string& bytes :
       {tracerv_records(steps, layout), gzip(tracerv_records(steps, layout))}) {
    const ReadTrace read = read_trace(bytes);
    std::uint64_t at = 0;
    for (const TraceBlock& block : read.blocks) {
      EXPECT_LE(block.instructions.size(), TraceReader::kBlockSize);
      for (const Retired& instruction : block.instructions) {
        ASSERT_EQ(instruction.pc, steps[at].pc);
        ASSERT_EQ(instruction.cycle, steps[at].cycle);
        ++at;
      }
    }
    EXPECT_EQ(at, steps.size());
    EXPECT_LE(read.blocks.size(), 5u);
  }
}

// A hundred instructions, one for each cycle from 1000 on.
Steps hundred() {
  Steps steps;
  for (std::uint64_t i = 0; i < 100; ++i)
    steps.push_back({.cycle = 1000 + i, .pc = 0x10000 + 4 * i});
  return steps;
}

std::size_t count_of(const ReadTrace& read) { return read.steps().size(); }

TEST(Tracerv, NotesThatTheLastRecordIsCutOff) {
  std::string bytes = tracerv_records(hundred(), {});
  bytes.pop_back();
  const ReadTrace read = read_trace(bytes);
  EXPECT_EQ(count_of(read), 99u);
  EXPECT_EQ(read.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(Tracerv, FindsTheNextRecordAfterMissingBytes) {
  for (const std::size_t missing : {1, 7, 8, 9, 15, 21}) {
    SCOPED_TRACE(missing);
    std::string bytes = tracerv_records(hundred(), {});
    bytes.erase(50 * 16 + 3, missing);
    const ReadTrace read = read_trace(bytes);
    EXPECT_GE(count_of(read), 97u);
    EXPECT_LE(count_of(read), 99u);
    EXPECT_EQ(read.steps().back().pc, hundred().back().pc);
    EXPECT_FALSE(read.diagnostics.empty());
  }
}

TEST(Tracerv, CorrectsASingleWrongCycle) {
  Steps steps = hundred();
  steps[50].cycle = std::uint64_t{1} << 55;
  const ReadTrace read = read_trace(tracerv_records(steps, {}));
  EXPECT_EQ(count_of(read), 100u);
  EXPECT_EQ(read.steps().at(50).cycle, 1049u);
  EXPECT_EQ(read.diagnostics.count(Problem::kTimeDisorder), 1u);
}

// A flipped bit: the next cycle shows that this one is too late.
TEST(Tracerv, CorrectsASingleCycleThatIsTooLate) {
  Steps steps = hundred();
  steps[50].cycle += std::uint64_t{1} << 40;
  for (const TracervLayout& layout :
       {TracervLayout{},
        TracervLayout{.kind = Kind::kTokens, .words = 5, .valid_bit = 40}}) {
    const ReadTrace read = read_trace(tracerv_records(steps, layout));
    EXPECT_EQ(count_of(read), 100u);
    EXPECT_EQ(read.steps().at(49).cycle, 1049u);
    EXPECT_EQ(read.steps().at(50).cycle, 1049u);
    EXPECT_EQ(read.steps().at(51).cycle, 1051u);
    EXPECT_EQ(read.diagnostics.count(Problem::kTimeDisorder), 1u);
    EXPECT_EQ(read.blocks.size(), 1u);
  }
}

TEST(Tracerv, NotesATraceThatStartsAgain) {
  const std::string once = tracerv_records(hundred(), {});
  const ReadTrace read = read_trace(once + once);
  EXPECT_EQ(count_of(read), 200u);
  EXPECT_EQ(read.steps().at(100).cycle, 1000u);
  EXPECT_EQ(read.diagnostics.count(Problem::kTimeDisorder), 1u);
  ASSERT_EQ(read.blocks.size(), 2u);
  EXPECT_FALSE(read.blocks[0].after_gap);
  EXPECT_TRUE(read.blocks[1].after_gap);
}

TEST(Tracerv, NotesTokensThatStartAgainOnce) {
  const TracervLayout tokens{
      .kind = Kind::kTokens, .words = 5, .valid_bit = 40};
  const std::string once = tracerv_records(hundred(), tokens);
  const ReadTrace read = read_trace(once + once);
  EXPECT_EQ(count_of(read), 200u);
  EXPECT_EQ(read.diagnostics.count(Problem::kTimeDisorder), 1u);
}

TEST(Tracerv, SkipsAnImpossibleRecord) {
  std::string bytes = tracerv_records(hundred(), {});
  bytes.replace(std::size_t{50} * 16, 16, 16, '\x7f');
  const ReadTrace read = read_trace(bytes);
  EXPECT_EQ(count_of(read), 99u);
  EXPECT_EQ(read.diagnostics.count(Problem::kBadRecord), 1u);
  ASSERT_EQ(read.blocks.size(), 2u);
  EXPECT_EQ(read.blocks[0].instructions.size(), 50u);
  EXPECT_TRUE(read.blocks[1].after_gap);
}

std::string layout_error(std::string_view text) {
  try {
    parse_layout(text);
    return "none";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(TracervLayout, IsParsedFromText) {
  EXPECT_EQ(parse_layout("tracerv:width=3,valid=63,cycle=first"),
            (TracervLayout{.words = 4, .slots = 3}));
  EXPECT_EQ(parse_layout("tracerv:record=64,width=3,valid=40"),
            (TracervLayout{.words = 8, .slots = 3, .valid_bit = 40}));
  EXPECT_EQ(parse_layout("tracerv:cycle=last,valid=40,streams=harts"),
            (TracervLayout{.words = 8,
                           .slots = 7,
                           .cycle_last = true,
                           .valid_bit = 40,
                           .streams = Streams::kHarts}));
  EXPECT_EQ(parse_layout("tracerv:pc=49"), (TracervLayout{.pc_bits = 49}));
  EXPECT_EQ(
      parse_layout("tokens:record=64"),
      (TracervLayout{.kind = Kind::kTokens, .words = 8, .valid_bit = 40}));
  EXPECT_EQ(parse_layout("packed:width=2"),
            (TracervLayout{.kind = Kind::kPacked,
                           .words = 8,
                           .slots = 2,
                           .valid_bit = 40,
                           .streams = Streams::kHarts}));
}

TEST(TracervLayout, ListsTheChoicesForAnUnknownText) {
  for (const char* text :
       {"", "trace", "tracerv:width=8", "tracerv:width=0", "tracerv:valid=41",
        "tracerv:record=20", "tracerv:record=16,width=3", "tracerv:colour=red",
        "tokens:record=32", "packed:width=5", "tracerv:cycle=none"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(layout_error(text), HasSubstr("tracerv:width=3,valid=63"));
  }
}

TEST(TracervLayout, CanBeForced) {
  const std::string bytes = tracerv_records(hundred(), {});
  EXPECT_EQ(count_of(read_trace(bytes, "", {.layout = "tracerv:width=1"})),
            100u);
  EXPECT_EQ(read_trace(bytes, "", {.layout = "tracerv:width=1"}).info.layout,
            "16-byte records: cycle, 1 slot; valid bit 63; 40-bit pc");
}

TEST(TracervHart, IsInTheFileName) {
  EXPECT_EQ(hart_of_name("results/TRACEFILE-C3"), 3u);
  EXPECT_EQ(hart_of_name("TRACEFILE-C4095.gz"), 4095u);
  // The number of a machine or a day is not a hart.
  EXPECT_EQ(hart_of_name("run-C70000"), 0u);
  EXPECT_EQ(hart_of_name("run-C99999999999"), 0u);
}

}  // namespace
}  // namespace wick
