// SPDX-License-Identifier: Apache-2.0
#include "itrace/trace_look.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "builders/elf_builder.h"
#include "builders/test_folder.h"
#include "builders/trace_builder.h"
#include "itrace/labels_write.h"

namespace wick {
namespace {

// main: jal f; nop; ecall.   f: nop; ret.
constexpr std::uint64_t kMain = 0xffffffff80002100, kF = kMain + 0x10;
// TracerV's bits.
constexpr std::uint64_t kMask = 0xffffffffff;
constexpr std::uint32_t kCallF = 0x010000ef, kNop = 0x13, kEcall = 0x73,
                        kReturn = 0x8082;

class TraceLook : public testing::Test {
 protected:
  TraceLook() {
    ElfBuilder elf({.machine = EM_RISCV, .type = ET_EXEC});
    std::string text;
    for (const std::uint32_t bits : {kCallF, kNop, kEcall, kNop, kNop})
      elf.put<std::uint32_t>(text, bits);
    elf.put<std::uint16_t>(text, static_cast<std::uint16_t>(kReturn));
    elf.put<std::uint16_t>(text, 1);
    elf.add_section({.name = ".text",
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .address = kMain,
                     .content = text});
    elf.add_symbol({.name = "main", .value = kMain, .size = 12});
    elf.add_symbol({.name = "f", .value = kF, .size = 6});
    options_.trace.elfs = {folder_.path() + "/program"};
    std::ofstream(options_.trace.elfs[0], std::ios::binary) << elf.bytes();
  }

  // main calls f; its instructions retire in the cycles 10, 12, 15, 16, 20.
  static Steps steps() {
    return {
        {.cycle = 10, .pc = kMask & kMain, .bits = kCallF, .satp = 7},
        {.cycle = 12, .pc = kMask & kF, .bits = kNop, .satp = 7},
        {.cycle = 15, .pc = kMask & (kF + 4), .bits = kReturn, .satp = 7},
        {.cycle = 16, .pc = kMask & (kMain + 4), .bits = kNop, .satp = 8},
        {.cycle = 20, .pc = kMask & (kMain + 8), .bits = kEcall, .satp = 8}};
  }
  static std::string stock() {
    return std::string(kClockHeader) +
           tracerv_records(steps(), {.words = 2, .slots = 1});
  }
  static std::string tokens() {
    return tracerv_records(
        steps(),
        {.kind = TracervLayout::Kind::kTokens, .words = 5, .valid_bit = 40});
  }

  template <class Use>
  auto with(std::string bytes, const TraceOptions& options, Use use) {
    InputFile file = InputFile::from_memory("trace", std::move(bytes));
    const auto reader = open_trace(file, "tracerv", options);
    return use(*reader);
  }
  std::string counts(const std::string& bytes, CountBy by) {
    std::string text;
    with(bytes, options_.trace, [&](TraceReader& reader) {
      for (const CountRow& row :
           count_instructions(reader, options_.trace, by).rows)
        text +=
            fmt::format("{} {} {}\n", row.instructions, row.cycles, row.name);
    });
    return text;
  }
  std::string printed(const std::string& bytes, std::uint64_t limit) {
    std::ostringstream out;
    with(bytes, options_.trace, [&](TraceReader& reader) {
      print_instructions(reader, options_.trace, limit, out);
    });
    return out.str();
  }

  const TestFolder folder_;
  ReadOptions options_;
};

TEST_F(TraceLook, SummarizesATrace) {
  const TraceSummary summary = with(tokens(), {}, summarize);
  ASSERT_EQ(summary.harts.size(), 1u);
  EXPECT_EQ(summary.harts[0].instructions, 5u);
  EXPECT_EQ(summary.harts[0].first_cycle, 10u);
  EXPECT_EQ(summary.harts[0].last_cycle, 20u);
  EXPECT_EQ(summary.harts[0].cycles, 11u);
  EXPECT_TRUE(summary.info.has_bits);
  EXPECT_EQ(summary.spaces, 2u);
}

TEST_F(TraceLook, PrintsAndCountsTrapsAtAndBetweenInstructions) {
  const auto log = [] {
    return InputFile::from_memory(
        "trace",
        "core   0: 0x0000000080000000 (0x00000073) ecall\n"
        "core   0: exception trap_machine_ecall, epc 0x0000000080000000\n"
        "core   0: 0x0000000080000100 (0x30200073) mret\n"
        "core   0: exception interrupt #7, epc 0x0000000080000004\n"
        "core   0: 0x0000000080000100 (0x30200073) mret\n");
  };
  InputFile file = log(), again = log();
  std::ostringstream out;
  print_instructions(*open_trace(file, "spike", {}), {}, 9, out);
  EXPECT_EQ(out.str(),
            "0            0 0000000080000000 00000073  ecall  trap 11\n"
            "0            1 0000000080000100 30200073  xret\n"
            "0            2 0000000080000100 30200073  xret  after interrupt 7"
            "\n");
  const TraceSummary summary = summarize(*open_trace(again, "spike", {}));
  EXPECT_EQ(summary.harts.at(0).traps, 2u);
  EXPECT_TRUE(summary.info.has_traps);
}

TEST_F(TraceLook, DoesNotCountCyclesThatWereCutOut) {
  TraceOptions options;
  options.trigger = {.from = "pc:ff80002100", .until = "pc:ff80002110"};
  options.trigger.edges = TriggerOptions::Edges::kBoth;
  const TraceSummary summary =
      with(stock() + tracerv_records({{.cycle = 30, .pc = kMask & kMain},
                                      {.cycle = 31, .pc = kMask & kF}},
                                     {.words = 2, .slots = 1}),
           options, summarize);
  EXPECT_EQ(summary.harts.at(0).instructions, 4u);
  EXPECT_EQ(summary.harts[0].cycles, 5u);  // 1 + 2 and 1 + 1
  EXPECT_EQ(summary.harts[0].gaps, 1u);
}

TEST_F(TraceLook, PrintsInstructionsWithFunctionAndKind) {
  EXPECT_EQ(printed(stock(), 3),
            "0           10 ff80002100  main  call\n"
            "0           12 ff80002110  f\n"
            "0           15 ff80002114  f+0x4  return\n");
  EXPECT_EQ(printed(tokens(), 1),
            "0           10 ff80002100 010000ef U  main  call\n");
}

TEST_F(TraceLook, CountsByFunctionPcAndKind) {
  EXPECT_EQ(counts(stock(), CountBy::kFunction), "3 6 main\n2 5 f\n");
  EXPECT_EQ(counts(stock(), CountBy::kPc),
            "1 1 ff80002100 main\n1 1 ff80002104 main\n1 4 ff80002108 main\n1 "
            "2 ff80002110 f\n"
            "1 3 ff80002114 f\n");
  EXPECT_EQ(counts(stock(), CountBy::kKind),
            "2 3 plain\n1 1 call\n1 4 ecall\n1 3 return\n");
}

TEST_F(TraceLook, WritesFunctionsAsTracervDoes) {
  std::ostringstream out;
  with(stock(), options_.trace,
       [&](TraceReader& reader) { write_trace_labels(reader, options_, out); });
  EXPECT_EQ(out.str(), std::string(kClockHeader) +
                           "Indent: 1, Start label: main, At cycle: 9\n"
                           "Indent: 2, Start label: f, At cycle: 10\n"
                           "Indent: 2, End label: f, End cycle: 15\n"
                           "Indent: 1, End label: main, End cycle: 20\n");
}

// As folded stacks name it.
TEST_F(TraceLook, NamesCodeWithoutASymbolAfterItsFile) {
  const std::string nowhere = tracerv_records(
      {{.cycle = 10, .pc = kMask & (kF + 8)}}, {.words = 2, .slots = 1});
  EXPECT_EQ(counts(nowhere, CountBy::kFunction), "1 1 [program]\n");
  std::ostringstream out;
  with(nowhere, options_.trace,
       [&](TraceReader& reader) { write_trace_labels(reader, options_, out); });
  EXPECT_EQ(out.str(),
            "Indent: 1, Start label: [program], At cycle: 9\n"
            "Indent: 1, End label: [program], End cycle: 10\n");
}

TEST_F(TraceLook, ClosesFunctionsAtAGap) {
  TraceOptions options = options_.trace;
  options.trigger = {.from = "symbol:f", .until = "pc:ff80002114"};
  std::ostringstream out;
  with(stock() + tracerv_records({{.cycle = 40, .pc = kMask & kF}},
                                 {.words = 2, .slots = 1}),
       options,
       [&](TraceReader& reader) { write_trace_labels(reader, options_, out); });
  EXPECT_EQ(out.str(), std::string(kClockHeader) +
                           "Indent: 1, Start label: f, At cycle: 11\n"
                           "Indent: 1, End label: f, End cycle: 15\n"
                           "Indent: 1, Start label: f, At cycle: 39\n"
                           "Indent: 1, End label: f, End cycle: 40\n");
}

}  // namespace
}  // namespace wick
