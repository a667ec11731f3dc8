// SPDX-License-Identifier: Apache-2.0
#include "itrace/trigger/trigger.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "builders/elf_builder.h"
#include "builders/test_folder.h"
#include "builders/trace_builder.h"

namespace wick {
namespace {

using Edges = TriggerOptions::Edges;
using Kind = TracePoint::Kind;
using testing::HasSubstr;
using testing::ThrowsMessage;

const TracervLayout kStock{.words = 2, .slots = 1};
const TracervLayout kTokens{
    .kind = TracervLayout::Kind::kTokens, .words = 5, .valid_bit = 40};

// Yields what was put into it, in blocks of the given sizes.
class FakeReader final : public TraceReader {
 public:
  explicit FakeReader(std::vector<TraceBlock> blocks, TraceInfo info = {})
      : blocks_(std::move(blocks)) {
    info_ = std::move(info);
  }
  bool next(TraceBlock& block) override {
    block.clear();
    if (at_ == blocks_.size()) return false;
    block = blocks_[at_++];
    return true;
  }

 private:
  std::vector<TraceBlock> blocks_;
  std::size_t at_ = 0;
};

// Instructions at these pcs, in the cycles 10, 11 and so on.
TraceBlock block_of(const std::vector<std::uint64_t>& pcs,
                    std::uint64_t cycle = 10, std::uint32_t hart = 0) {
  TraceBlock block;
  block.hart = hart;
  for (const std::uint64_t pc : pcs)
    block.instructions.push_back({cycle++, pc});
  return block;
}

std::vector<TraceBlock> cut(std::vector<TraceBlock> blocks,
                            const TriggerOptions& trigger,
                            const TraceInfo& info = {},
                            const std::string& elf = "") {
  TraceOptions options;
  options.trigger = trigger;
  if (!elf.empty()) options.elfs = {elf};
  const auto reader = cut_by_trigger(
      std::make_unique<FakeReader>(std::move(blocks), info), options);
  std::vector<TraceBlock> result;
  TraceBlock block;
  while (reader->next(block)) result.push_back(block);
  return result;
}

// "10:a0 11:a4 | 14:a0": pieces that others were cut out between are parted.
std::string text_of(const std::vector<TraceBlock>& blocks) {
  std::string text;
  for (const TraceBlock& block : blocks) {
    if (block.after_gap) text += " |";
    for (const Retired& one : block.instructions)
      text += fmt::format("{}{}{}:{:x}", text.empty() ? "" : " ",
                          block.hart == 0 ? "" : fmt::format("{}/", block.hart),
                          one.cycle, one.pc);
  }
  return text;
}

std::string cut_text(const std::vector<std::uint64_t>& pcs,
                     const TriggerOptions& trigger) {
  return text_of(cut({block_of(pcs)}, trigger));
}

TEST(Trigger, StartsAndEndsAtAPcEveryTimeItIsMet) {
  const std::vector<std::uint64_t> pcs = {1, 0xa, 2, 0xb, 3, 0xa, 4};
  EXPECT_EQ(cut_text(pcs, {.from = "pc:a", .until = "pc:b"}),
            "11:a 12:2 13:b | 15:a 16:4");
}

TEST(Trigger, KeepsTheMatchingInstructionsOnRequest) {
  const std::vector<std::uint64_t> pcs = {1, 0xa, 2, 0xb, 3};
  const auto with = [&](Edges edges) {
    return cut_text(pcs, {.from = "pc:a", .until = "pc:b", .edges = edges});
  };
  EXPECT_EQ(with(Edges::kFrom), "11:a 12:2");
  EXPECT_EQ(with(Edges::kUntil), "12:2 13:b");
  EXPECT_EQ(with(Edges::kNone), "12:2");
}

TEST(Trigger, StartsWhereOneInstructionMatchesBothPoints) {
  EXPECT_EQ(cut_text({1, 0xa, 2, 0xa, 3}, {.from = "pc:a", .until = "pc:a"}),
            "11:a 12:2 13:a 14:3");
}

TEST(Trigger, UsesOnlyTheNthMatch) {
  const std::vector<std::uint64_t> pcs = {0xa, 1, 0xa, 2, 0xb, 3, 0xb, 4, 0xa};
  EXPECT_EQ(cut_text(pcs, {.from = "pc:a#2", .until = "pc:b"}),
            "12:a 13:2 14:b");
  EXPECT_EQ(cut_text(pcs, {.from = "pc:a#2", .until = "pc:b#2"}),
            "12:a 13:2 14:b 15:3 16:b");
}

TEST(Trigger, TreatsCyclesAsInclusive) {
  const std::vector<std::uint64_t> pcs = {1, 2, 3, 4, 5};
  EXPECT_EQ(cut_text(pcs, {.from = "cycle:11", .until = "cycle:13"}),
            "11:2 12:3 13:4");
  EXPECT_EQ(cut_text(pcs, {.from = "cycle:11",
                           .until = "cycle:13",
                           .edges = Edges::kNone}),
            "12:3");
  EXPECT_EQ(cut_text(pcs, {.until = "cycle:11"}), "10:1 11:2");
}

TEST(Trigger, IgnoresMatchesOutsideTheSelectedTime) {
  const std::vector<std::uint64_t> pcs = {0xb, 1, 2, 0xb, 3};
  EXPECT_EQ(cut_text(pcs, {.from = "cycle:11", .until = "pc:b"}),
            "11:1 12:2 13:b");
}

TEST(Trigger, ConvertsCyclesOfTheBaseClock) {
  TraceInfo info;
  info.clock_domain = "tile, 1/2 of Base Clock";
  EXPECT_EQ(
      text_of(cut({block_of({1, 2, 3, 4})},
                  {.from = "base-cycle:23", .until = "base-cycle:25"}, info)),
      "11:2 12:3");
}

TEST(Trigger, ComparesTheBitsOfAPcThatTheTraceHas) {
  TraceInfo info;
  info.pc_bits = 40;
  EXPECT_EQ(text_of(cut({block_of({1, 0xff80001000, 2})},
                        {.from = "pc:ffffffff80001000"}, info)),
            "11:ff80001000 12:2");
}

TEST(Trigger, ComparesInstructionsUnderTheirMask) {
  TraceInfo info;
  info.has_bits = true;
  TraceBlock block = block_of({0, 4, 8, 12});
  block.bits = {0x13, 0x8013, 0x513, 0x10013};
  TriggerOptions trigger;
  set_tracerv_trigger(trigger, 3, "ffffffff00008013", "ffffffff00010013");
  trigger.edges = Edges::kNone;
  EXPECT_EQ(text_of(cut({block}, trigger, info)), "12:8");
  // Bits of the value that are not in the mask do not matter.
  EXPECT_EQ(text_of(cut({block}, {.from = "insn:fff08013/f0ff"}, info)),
            "11:4 12:8 13:c");
}

TEST(Trigger, KeepsItsStateFromBlockToBlockOfEachHart) {
  EXPECT_EQ(text_of(cut({block_of({1, 0xa}), block_of({2, 3}, 10, 1),
                         block_of({4, 0xb, 5}, 20), block_of({0xa, 6}, 20, 1)},
                        {.from = "pc:a", .until = "pc:b"})),
            "11:a 20:4 21:b 1/20:a 1/21:6");
}

TEST(Trigger, PassesOnRowsFromWhileItWasOff) {
  TraceBlock block = block_of({1, 2, 0xa, 3, 4, 5});
  block.contexts = {{.from = 0, .privilege = Privilege::kMachine},
                    {.from = 1, .privilege = Privilege::kUser},
                    {.from = 3, .privilege = Privilege::kSupervisor},
                    {.from = 5, .privilege = Privilege::kMachine}};
  block.traps = {{.at = 1}, {.at = 4, .cause = 8}};
  block.facts = {{.from = 0, .name = "init"},
                 {.from = 1,
                  .kind = SideBandFact::Kind::kMapping,
                  .start = 0x1000,
                  .name = "libc"},
                 {.from = 1, .name = "sh"},
                 {.from = 4, .name = "ls"}};
  const auto out = cut({block}, {.from = "pc:a", .until = "pc:4"});
  ASSERT_EQ(text_of(out), "12:a 13:3 14:4");
  ASSERT_EQ(out[0].contexts.size(), 2u);
  EXPECT_EQ(out[0].contexts[0].from, 0u);
  EXPECT_EQ(out[0].contexts[0].privilege, Privilege::kUser);
  EXPECT_EQ(out[0].contexts[1].from, 1u);
  ASSERT_EQ(out[0].traps.size(), 1u);
  EXPECT_EQ(out[0].traps[0].at, 2u);
  EXPECT_EQ(out[0].traps[0].cause, 8u);
  std::string facts;
  for (const SideBandFact& fact : out[0].facts)
    facts += fmt::format("{}:{} ", fact.from, fact.name);
  EXPECT_EQ(facts, "0:libc 0:sh 2:ls ");
}

TEST(Trigger, ForgetsTheMappingsOfAReplacedProgram) {
  using FactKind = SideBandFact::Kind;
  TraceBlock block = block_of({1, 0xa});
  block.facts = {
      {.from = 0, .kind = FactKind::kMapping, .satp = 5, .name = "sh"},
      {.from = 0, .kind = FactKind::kMapping, .satp = 6, .name = "init"},
      {.from = 0, .kind = FactKind::kUnmapAll, .satp = 5, .name = "exec"},
      {.from = 0, .kind = FactKind::kMapping, .satp = 5, .name = "ls"}};
  const auto out = cut({block}, {.from = "pc:a"});
  ASSERT_EQ(text_of(out), "11:a");
  std::string facts;
  for (const SideBandFact& fact : out[0].facts)
    facts += fmt::format("{}:{} ", fact.satp, fact.name);
  EXPECT_EQ(facts, "5:exec 5:ls 6:init ");
}

TEST(Trigger, FollowsOneAddressSpace) {
  TraceInfo info;
  info.has_satp = true;
  TraceBlock block = block_of({1, 2, 3, 4, 5});
  block.contexts = {{.from = 1, .has_satp = true, .satp = 0xa5},
                    {.from = 3, .has_satp = true, .satp = 0xb5},
                    {.from = 4, .has_satp = true, .satp = 0xa5}};
  EXPECT_EQ(text_of(cut({block}, {.space = "satp:a5"}, info)),
            "11:2 12:3 | 14:5");
  EXPECT_THAT([&] { cut({block}, {.space = "satp:a5"}); },
              ThrowsMessage<Error>(HasSubstr("has no satp")));
}

TEST(Trigger, FollowsOneProcess) {
  TraceBlock block = block_of({1, 2, 3, 4});
  block.facts = {{.from = 1, .pid = 7, .name = "sh"},
                 {.from = 3, .pid = 8, .name = "ls"}};
  EXPECT_EQ(text_of(cut({block}, {.space = "sh"})), "11:2 12:3");
  EXPECT_EQ(text_of(cut({block}, {.space = "pid:8"})), "13:4");
  EXPECT_THAT([&] { cut({block_of({1})}, {.space = "sh"}); },
              ThrowsMessage<Error>(HasSubstr("does not say which process")));
}

TEST(Trigger, NotesThatItWasNotMet) {
  const ReadTrace read = read_trace(
      tracerv_records({{.cycle = 1, .pc = 2}, {.cycle = 2, .pc = 4}}, kStock),
      "tracerv", {.trigger = {.from = "pc:1234"}});
  EXPECT_EQ(read.text(), "");
  EXPECT_THAT(describe(read.diagnostics),
              testing::ElementsAre(
                  "2 instructions are left out by the options given (all: "
                  "pc:1234 was not met)"));
}

TEST(Trigger, IsNotReportedAsUnmetIfSomethingElseLeftEverythingOut) {
  TraceBlock block = block_of({1, 2});
  block.facts.push_back({.kind = SideBandFact::Kind::kThread, .name = "sh"});
  const auto said = [&](const TriggerOptions& trigger) {
    TraceOptions options;
    options.trigger = trigger;
    const auto reader = cut_by_trigger(
        std::make_unique<FakeReader>(std::vector{block}), options);
    TraceBlock out;
    while (reader->next(out)) {
    }
    return describe(reader->diagnostics());
  };
  EXPECT_THAT(said({.from = "pc:1", .space = "nosuch"}),
              testing::ElementsAre(HasSubstr("(all: nosuch was not met)")));
  EXPECT_THAT(said({.from = "pc:9", .space = "nosuch"}),
              testing::ElementsAre(HasSubstr("(all: pc:9 was not met)")));
  EXPECT_THAT(said({.from = "pc:2", .edges = TriggerOptions::Edges::kNone}),
              testing::ElementsAre(testing::Not(HasSubstr("was not met"))));
  EXPECT_THAT(said({.from = "cycle:1", .until = "cycle:0"}),
              testing::ElementsAre(testing::Not(HasSubstr("was not met"))));
}

TEST(Trigger, IsParsedFromTextOrRefused) {
  EXPECT_EQ(
      parse_trace_point("insn:ffffffff00008013#3"),
      (TracePoint{.kind = Kind::kInstruction, .value = 0x8013, .hit = 3}));
  EXPECT_EQ(parse_trace_point("symbol:a::b#c"),
            (TracePoint{.kind = Kind::kSymbol, .symbol = "a::b#c"}));
  for (const char* text :
       {"", "pc:", "pc:xyz", "pc:1#0", "cycle:0x10", "cycle:3#2", "here:1",
        "symbol:", "insn:1/100000000", "insn:ffffffff00008013/ff"})
    EXPECT_THROW(parse_trace_point(text), UsageError) << text;
}

TEST(Trigger, ReadsTracervsNumbersInTheirBases) {
  const auto text = [](int selector, const char* start, const char* end) {
    TriggerOptions trigger;
    set_tracerv_trigger(trigger, selector, start, end);
    return trigger.from + " " + trigger.until;
  };
  EXPECT_EQ(text(0, "5", "6"), " ");
  EXPECT_EQ(text(1, "0", "-1"), " ");
  EXPECT_EQ(text(1, "1000", "0x20"), "base-cycle:1000 base-cycle:0");  // atol
  EXPECT_EQ(text(2, "1000", "0xffffffe000000010"),
            "pc:1000 pc:ffffffe000000010");
  EXPECT_EQ(text(3, "ffffffff00008013", "-1"),
            "insn:8013/ffffffff insn:ffffffff/ffffffff");
  EXPECT_THROW(text(4, "0", "0"), UsageError);
  EXPECT_THROW(text(2, "main", "0"), UsageError);
}

std::string written(const TestFolder& folder, const std::string& name,
                    const std::string& bytes) {
  std::string path = folder.path() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// `start` with a marker in its second instruction, and `stop`.
std::string program(std::uint16_t type) {
  ElfBuilder elf({.machine = EM_RISCV, .type = type});
  std::string text;
  for (const std::uint32_t bits : {0x13u, 0x8013u, 0x13u, 0x13u})
    elf.put<std::uint32_t>(text, bits);
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x10100,
                   .content = text});
  elf.add_symbol({.name = "_Z5startv", .value = 0x10100, .size = 8});
  elf.add_symbol({.name = "stop", .value = 0x10108, .size = 8});
  return elf.bytes();
}

TEST(Trigger, FindsFunctionsAndInstructionsInThePrograms) {
  const TestFolder folder;
  const std::string fixed = written(folder, "fixed", program(ET_EXEC));
  const std::string pie = written(folder, "pie", program(ET_DYN));
  const std::string trace = tracerv_records({{.cycle = 1, .pc = 0x10000},
                                             {.cycle = 2, .pc = 0x10100},
                                             {.cycle = 3, .pc = 0x10104},
                                             {.cycle = 4, .pc = 0x10108},
                                             {.cycle = 5, .pc = 0x1010c}},
                                            kStock);
  const auto with = [&](const std::string& elf, const TriggerOptions& trigger) {
    return read_trace(trace, "tracerv", {.elfs = {elf}, .trigger = trigger})
        .text();
  };
  EXPECT_EQ(with(fixed, {.from = "symbol:start", .until = "symbol:stop"}),
            "2:10100 3:10104 4:10108");
  EXPECT_EQ(with(fixed, {.from = "insn:8013"}), "3:10104 4:10108 5:1010c");
  EXPECT_THAT([&] { with(fixed, {.from = "symbol:nowhere"}); },
              ThrowsMessage<Error>(HasSubstr("has a function 'nowhere'")));
  EXPECT_THAT([&] { with(pie, {.from = "symbol:stop"}); },
              ThrowsMessage<Error>(HasSubstr("differs from run to run")));
  EXPECT_THAT([&] { with(pie, {.from = "insn:8013"}); },
              ThrowsMessage<Error>(HasSubstr("differs from run to run")));
}

TEST(Trigger, NotesFilesItCouldNotSearch) {
  const TestFolder folder;
  TraceOptions options;
  options.elfs = {written(folder, "fixed", program(ET_EXEC)),
                  written(folder, "pie", program(ET_DYN))};
  for (const char* point : {"insn:8013", "symbol:stop"}) {
    options.trigger.from = point;
    const auto reader =
        cut_by_trigger(std::make_unique<FakeReader>(
                           std::vector{block_of({0x10100, 0x10104, 0x10108})}),
                       options);
    TraceBlock block;
    while (reader->next(block)) continue;
    const auto& notes = reader->diagnostics().entries();
    ASSERT_FALSE(notes.empty());
    EXPECT_EQ(notes.back().problem, Problem::kUnplacedTrigger) << point;
    EXPECT_THAT(notes.back().example, HasSubstr("/pie"));
  }
}

// Yields its block and only then knows the width of pcs.
class WideningReader final : public TraceReader {
 public:
  explicit WideningReader(TraceBlock block) : block_(std::move(block)) {
    info_.pc_bits = 40;
  }
  bool next(TraceBlock& block) override {
    info_.pc_bits = 48;
    block.clear();
    std::swap(block, block_);
    return !block.instructions.empty();
  }

 private:
  TraceBlock block_;
};

TEST(Trigger, FindsFunctionsIfTheWidthOfPcsIsLearntLate) {
  const TestFolder folder;
  ElfBuilder elf({.machine = EM_RISCV, .type = ET_EXEC});
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0xffff8f0000200000,
                   .content = std::string(16, '\x13')});
  elf.add_symbol({.name = "deep", .value = 0xffff8f0000200004, .size = 8});
  const TraceOptions options{.elfs = {written(folder, "kernel", elf.bytes())},
                             .trigger = {.from = "symbol:deep"}};
  const auto reader =
      cut_by_trigger(std::make_unique<WideningReader>(
                         block_of({0x200004, 0x8f0000200000, 0x8f0000200004})),
                     options);
  TraceBlock block;
  ASSERT_TRUE(reader->next(block));
  EXPECT_EQ(text_of({block}), "12:8f0000200004");
}

TEST(Trigger, SearchesFilesThatTheTraceMaps) {
  const TestFolder folder;
  const std::string bytes = program(ET_DYN);
  const std::string pie = written(folder, "pie", bytes);
  TraceBlock block = block_of({0x5000, 0x7004, 0x7008, 0x700c});
  // The text begins somewhere in the file: a page before it is mapped.
  const std::uint64_t text = bytes.find(std::string("\x13\x80\0\0", 4)) - 4;
  block.facts = {{.from = 1,
                  .kind = SideBandFact::Kind::kMapping,
                  .start = 0x7000 - text,
                  .end = 0x8000,
                  .file_off = 0,
                  .name = "/usr/bin/pie"}};
  EXPECT_EQ(text_of(cut({block}, {.from = "symbol:stop"}, {}, pie)),
            "12:7008 13:700c");
  EXPECT_EQ(text_of(cut({block}, {.until = "insn:8013"}, {}, pie)),
            "10:5000 11:7004");
}

// What remains of each of these files when their harts start and stop together,
// one line each.
std::string cut_together(const std::vector<std::string>& paths,
                         const TriggerOptions& trigger) {
  TraceOptions options{.trigger = trigger};
  options.trigger.all_harts = true;
  options.trigger.windows = find_windows(paths, "tracerv", options);
  std::string text;
  for (const std::string& path : paths) {
    InputFile file = InputFile::open(path);
    const auto reader = open_trace(file, "tracerv", options);
    TraceBlock block;
    while (reader->next(block)) text += text_of({block}) + "\n";
  }
  return text;
}

TEST(Trigger, StartsAndStopsAllHartsOfAllFilesTogether) {
  const TestFolder folder;
  const auto header = [](const char* ratio) {
    return fmt::format(
        "# Clock Domain: c, Relative Frequency: {} of Base Clock\n", ratio);
  };
  const std::string first =
      written(folder, "TRACEFILE-C0",
              header("1/1") + tracerv_records({{.cycle = 10, .pc = 2},
                                               {.cycle = 20, .pc = 0xa},
                                               {.cycle = 20, .pc = 4},
                                               {.cycle = 40, .pc = 6}},
                                              kStock));
  const std::string second =
      written(folder, "TRACEFILE-C1",
              header("1/2") + tracerv_records({{.cycle = 9, .pc = 0x12},
                                               {.cycle = 10, .pc = 0x14},
                                               {.cycle = 15, .pc = 0xb0},
                                               {.cycle = 16, .pc = 0x16}},
                                              kStock));
  EXPECT_EQ(cut_together({first, second}, {.from = "pc:a", .until = "pc:b0"}),
            "20:a 20:4\n1/10:14 1/15:b0\n");
}

// Neither file name has a hart, so both are of hart 0.
TEST(Trigger, TellsHartsWithTheSameNumberApartByFile) {
  const TestFolder folder;
  const std::string first = written(folder, "first",
                                    tracerv_records({{.cycle = 10, .pc = 2},
                                                     {.cycle = 11, .pc = 0xa},
                                                     {.cycle = 13, .pc = 0xb0},
                                                     {.cycle = 14, .pc = 4}},
                                                    kStock));
  const std::string second =
      written(folder, "second",
              tracerv_records({{.cycle = 12, .pc = 0x12},
                               {.cycle = 13, .pc = 0x14},
                               {.cycle = 14, .pc = 0x16},
                               {.cycle = 15, .pc = 0x18}},
                              kStock));
  EXPECT_EQ(cut_together({first, second}, {.from = "pc:a", .until = "pc:b0"}),
            "11:a 13:b0\n12:12 13:14\n");
  EXPECT_EQ(cut_together({second, first}, {.from = "pc:a", .until = "pc:b0"}),
            "12:12 13:14\n11:a 13:b0\n");
}

}  // namespace
}  // namespace wick
