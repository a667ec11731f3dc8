// SPDX-License-Identifier: Apache-2.0
#include "itrace/trace_profile.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "builders/elf_builder.h"
#include "builders/inlined_program.h"
#include "builders/one_block.h"
#include "builders/traced_code.h"
#include "itrace/stacks/accounts.h"
#include "transform/select.h"

namespace wick {
namespace {

class TraceProfileTest : public testing::Test {
 protected:
  using Stacks = std::map<std::string, std::int64_t>;

  Profile read(std::string_view trace, const ReadOptions& options) {
    OneBlock reader(code_.trace(trace));
    CodeMap map({}, {});
    code_.add_to(map);
    Profile profile = read_trace(reader, map, options);
    EXPECT_EQ(check(profile), "");
    return profile;
  }
  static Stacks stacks(const Profile& profile, std::string_view event) {
    Stacks out;
    std::vector<FrameId> frames;
    for (const Sample& sample : profile.samples) {
      if (profile.strings[profile.events[sample.event].name] != event) continue;
      std::string name;
      profile.stacks.frames_of(sample.stack, frames);
      for (const FrameId frame : frames)
        name +=
            (name.empty() ? "" : ";") + std::string(profile.function(frame));
      out[name] += sample.weight;
    }
    return out;
  }

  TracedCode code_;
};

TEST_F(TraceProfileTest, HasCyclesCallsAndInstructions) {
  code_.function("main", "call nop");
  code_.function("work", "nop ret");
  const Profile profile =
      read("@100 main:0 @110 work:0-1 main:1", {.keep_time = false});
  EXPECT_EQ(stacks(profile, "cycles"),
            (Stacks{{"main", 2}, {"main;work", 11}}));
  EXPECT_EQ(stacks(profile, "calls"), (Stacks{{"main;work", 1}}));
  EXPECT_EQ(stacks(profile, "instructions"),
            (Stacks{{"main", 2}, {"main;work", 2}}));
}

TEST_F(TraceProfileTest, WithTimesEveryStackChangeIsASample) {
  code_.function("main", "call nop");
  code_.function("work", "nop ret");
  const Profile profile = read("@100 main:0 work:0-1 main:1", {});
  ASSERT_TRUE(profile.has_time);
  std::vector<std::uint64_t> times;
  for (const Sample& sample : profile.samples)
    if (sample.event == EventId{0}) times.push_back(sample.time);
  EXPECT_EQ(times, (std::vector<std::uint64_t>{100, 101, 103}));
  EXPECT_EQ(total_weight(profile, EventId{0}), 4);
}

// Instructions of four bytes at 0x20000.
std::shared_ptr<const ElfFile> program_of(
    std::initializer_list<std::uint32_t> words,
    std::initializer_list<ElfBuilder::SymbolSpec> symbols) {
  ElfBuilder elf({.machine = EM_RISCV, .type = ET_EXEC});
  std::string text;
  for (const std::uint32_t word : words) elf.put(text, word);
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x20000,
                   .content = text});
  for (const ElfBuilder::SymbolSpec& symbol : symbols) elf.add_symbol(symbol);
  return elf.file();
}

// As in a file from another build.
TEST_F(TraceProfileTest, AFunctionMayBeginInTheMiddleOfAnInstruction) {
  constexpr std::uint32_t kNop = 0x13;
  CodeMap map({}, {});
  map.add_elf(program_of({kNop, kNop, kNop, kNop},
                         {{.name = "one", .value = 0x20000, .size = 6},
                          {.name = "two", .value = 0x20006, .size = 10}}),
              "program");
  TraceBlock block;
  for (std::uint64_t i = 0; i < 4; ++i)
    block.instructions.push_back({100 + i, 0x20000 + 4 * i});
  OneBlock reader(std::move(block));
  const Profile profile = read_trace(reader, map, {.keep_time = false});
  EXPECT_EQ(stacks(profile, "cycles"), (Stacks{{"one", 2}, {"two", 2}}));
}

// "cycle+weight" of the slices of a trace.
std::string stretches(const Profile& profile) {
  std::string out;
  for (const Sample& sample : profile.samples)
    if (sample.event == EventId{0})
      out += fmt::format("{}{}+{}", out.empty() ? "" : " ", sample.time,
                         sample.weight);
  return out;
}

TEST_F(TraceProfileTest, ASliceBeginsWithItsWait) {
  code_.function("main", "call nop");
  code_.function("work", "nop ret");
  const char* const trace = "@100 main:0 @200 work:0-1 main:1";
  EXPECT_EQ(stretches(read(trace, {})), "100+1 101+101 202+1");
  EXPECT_EQ(
      stretches(
          read(trace, {.trace = {.attribution = Attribution::kLastCommitted}})),
      "100+100 200+2 202+1");
}

TEST_F(TraceProfileTest, OutsideTheWantedTimeOnlyTheFirstSliceIsKept) {
  code_.function("main", "call nop");
  code_.function("work", "nop ret");
  const Profile profile =
      read("@1000 main:0 @5000000000 work:0-1 @9000000000 main:1",
           {.wanted_time = TimeRange{.from = 6, .to = 7}});
  EXPECT_EQ(stacks(profile, "cycles"), (Stacks{{"main", 4000000000}}));
  EXPECT_EQ(profile.diagnostics.count(Problem::kCutCycles), 4999999001);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kCutCycles), 4999999001);
}

TEST_F(TraceProfileTest, WhatIsNotSelectedIsCountedInCycles) {
  code_.function("main", "call nop");
  code_.function("work", "nop ret");
  const Profile profile =
      select(read("@100 main:0 @110 work:0-1 main:1", {.keep_time = false}),
             {.event = "cycles", .focus = {"work"}});
  EXPECT_EQ(profile.diagnostics.count(Problem::kCutCycles), 2);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kCutCycles), 2);
  EXPECT_EQ(profile.diagnostics.count(Problem::kNotSelected), 0);
}

// Each instruction of inlined_program() once, and the first one again.
class InlinedCalls : public TraceProfileTest {
 protected:
  Profile read_inlined(const ReadOptions& options) {
    TraceBlock block;
    for (std::uint64_t i = 0; i < 5; ++i)
      block.instructions.push_back({100 + i, 0x10000 + 4 * i});
    block.instructions.push_back({110, 0x10000});
    OneBlock reader(std::move(block));
    CodeMap map({}, {});
    map.add_elf(inlined_program(), "program");
    Profile profile = read_trace(reader, map, options);
    EXPECT_EQ(check(profile), "");
    return profile;
  }
  // "main:7;mid:11" and its weight.
  static Stacks lines(const Profile& profile) {
    Stacks out;
    std::vector<FrameId> frames;
    for (const Sample& sample : profile.samples) {
      if (sample.event != EventId{0}) continue;
      std::string name;
      profile.stacks.frames_of(sample.stack, frames);
      for (const FrameId frame : frames)
        name += (name.empty() ? "" : ";") +
                std::string(profile.function(frame)) + ":" +
                std::to_string(profile.frames[frame].line);
      out[name] += sample.weight;
    }
    return out;
  }
};

TEST_F(InlinedCalls, AreOnTopOfTheirFunction) {
  const Profile profile = read_inlined({.keep_time = false});
  EXPECT_EQ(stacks(profile, "cycles"),
            (Stacks{{"main", 8}, {"main;mid", 2}, {"main;mid;leaf", 1}}));
}

TEST_F(InlinedCalls, AreLeftOutOnRequest) {
  ReadOptions options{.keep_time = false};
  options.symbols.inlines = false;
  EXPECT_EQ(stacks(read_inlined(options), "cycles"), (Stacks{{"main", 11}}));
}

TEST_F(InlinedCalls, AndLinesAreSummedIfLinesMatterMoreThanTimes) {
  ReadOptions options;
  options.trace.lines_before_times = true;
  const Profile profile = read_inlined(options);
  EXPECT_FALSE(profile.has_time);
  EXPECT_EQ(lines(profile), (Stacks{{"main:5", 7},
                                    {"main:7;mid:11", 1},
                                    {"main:7;mid:12;leaf:20", 1},
                                    {"main:7;mid:13", 1},
                                    {"main:8", 1}}));
}

TEST_F(InlinedCalls, AndLinesAreKeptApartInTime) {
  const Profile profile = read_inlined({});
  EXPECT_TRUE(profile.has_time);
  EXPECT_EQ(lines(profile), (Stacks{{"main:5", 7},
                                    {"main:7;mid:11", 1},
                                    {"main:7;mid:12;leaf:20", 1},
                                    {"main:7;mid:13", 1},
                                    {"main:8", 1}}));
}

// A function that calls itself without end, and then one with inlined calls.
TEST_F(InlinedCalls, BeyondTheMaximumDepthCountForTheCaller) {
  constexpr std::uint32_t kCall = 0xef;  // jal ra, .
  constexpr std::uint64_t kDepth = Accounts::kMaxDepth + 10;
  CodeMap map({}, {});
  map.add_elf(inlined_program(), "inlined");
  map.add_elf(
      program_of({kCall}, {{.name = "again", .value = 0x20000, .size = 4}}),
      "program");
  TraceBlock block;
  for (std::uint64_t i = 0; i < kDepth; ++i)
    block.instructions.push_back({100 + i, 0x20000});
  for (std::uint64_t i = 0; i < 5; ++i)
    block.instructions.push_back({100 + kDepth + i, 0x10000 + 4 * i});
  OneBlock reader(std::move(block));
  const Profile profile = read_trace(reader, map, {.keep_time = false});
  EXPECT_EQ(check(profile), "");
  EXPECT_EQ(total_weight(profile, EventId{0}), kDepth + 5);
  EXPECT_EQ(profile.diagnostics.count(Problem::kDeepStack), 11);
}

TEST_F(TraceProfileTest, UnknownCodeIsNamedByItsPrivilege) {
  TraceBlock block;
  for (std::uint64_t i = 0; i < 3; ++i)
    block.instructions.push_back({.cycle = i, .pc = 0x1000 + 0x10000 * i});
  block.contexts = {{.from = 0, .privilege = Privilege::kMachine},
                    {.from = 1, .privilege = Privilege::kSupervisor},
                    {.from = 2, .privilege = Privilege::kUser}};
  OneBlock reader(block);
  CodeMap map({}, {.has_privilege = true});
  const Profile profile = read_trace(reader, map, {.keep_time = false});
  EXPECT_EQ(stacks(profile, "instructions"),
            (Stacks{{"[unknown machine code]", 1},
                    {"[unknown kernel code]", 1},
                    {"[unknown user code]", 1}}));
}

TEST_F(TraceProfileTest, AnEmptyTraceIsAnEmptyProfile) {
  EXPECT_TRUE(read("", {}).samples.empty());
}

// --- FirePerf's rule, with its errors

class FirePerfTest : public TraceProfileTest {
 protected:
  Stacks theirs(std::string_view trace) {
    ReadOptions options;
    options.trace.attribution = Attribution::kFirePerf;
    return stacks(read(trace, options), "cycles");
  }
  Stacks ours(std::string_view trace) {
    return stacks(read(trace, {.keep_time = false}), "cycles");
  }
};

TEST_F(FirePerfTest, ACalleeGetsOnlyTheTimeBetweenItsInstructions) {
  code_.function("k_a", "call nop");
  code_.function("k_b", "ret");
  code_.function("main", "nop");
  const char* const trace = "@0 k_a:0 @51 k_b:0 @82 k_a:1 main:0";
  EXPECT_EQ(theirs(trace), (Stacks{{"k_a", 82}}));
  EXPECT_EQ(ours(trace), (Stacks{{"k_a", 32}, {"k_a;k_b", 51}, {"main", 1}}));
}

TEST_F(FirePerfTest, RecursionIsOneFrame) {
  code_.function("k_a", "nop call ret");
  code_.function("main", "nop");
  const char* const trace = "k_a:0-1 k_a:0-1 k_a:0-2 k_a:2 main:0";
  EXPECT_EQ(theirs(trace), (Stacks{{"k_a", 7}}));
  EXPECT_EQ(
      ours(trace),
      (Stacks{{"k_a", 2}, {"k_a;k_a", 3}, {"k_a;k_a;k_a", 3}, {"main", 1}}));
}

TEST_F(FirePerfTest, MutualRecursionIsTwoFrames) {
  code_.function("k_a", "call ret");
  code_.function("k_b", "call ret");
  code_.function("main", "nop");
  const char* const trace =
      "k_a:0 k_b:0 k_a:0 k_b:0-1 k_a:1 k_b:1 k_a:1 main:0";
  // Each return is taken for one to the outermost of that name.
  EXPECT_EQ(theirs(trace).count("k_a;k_b;k_a;k_b"), 1);
  EXPECT_EQ(ours(trace), (Stacks{{"k_a", 2},
                                 {"k_a;k_b", 2},
                                 {"k_a;k_b;k_a", 2},
                                 {"k_a;k_b;k_a;k_b", 2},
                                 {"main", 1}}));
}

TEST_F(FirePerfTest, FunctionsWithTheSameNameAreOne) {
  code_.function("k_a", "call nop");
  code_.function("k_probe", "nop call ret");
  code_.function("k_probe#2", "nop nop ret");
  code_.function("main", "nop");
  const char* const trace =
      "k_a:0 k_probe:0-1 k_probe#2:0-2 k_probe:2 k_a:1 main:0";
  EXPECT_EQ(theirs(trace), (Stacks{{"k_a", 2}, {"k_a;k_probe", 5}}));
  EXPECT_EQ(ours(trace), (Stacks{{"k_a", 2},
                                 {"k_a;k_probe", 3},
                                 {"k_a;k_probe;k_probe", 3},
                                 {"main", 1}}));
}

TEST_F(FirePerfTest, AssemblyLabelsReplaceEachOther) {
  code_.function("k_a", "call nop");
  code_.function("k_copy:", "nop call nop ret");
  code_.function("k_fixup:", "nop ret");
  code_.function("main", "nop");
  const char* const trace =
      "k_a:0 k_copy::0-1 k_fixup::0-1 k_copy::2-3 k_a:1 main:0";
  EXPECT_EQ(theirs(trace).count("k_a;k_copy;k_fixup"), 0);
  EXPECT_EQ(ours(trace), (Stacks{{"k_a", 2},
                                 {"k_a;k_copy", 4},
                                 {"k_a;k_copy;k_fixup", 2},
                                 {"main", 1}}));
}

TEST_F(FirePerfTest, AFunctionThatRunsIntoALabelCallsIt) {
  code_.function("k_a", "call nop");
  code_.function("k_b", "nop nop");
  code_.function("k_loop:", "nop ret");
  code_.function("main", "nop");
  const char* const trace = "k_a:0 k_b:0-1 k_loop::0-1 k_a:1 main:0";
  EXPECT_EQ(theirs(trace),
            (Stacks{{"k_a", 1}, {"k_a;k_b", 3}, {"k_a;k_b;k_loop", 1}}));
}

TEST_F(FirePerfTest, ALabelWithTheNameOfAFunctionIsStillALabel) {
  code_.function("k_a", "call nop");
  code_.function("k_copy", "ret");
  code_.function("k_copy:", "nop nop");
  code_.function("k_fixup:", "nop ret");
  code_.function("main", "nop");
  const char* const trace = "k_a:0 k_copy::0-1 k_fixup::0-1 k_a:1 main:0";
  EXPECT_EQ(theirs(trace),
            (Stacks{{"k_a", 3}, {"k_a;k_copy", 1}, {"k_a;k_fixup", 1}}));
}

TEST_F(FirePerfTest, NamesEndAtTheirFirstComma) {
  code_.function("k_a", "call nop");
  code_.function("k_sum<int,int>", "nop call nop ret");
  code_.function("k_sum<int,char>", "nop ret");
  code_.function("main", "nop");
  const char* const trace =
      "k_a:0 k_sum<int,int>:0-1 k_sum<int,char>:0-1 k_sum<int,int>:2-3 k_a:1 "
      "main:0";
  EXPECT_EQ(theirs(trace), (Stacks{{"k_a", 2},
                                   {"k_a;k_sum<int", 4},
                                   {"k_a;k_sum<int;k_sum<int", 1}}));
}

TEST_F(FirePerfTest, OnlyFortyBitsOfAPcCount) {
  code_.function("k_a", "nop nop");
  code_.function("main", "nop");
  TraceBlock block = code_.trace("k_a:0-1 main:0");
  for (Retired& instruction : block.instructions)
    instruction.pc = (instruction.pc & 0xffffffffff) | 0x7f0000000000;
  OneBlock reader(block);
  CodeMap map({}, {});
  code_.add_to(map);
  ReadOptions options;
  options.trace.attribution = Attribution::kFirePerf;
  EXPECT_EQ(stacks(read_trace(reader, map, options), "cycles"),
            (Stacks{{"k_a", 1}}));
}

TEST_F(FirePerfTest, CodeAfterAFunctionCountsForIt) {
  code_.function("k_a", "nop call nop");
  code_.function("k_a#0", "nop nop ret");
  code_.function("main", "nop");
  const char* const trace = "k_a:0-1 k_a#0:0-2 k_a:2 main:0";
  EXPECT_EQ(theirs(trace), (Stacks{{"k_a", 5}}));
  EXPECT_EQ(ours(trace), (Stacks{{"k_a", 3}, {"k_a;", 3}, {"main", 1}}));
}

TEST_F(FirePerfTest, AModuleIsMistakenForAProgram) {
  code_.function("k_a", "call nop");
  code_.function("main", "nop");
  TraceBlock block = code_.trace("k_a:0 @103 k_a:1 main:0");
  const std::uint64_t module = 0xffffffff02000000;
  block.instructions.insert(block.instructions.begin() + 1,
                            {{101, module}, {102, module + 4}});
  ElfBuilder elf({.machine = EM_RISCV, .type = ET_DYN});
  std::string text;
  elf.put<std::uint32_t>(text, 0x00000013);  // nop
  elf.put<std::uint32_t>(text, 0x00008067);  // ret
  elf.add_section(
      {.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .content = text});
  elf.add_symbol({.name = "net_send", .value = 0, .size = 8});
  const auto read_with_module = [&](Attribution attribution) {
    OneBlock reader(block);
    CodeMap map({}, {});
    code_.add_to(map);
    map.add_elf(elf.file(), "net.ko", module);
    ReadOptions options{.keep_time = false};
    options.trace.attribution = attribution;
    return stacks(read_trace(reader, map, options), "cycles");
  };
  EXPECT_EQ(read_with_module(Attribution::kFirePerf),
            (Stacks{{"USERSPACE_ALL", 1}}));
  EXPECT_EQ(read_with_module(Attribution::kNextCommitting),
            (Stacks{{"k_a", 2}, {"k_a;net_send", 2}, {"main", 1}}));
}

TEST_F(FirePerfTest, TheKernelIsReadEvenIfAModuleComesFirst) {
  code_.function("k_a", "nop nop");
  code_.function("main", "nop");
  ElfBuilder module({.machine = EM_RISCV, .type = ET_DYN});
  module.add_section({.name = ".text",
                      .flags = SHF_ALLOC | SHF_EXECINSTR,
                      .content = std::string(8, '\0')});
  module.add_symbol({.name = "net_send", .value = 0, .size = 8});
  CodeMap map({}, {});
  map.add_elf(module.file(), "net.ko", 0xffffffff02000000);
  code_.add_to(map);
  OneBlock reader(code_.trace("k_a:0-1 main:0"));
  ReadOptions options;
  options.trace.attribution = Attribution::kFirePerf;
  EXPECT_EQ(stacks(read_trace(reader, map, options), "cycles"),
            (Stacks{{"k_a", 1}}));
}

TEST_F(FirePerfTest, AJumpIntoAFunctionLosesTheStack) {
  code_.function("k_a", "call nop");
  code_.function("k_b", "nop j");
  code_.function("k_b.cold", "nop nop ret");
  code_.function("main", "nop");
  const char* const trace = "k_a:0 k_b:0-1 k_b.cold:1-2 k_a:1 main:0";
  EXPECT_EQ(theirs(trace).count("k_a;k_b.cold"), 0);
  EXPECT_EQ(
      ours(trace),
      (Stacks{{"k_a", 2}, {"k_a;k_b", 2}, {"k_a;k_b.cold", 2}, {"main", 1}}));
}

TEST_F(FirePerfTest, ATailCallKeepsItsCallerOnTheStack) {
  code_.function("k_a", "call nop");
  code_.function("k_b", "nop j");
  code_.function("k_c", "nop ret");
  const char* const trace = "k_a:0 k_b:0-1 k_c:0-1 k_a:1";
  EXPECT_EQ(theirs(trace).count("k_a;k_b;k_c"), 1);
  EXPECT_EQ(ours(trace), (Stacks{{"k_a", 2}, {"k_a;k_b", 2}, {"k_a;k_c", 2}}));
}

TEST_F(FirePerfTest, TheSbiIsMistakenForAProgramAndTheStackIsLost) {
  code_.function("k_a", "nop call nop");
  code_.function("k_b", "ecall nop ret");
  code_.function("m_sbi", "nop mret");
  const char* const trace = "k_a:0-1 k_b:0 m_sbi:0-1 k_b:1-2 k_a:2 m_sbi:0";
  const Stacks found = theirs(trace);
  EXPECT_EQ(found.count("USERSPACE_ALL"), 1);
  EXPECT_EQ(found.count("k_b"), 1);
  EXPECT_EQ(
      ours(trace),
      (Stacks{
          {"k_a", 3}, {"k_a;k_b", 3}, {"k_a;k_b;m_sbi", 2}, {"k_a;m_sbi", 1}}));
}

TEST_F(FirePerfTest, TheEndOfATraceIsLost) {
  code_.function("k_a", "call nop");
  code_.function("k_b", "nop nop");
  const char* const trace = "@0 k_a:0 @10 k_b:0 @1010 k_b:1";
  EXPECT_EQ(theirs(trace), (Stacks{{"k_a", 10}}));
  EXPECT_EQ(ours(trace), (Stacks{{"k_a", 1}, {"k_a;k_b", 1010}}));
  ReadOptions options;
  options.trace.attribution = Attribution::kFirePerf;
  EXPECT_EQ(read(trace, options).diagnostics.entries(),
            (std::vector<Diagnostics::Entry>{
                {Problem::kNobodysCycles, 1000, 1000, "", 0}}));
}

TEST_F(FirePerfTest, ASystemCallHasNoCaller) {
  code_.function("main", "nop ecall nop");
  code_.function("handle_exception", "nop call sret");
  code_.function("k_write", "nop ret");
  const char* const trace =
      "main:0-1 handle_exception:0-1 k_write:0-1 handle_exception:2 main:2";
  EXPECT_EQ(theirs(trace), (Stacks{{"USERSPACE_ALL", 1},
                                   {"handle_exception", 3},
                                   {"handle_exception;k_write", 1}}));
  EXPECT_EQ(ours(trace), (Stacks{{"main", 3},
                                 {"main;handle_exception", 3},
                                 {"main;handle_exception;k_write", 2}}));
}

TEST_F(FirePerfTest, AResumedThreadHasNoCallers) {
  code_.function("main", "ecall nop");
  code_.function("handle_exception", "nop call sret");
  code_.function("k_schedule", "nop call nop ret");
  code_.function("__switch_to", "nop ret");
  code_.function("k_worker", "nop call nop");
  code_.function("ret_from_fork", "jalr");
  const char* const trace =
      "main:0 handle_exception:0-1 k_schedule:0-1 __switch_to:0-1 "
      "ret_from_fork:0 k_worker:0-1 k_schedule:0-1 __switch_to:0-1 "
      "k_schedule:2-3 handle_exception:2 main:1";
  EXPECT_EQ(theirs(trace).count("handle_exception"), 1);
  EXPECT_EQ(theirs(trace).count("ret_from_fork;k_worker"), 0);
  const Stacks right = ours(trace);
  EXPECT_EQ(right.at("main;handle_exception;k_schedule"), 4);
  EXPECT_EQ(right.at("ret_from_fork;k_worker;k_schedule"), 2);
}

}  // namespace
}  // namespace wick
