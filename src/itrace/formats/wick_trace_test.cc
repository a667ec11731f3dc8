// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/wick_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "base/error.h"
#include "builders/one_block.h"
#include "itrace/formats/wick_trace_writer.h"

namespace wick {
namespace {

using namespace wick_trace;
using namespace std::string_view_literals;

// nop; c.nop; ret
constexpr std::string_view kCode = "\x13\0\0\0\x01\0\x82\x80"sv;
constexpr std::string_view kLoop = "\x13\0\0\0\xf5\xbf"sv;  // nop; c.j .-4

struct Read {
  TraceInfo info;
  Diagnostics diagnostics;
  std::vector<std::uint32_t> harts;  // of each instruction
  TraceBlock all;                    // of all harts, one after the other
  bool cycles_rise = true;           // in each block
};

Read read(std::string bytes, const TraceOptions& options = {}) {
  InputFile file = InputFile::from_memory("t", std::move(bytes));
  const auto reader = wick_trace_format.open(file, options);
  Read result;
  TraceBlock block;
  while (reader->next(block)) {
    TraceBlock& all = result.all;
    const auto before = static_cast<std::uint32_t>(all.instructions.size());
    EXPECT_LE(block.instructions.size(), TraceReader::kBlockSize);
    EXPECT_GT(block.instructions.size(), 0u);
    for (const auto& row : block.facts)
      EXPECT_LT(row.from, block.instructions.size());
    for (const auto& row : block.contexts)
      EXPECT_LT(row.from, block.instructions.size());
    const bool rise =
        std::ranges::adjacent_find(block.instructions, std::greater_equal(),
                                   &Retired::cycle) == block.instructions.end();
    EXPECT_TRUE(rise || !block.cycles_rise);
    result.cycles_rise &= block.cycles_rise;
    result.harts.resize(before + block.instructions.size(), block.hart);
    all.instructions.insert(all.instructions.end(), block.instructions.begin(),
                            block.instructions.end());
    all.bits.insert(all.bits.end(), block.bits.begin(), block.bits.end());
    for (auto row : block.contexts) {
      row.from += before;
      all.contexts.push_back(row);
    }
    for (auto row : block.traps) {
      row.at += before;
      all.traps.push_back(row);
    }
    for (auto row : block.facts) {
      row.from += before;
      all.facts.push_back(row);
    }
  }
  result.info = reader->info();
  result.diagnostics = reader->diagnostics();
  return result;
}

std::vector<std::uint64_t> pcs(const Read& read) {
  std::vector<std::uint64_t> result;
  for (const Retired& row : read.all.instructions) result.push_back(row.pc);
  return result;
}

std::string written(
    const std::function<void(WickTraceWriter&, WickTraceHart&)>& fill,
    const WickTraceHeader& header = {}) {
  std::string bytes;
  WickTraceWriter writer([&](std::string_view piece) { bytes += piece; },
                         header);
  WickTraceHart hart(writer, 0);
  fill(writer, hart);
  hart.end_chunk();
  writer.flush();
  return bytes;
}

TEST(WickTrace, KeepsEveryInstructionOfTheBlocks) {
  const Read got = read(written([](auto& writer, auto& hart) {
    hart.block(writer.define(0x1000, kCode), 3);
    hart.block(writer.define(0x2000, kLoop), 2);
    hart.block(writer.define(0x1000, kCode), 3);
  }));
  EXPECT_EQ(pcs(got),
            (std::vector<std::uint64_t>{0x1000, 0x1004, 0x1006, 0x2000, 0x2004,
                                        0x1000, 0x1004, 0x1006}));
  EXPECT_EQ(got.all.bits, (std::vector<std::uint32_t>{
                              0x13, 1, 0x8082, 0x13, 0xbff5, 0x13, 1, 0x8082}));
  EXPECT_EQ(got.all.instructions.back().cycle, 7u);
  EXPECT_TRUE(got.cycles_rise);
  EXPECT_EQ(got.info.unit, "instructions");
  EXPECT_TRUE(got.diagnostics.empty());
}

TEST(WickTrace, DefinesTheSameCodeOnce) {
  std::string bytes;
  WickTraceWriter writer([&](std::string_view piece) { bytes += piece; }, {});
  EXPECT_EQ(writer.define(0x1000, kCode), 0u);
  EXPECT_EQ(writer.define(0x2000, kCode), 1u);
  EXPECT_EQ(writer.define(0x1000, kLoop), 2u);
  EXPECT_EQ(writer.define(0x1000, kCode), 0u);
}

TEST(WickTrace, ALoopOfAMillionTakesLessThanABytePerThousand) {
  const std::string bytes = written([](auto& writer, auto& hart) {
    const auto loop = writer.define(0x2000, kLoop);
    for (int i = 0; i < 500'000; ++i) hart.block(loop, 2);
  });
  EXPECT_LT(bytes.size(), 1000u);
  const Read got = read(bytes);
  ASSERT_EQ(got.all.instructions.size(), 1'000'000u);
  EXPECT_EQ(got.all.instructions[999'999].pc, 0x2004u);
  EXPECT_EQ(got.all.instructions[999'999].cycle, 999'999u);
}

TEST(WickTrace, ABlockLeftEarlyHasOnlyItsFirstInstructions) {
  const Read got = read(written([](auto& writer, auto& hart) {
    const auto code = writer.define(0x1000, kCode);
    hart.block(code, 3);
    hart.trap(false, 13);
    hart.block_left_early(code, 2);
    hart.block(writer.define(0x2000, kLoop), 2);
  }));
  EXPECT_EQ(pcs(got),
            (std::vector<std::uint64_t>{0x1000, 0x1004, 0x1006, 0x1000, 0x1004,
                                        0x2000, 0x2004}));
  ASSERT_EQ(got.all.traps.size(), 1u);
  EXPECT_EQ(got.all.traps[0].at, 4u);
  EXPECT_EQ(got.all.traps[0].cause, 13u);
}

// Another hart may continue after a trap and before its handler.
TEST(WickTrace, ATrapBetweenInstructionsPrecedesTheNextOfItsHart) {
  const Read got = read(written([](auto& writer, auto& hart) {
    WickTraceHart other(writer, 1, 0);
    const auto code = writer.define(0x1000, kCode);
    hart.block(code, 3);
    hart.trap_between(true, 5);
    hart.end_chunk();
    other.block(code, 3);
    other.end_chunk();
    hart.block(writer.define(0x2000, kLoop), 2);
  }));
  ASSERT_EQ(got.all.traps.size(), 1u);
  EXPECT_EQ(got.all.traps[0].at, 6u);
  EXPECT_TRUE(got.all.traps[0].is_before);
  EXPECT_TRUE(got.all.traps[0].interrupt);
  EXPECT_EQ(got.all.traps[0].cause, 5u);
  EXPECT_EQ(pcs(got)[6], 0x2000u);
}

TEST(WickTrace, ContextsAndFactsPrecedeTheirInstructions) {
  WickTraceHeader header;
  header.flags |= kHasPrivilege | kHasSatp;
  const Read got = read(written(
      [](auto& writer, auto& hart) {
        const auto loop = writer.define(0x2000, kLoop);
        hart.context({.privilege = Privilege::kSupervisor,
                      .has_satp = true,
                      .has_thread_pointer = true,
                      .satp = 0xa000500000090271,
                      .thread_pointer = 0xffffffd800000000});
        hart.block(loop, 2);
        SideBandFact fact;
        fact.satp = 7;
        fact.pid = 41;
        fact.tid = 42;
        fact.name = "worker";
        hart.fact(fact);
        fact.kind = SideBandFact::Kind::kMapping;
        fact.start = 0x10000;
        fact.end = 0x20000;
        fact.file_off = 0x1000;
        fact.name = "/bin/busybox";
        hart.fact(fact);
        fact.kind = SideBandFact::Kind::kUnmapAll;
        hart.fact(fact);
        hart.context({.privilege = Privilege::kUser});
        hart.block(loop, 2);
      },
      header));
  EXPECT_TRUE(got.info.has_satp);
  ASSERT_EQ(got.all.contexts.size(), 2u);
  EXPECT_EQ(got.all.contexts[0].from, 0u);
  EXPECT_EQ(got.all.contexts[0].privilege, Privilege::kSupervisor);
  EXPECT_EQ(got.all.contexts[0].satp, 0xa000500000090271u);
  EXPECT_EQ(got.all.contexts[0].thread_pointer, 0xffffffd800000000u);
  EXPECT_EQ(got.all.contexts[1].from, 2u);
  EXPECT_EQ(got.all.contexts[1].privilege, Privilege::kUser);
  EXPECT_FALSE(got.all.contexts[1].has_satp);
  ASSERT_EQ(got.all.facts.size(), 3u);
  EXPECT_EQ(got.all.facts[0].from, 2u);
  EXPECT_EQ(got.all.facts[0].tid, 42);
  EXPECT_EQ(got.all.facts[0].name, "worker");
  EXPECT_EQ(got.all.facts[1].kind, SideBandFact::Kind::kMapping);
  EXPECT_EQ(got.all.facts[1].end, 0x20000u);
  EXPECT_EQ(got.all.facts[1].file_off, 0x1000u);
  EXPECT_EQ(got.all.facts[1].name, "/bin/busybox");
  EXPECT_EQ(got.all.facts[2].kind, SideBandFact::Kind::kUnmapAll);
}

TEST(WickTrace, ABlockBeginsAfterAGap) {
  const std::string bytes = written([](auto& writer, auto& hart) {
    const auto code = writer.define(0x1000, kCode);
    hart.block(code, 3);
    hart.gap();
    hart.block(code, 3);
    hart.block(code, 3);
  });
  InputFile file = InputFile::from_memory("t", bytes);
  const auto reader = wick_trace_format.open(file, {});
  TraceBlock block;
  block.after_gap = true;  // of whatever was read into it before
  ASSERT_TRUE(reader->next(block));
  EXPECT_EQ(block.instructions.size(), 3u);
  EXPECT_FALSE(block.after_gap);
  ASSERT_TRUE(reader->next(block));
  EXPECT_EQ(block.instructions.size(), 6u);
  EXPECT_TRUE(block.after_gap);
  // And it is written again.
  std::string copy;
  InputFile again = InputFile::from_memory("t", bytes);
  write_wick_trace(*wick_trace_format.open(again, {}),
                   [&](std::string_view piece) { copy += piece; });
  InputFile copied = InputFile::from_memory("t", copy);
  const auto second = wick_trace_format.open(copied, {});
  ASSERT_TRUE(second->next(block) && second->next(block));
  EXPECT_TRUE(block.after_gap);
}

TEST(WickTrace, EveryChunkRepeatsTheContext) {
  const Read got = read(written([](auto& writer, auto& hart) {
    hart.context({.privilege = Privilege::kUser});
    const auto loop = writer.define(0x2000, kLoop);
    for (int i = 0; i < 100'000; ++i) hart.block(loop, 2);
  }));
  ASSERT_GT(got.all.contexts.size(), 2u);
  for (const ContextChange& row : got.all.contexts)
    EXPECT_EQ(row.privilege, Privilege::kUser);
}

TEST(WickTrace, HartsStayApartAndOneCanBeChosen) {
  const std::string bytes = written([](auto& writer, auto& hart) {
    WickTraceHart other(writer, 1, 500);
    hart.block(writer.define(0x1000, kCode), 3);
    other.block(writer.define(0x2000, kLoop), 2);
    hart.end_chunk();
    other.end_chunk();
    hart.block(writer.define(0x1000, kCode), 3);
  });
  EXPECT_EQ(read(bytes).harts,
            (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 0, 0, 0}));
  TraceOptions options;
  options.hart = 1;
  const Read got = read(bytes, options);
  EXPECT_EQ(pcs(got), (std::vector<std::uint64_t>{0x2000, 0x2004}));
  EXPECT_EQ(got.all.instructions[0].cycle, 500u);
}

TEST(WickTrace, RowsOfAHartWaitForItsNextInstruction) {
  const Read got = read(written([](auto& writer, auto& hart) {
    WickTraceHart other(writer, 1);
    hart.block(writer.define(0x1000, kCode), 3);
    SideBandFact fact;
    fact.name = "zero";
    hart.fact(fact);
    hart.end_chunk();
    fact.name = "one";
    other.fact(fact);
    other.end_chunk();
    hart.block(writer.define(0x1000, kCode), 3);
    hart.end_chunk();
    other.block(writer.define(0x2000, kLoop), 2);
    other.end_chunk();
  }));
  ASSERT_EQ(got.all.facts.size(), 2u);
  EXPECT_EQ(got.all.facts[0].name, "zero");
  EXPECT_EQ(got.all.facts[0].from, 3u);
  EXPECT_EQ(got.all.facts[1].name, "one");
  EXPECT_EQ(got.harts[got.all.facts[1].from], 1u);
}

TEST(WickTrace, AGapBeginsABlock) {
  std::string bytes = written([](auto& writer, auto& hart) {
    const auto code = writer.define(0x1000, kCode);
    hart.block(code, 3);
    hart.gap();
    hart.block(code, 3);
  });
  InputFile file = InputFile::from_memory("t", bytes);
  const auto reader = wick_trace_format.open(file, {});
  TraceBlock block;
  ASSERT_TRUE(reader->next(block));
  EXPECT_FALSE(block.after_gap);
  EXPECT_EQ(block.instructions.size(), 3u);
  ASSERT_TRUE(reader->next(block));
  EXPECT_TRUE(block.after_gap);
  EXPECT_EQ(block.instructions.size(), 3u);
  EXPECT_FALSE(reader->next(block));
}

// A file of several chunks with everything in it.
std::string rich_file() {
  return written([](auto& writer, auto& hart) {
    std::uint32_t seed = 1;
    SideBandFact fact;
    fact.name = "thread";
    for (int i = 0; i < 3000; ++i) {
      seed = seed * 1664525 + 1013904223;
      const auto id = writer.define(0x1000 + (seed >> 20 & 0xff0), kCode);
      if (seed >> 28 == 0) hart.block_left_early(id, seed >> 10 & 1);
      if (seed >> 28 == 1) hart.context({.privilege = Privilege::kUser});
      if (seed >> 28 == 2) hart.fact(fact);
      if (seed >> 28 == 3) hart.end_chunk();
      if (seed >> 28 == 4) hart.trap(true, 5);
      if (seed >> 28 == 5) hart.gap();
      if (seed >> 28 == 6) hart.trap_between(true, 5);
      hart.block(id, 3);
    }
  });
}

TEST(WickTrace, APrefixHasTheBeginningAndIsNotedAsCutOff) {
  const std::string bytes = rich_file();
  const auto whole = pcs(read(bytes));
  ASSERT_GT(whole.size(), 9000u);
  for (std::size_t size = kHeaderSize; size < bytes.size(); size += 211) {
    const Read got = read(bytes.substr(0, size));
    const auto some = pcs(got);
    ASSERT_LE(some.size(), whole.size());
    ASSERT_TRUE(std::equal(some.begin(), some.end(), whole.begin()));
    ASSERT_LE(got.diagnostics.count(Problem::kTruncated), 1u);
    ASSERT_EQ(got.diagnostics.count(Problem::kBadRecord), 0u);
  }
  EXPECT_EQ(read(bytes.substr(0, bytes.size() - 1))
                .diagnostics.count(Problem::kTruncated),
            1u);
  EXPECT_THROW(read(bytes.substr(0, kHeaderSize - 1)), Error);
}

TEST(WickTrace, AChangedByteLosesItsChunkAndIsNoted) {
  const std::string bytes = rich_file();
  const std::size_t whole = read(bytes).all.instructions.size();
  for (std::size_t at = kHeaderSize; at < bytes.size(); at += 97) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    const Read got = read(changed);
    ASSERT_LE(got.all.instructions.size(), whole) << at;
    ASSERT_FALSE(got.diagnostics.empty()) << at;
  }
}

TEST(WickTrace, AFewBytesCannotStandForManyInstructions) {
  std::string bytes;
  WickTraceWriter writer([&](std::string_view piece) { bytes += piece; }, {});
  writer.define(0x2000, kLoop);
  // tick 0, 12 bytes of operations: block 0, then 2^62 that are predicted.
  writer.write_exec(0,
                    "\0\x0c\x03\xfe\xff\xff\xff\xff\xff\xff\xff\x7f\x03\x03"sv);
  writer.flush();
  const Read got = read(bytes);
  EXPECT_LE(got.all.instructions.size(),
            kFreeInstructions + std::uint64_t{14} * 1024);
  EXPECT_EQ(got.diagnostics.count(Problem::kBadRecord), 1u);
}

// type, bytes of payload, argument, checksum
std::string chunk(std::string_view type, std::uint32_t argument,
                  std::string_view payload) {
  std::uint32_t words[4] = {0, static_cast<std::uint32_t>(payload.size()),
                            argument, 0};
  std::memcpy(words, type.data(), 4);
  words[3] = checksum(words[0], argument, payload);
  return std::string(reinterpret_cast<const char*>(words), sizeof(words))
      .append(payload);
}

// Otherwise each could take as much memory as the ids that it leaves out.
TEST(WickTrace, AnIdBeyondTheFileSizeIsDamage) {
  const std::string_view definition = "\0\x01\0"sv;  // pc 0, 1 instruction
  std::string bytes = written([](auto&, auto&) {}, {.flags = 0});
  for (std::uint32_t i = 1; i <= 50; ++i)
    bytes += chunk("DEFS", 1000 * i, definition);
  bytes += chunk("EXEC", 0, "\0\x03\xd3\x0f\x03"sv);  // block 1000, block 0
  const Read got = read(bytes);
  EXPECT_EQ(pcs(got), (std::vector<std::uint64_t>{0}));
  // The 49 after the first one, and block 0.
  EXPECT_EQ(got.diagnostics.count(Problem::kBadRecord), 50u);
}

TEST(WickTrace, AnImplausibleHartIsDamage) {
  const std::string bytes = written([](auto& writer, auto&) {
    writer.define(0x2000, kLoop);
    for (const std::uint32_t hart : {4095u, 4096u, 0xffffffffu})
      writer.write_exec(hart, "\0\x01\x03"sv);
  });
  const Read got = read(bytes);
  EXPECT_EQ(got.harts, (std::vector<std::uint32_t>{4095, 4095}));
  EXPECT_EQ(got.diagnostics.count(Problem::kBadRecord), 2u);
}

// Chunks of 1 MB, each of which begins 16 bytes after the previous one.
TEST(WickTrace, GivesUpOnNestedChunks) {
  std::string bytes = written([](auto&, auto&) {});
  for (int i = 0; i < 200; ++i) bytes += "EXEC\0\0\x10\0\0\0\0\0\0\0\0\0"sv;
  bytes.append(1 << 20, '\0');
  const Read got = read(bytes);
  EXPECT_EQ(got.all.instructions.size(), 0u);
  EXPECT_LT(got.diagnostics.count(Problem::kBadRecord), 100u);
}

TEST(WickTrace, AnotherVersionIsRefusedByName) {
  std::string bytes = rich_file();
  bytes[8] = 2;
  const std::uint32_t sum =
      checksum(0, 0, std::string_view(bytes).substr(0, kHeaderSize - 4));
  std::memcpy(bytes.data() + kHeaderSize - 4, &sum, 4);
  EXPECT_THROW(
      {
        try {
          read(bytes);
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find("version 2"),
                    std::string::npos);
          throw;
        }
      },
      Error);
}

std::string converted(TraceInfo info, TraceBlock block) {
  std::string bytes;
  OneBlock trace(std::move(block), std::move(info));
  write_wick_trace(trace, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

TEST(WickTrace, ATraceWithCyclesKeepsThem) {
  TraceInfo info;
  info.pc_bits = 40;
  info.clock_domain = "core";
  TraceBlock block;
  for (const std::uint64_t cycle : {1000, 1001, 1001, 1050, 1051, 1052, 1052})
    block.instructions.push_back({cycle, 0x80000000 + cycle % 7 * 4});
  const std::vector<Retired> given = block.instructions;
  const Read got = read(converted(info, block));
  EXPECT_EQ(got.info.unit, "cycles");
  EXPECT_EQ(got.info.pc_bits, 40);
  EXPECT_EQ(got.info.clock_domain, "core");
  EXPECT_FALSE(got.info.has_bits);
  ASSERT_EQ(got.all.instructions.size(), given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_EQ(got.all.instructions[i].cycle, given[i].cycle) << i;
    EXPECT_EQ(got.all.instructions[i].pc, given[i].pc) << i;
  }
}

// 48 bits come after 40: the source learns the width while reading.
class WideningTrace : public TraceReader {
 public:
  explicit WideningTrace(std::vector<std::uint64_t> pcs)
      : pcs_(std::move(pcs)) {
    info_.pc_bits = 40;
  }
  bool next(TraceBlock& block) override {
    block.clear();
    if (at_ == pcs_.size()) return false;
    const std::uint64_t pc = pcs_[at_++];
    info_.pc_bits = std::max<int>(info_.pc_bits, std::bit_width(pc));
    block.instructions.push_back({.cycle = at_, .pc = pc});
    return true;
  }

 private:
  std::vector<std::uint64_t> pcs_;
  std::size_t at_ = 0;
};

TEST(WickTrace, KeepsAllBitsOfAPcThatAreKnownLate) {
  const auto kept = [](const std::vector<std::uint64_t>& given) {
    std::string bytes;
    WideningTrace trace(given);
    write_wick_trace(trace, [&](std::string_view piece) { bytes += piece; });
    const Read got = read(bytes);
    EXPECT_EQ(got.info.pc_bits, 48);
    ASSERT_EQ(got.all.instructions.size(), given.size());
    for (std::size_t i = 0; i < given.size(); ++i)
      EXPECT_EQ(got.all.instructions[i].pc, given[i]);
  };
  kept({0x8f0000200000, 0x8f0000200100});
  kept({0x80000000, 0x8f0000200000});
}

TEST(WickTrace, ConvertsEverythingInATrace) {
  const std::string bytes = rich_file();
  const Read given = read(bytes);
  InputFile file = InputFile::from_memory("t", bytes);
  const auto reader = wick_trace_format.open(file, {});
  std::string again;
  write_wick_trace(*reader, [&](std::string_view piece) { again += piece; });
  const Read got = read(again);
  EXPECT_EQ(pcs(got), pcs(given));
  EXPECT_EQ(got.all.bits, given.all.bits);
  EXPECT_EQ(got.all.facts.size(), given.all.facts.size());
  ASSERT_EQ(got.all.traps.size(), given.all.traps.size());
  for (std::size_t i = 0; i < given.all.traps.size(); ++i) {
    EXPECT_EQ(got.all.traps[i].at, given.all.traps[i].at);
    EXPECT_EQ(got.all.traps[i].is_before, given.all.traps[i].is_before);
    EXPECT_TRUE(got.all.traps[i].interrupt);
  }
  EXPECT_TRUE(got.diagnostics.empty());
}

}  // namespace
}  // namespace wick
