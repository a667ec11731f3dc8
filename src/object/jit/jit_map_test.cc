// SPDX-License-Identifier: Apache-2.0
#include "object/jit/jit_map.h"

#include <gtest/gtest.h>

#include "builders/perf_data_builder.h"  // Bytes

namespace wick {
namespace {

std::string name_at(const JitMap& map, std::uint64_t address,
                    std::uint64_t time = JitMap::kAnyTime) {
  const auto found = map.find(address, time);
  return found ? std::string(found->name) : "-";
}

TEST(PerfMap, HasAFunctionForEachLine) {
  const JitMap map =
      JitMap::from_perf_map("1000 20 JS:*fast /app/x.js:1:2\n1020 10 other\n");
  EXPECT_EQ(name_at(map, 0x1000), "JS:*fast /app/x.js:1:2");
  EXPECT_EQ(name_at(map, 0x101f), "JS:*fast /app/x.js:1:2");
  EXPECT_EQ(name_at(map, 0x1020), "other");
  EXPECT_EQ(name_at(map, 0x1030), "-");
  EXPECT_EQ(name_at(map, 0xfff), "-");
  EXPECT_EQ(map.damaged(), 0u);
}

TEST(PerfMap, TakesThePrefixAndTheSpacesOfWasmRuntimes) {
  const JitMap map = JitMap::from_perf_map(
      "0x1000 20 wasm[0]::function[3]\n2000  30  aot_func#1\r\n");
  EXPECT_EQ(name_at(map, 0x1001), "wasm[0]::function[3]");
  EXPECT_EQ(name_at(map, 0x2001), "aot_func#1");
}

TEST(PerfMap, TheLastLineOfAnAddressWins) {
  const JitMap map =
      JitMap::from_perf_map("1000 20 old\n1000 20 new\n1010 4 newest\n");
  EXPECT_EQ(name_at(map, 0x1000), "new");
  EXPECT_EQ(name_at(map, 0x1010), "newest");
  EXPECT_EQ(name_at(map, 0x1014), "new");
}

TEST(PerfMap, ALineInTheMiddleOfAnotherDoesNotHideItsRest) {
  const JitMap map =
      JitMap::from_perf_map("1000 1000 large\n1100 10 small\n1200 10 more\n");
  EXPECT_EQ(name_at(map, 0x1105), "small");
  EXPECT_EQ(name_at(map, 0x1150), "large");
  EXPECT_EQ(name_at(map, 0x1fff), "large");
}

TEST(PerfMap, ALongNameIsCut) {
  const JitMap map =
      JitMap::from_perf_map("1000 10 " + std::string(1 << 20, 'n') + "\n");
  EXPECT_EQ(map.find(0x1000)->name.size(), (std::size_t{1} << 16) + 1);
}

TEST(PerfMap, CountsLinesThatAreNone) {
  const JitMap map = JitMap::from_perf_map(
      "hello\n1000\n1000 10\n1000 10 \nffffffffffffffff 10 wraps\n\n1 2 x\n");
  EXPECT_EQ(map.size(), 1u);
  EXPECT_EQ(map.damaged(), 5u);
}

TEST(PerfMap, FunctionsBeyondTheMemoryGivenAreOmitted) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "1 1 a\n";
  const JitMap map = JitMap::from_perf_map(text, 1000);
  EXPECT_LE(map.bytes(), 1000u);
  EXPECT_GT(map.size(), 0u);
  EXPECT_EQ(map.size() + map.omitted(), 100u);
}

TEST(PerfMap, TakesFortyBytesForALine) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1 1 a\n";
  EXPECT_LE(JitMap::from_perf_map(text).bytes(), 41'000u);
}

TEST(PerfMap, ReportsThatItsLastLineIsCut) {
  EXPECT_TRUE(JitMap::from_perf_map("1 2 x\n3 4 y").truncated());
  EXPECT_FALSE(JitMap::from_perf_map("1 2 x\n").truncated());
  EXPECT_EQ(JitMap::from_perf_map("").size(), 0u);
}

// Writes a jitdump of either byte order.
class Dump {
 public:
  explicit Dump(bool big_endian = false, std::uint64_t flags = 0)
      : big_(big_endian), out_(big_endian) {
    out_.u32(0x4a695444).u32(1).u32(40).u32(62).u32(0xdeadbeef).u32(77);
    out_.u64(1).u64(flags);
  }
  Dump& record(std::uint32_t id, std::uint64_t time, const Bytes& body) {
    out_.u32(id).u32(16 + body.size()).u64(time).bytes(body.str());
    return *this;
  }
  Dump& load(std::uint64_t time, std::uint64_t start, std::string_view name,
             std::string_view code = "code", std::uint64_t index = 0) {
    return record(0, time,
                  make()
                      .u32(77)
                      .u32(77)
                      .u64(0)
                      .u64(start)
                      .u64(code.size())
                      .u64(index)
                      .bytes(name)
                      .u8(0)
                      .bytes(code));
  }
  struct Entry {
    std::uint64_t address;
    std::uint32_t line;
    std::string_view file;
  };
  Dump& lines(std::uint64_t start, std::initializer_list<Entry> entries) {
    Bytes body = make();
    body.u64(start).u64(entries.size());
    for (const Entry& e : entries)
      body.u64(e.address).u32(e.line).u32(0).bytes(e.file).u8(0);
    return record(2, 0, body.pad());
  }
  Bytes make() const { return Bytes(big_); }
  std::string str() const { return out_.str(); }
  JitMap map() const { return JitMap::from_jitdump(out_.str()); }

 private:
  bool big_;
  Bytes out_;
};

TEST(JitDump, HasFunctionsWithTheirCode) {
  for (const bool big_endian : {false, true}) {
    const JitMap map =
        Dump(big_endian).load(5, 0x1000, "JS:x-0-liftoff", "\x90\xc3").map();
    ASSERT_EQ(map.size(), 1u);
    EXPECT_EQ(name_at(map, 0x1001), "JS:x-0-liftoff");
    EXPECT_EQ(map.find(0x1001)->code, "\x90\xc3");
    EXPECT_EQ(name_at(map, 0x1002), "-");
    EXPECT_EQ(map.pid(), 77u);
    EXPECT_EQ(map.elf_machine(), 62u);
  }
}

TEST(JitDump, AnAddressHasTheFunctionOfItsTime) {
  const JitMap map =
      Dump().load(100, 0x1000, "baseline").load(200, 0x1000, "optimised").map();
  EXPECT_EQ(name_at(map, 0x1000, 150), "baseline");
  EXPECT_EQ(name_at(map, 0x1000, 200), "optimised");
  EXPECT_EQ(name_at(map, 0x1000, 999), "optimised");
  EXPECT_EQ(name_at(map, 0x1000), "optimised");
}

TEST(JitDump, BeforeItsFirstFunctionAnAddressHasThatOne) {
  const JitMap map =
      Dump().load(100, 0x1000, "first").load(200, 0x1000, "second").map();
  EXPECT_EQ(name_at(map, 0x1000, 50), "first");
}

TEST(JitDump, AMovedFunctionIsAtBothPlacesInItsTime) {
  const JitMap map =
      Dump()
          .load(100, 0x1000, "moved", "1234", 7)
          .record(
              1, 200,
              Bytes().u32(77).u32(77).u64(0).u64(0x1000).u64(0x5000).u64(4).u64(
                  7))
          .map();
  EXPECT_EQ(name_at(map, 0x1000, 150), "moved");
  EXPECT_EQ(name_at(map, 0x5003, 250), "moved");
}

TEST(JitDump, LinesBelongToTheFunctionAfterThem) {
  const JitMap map = Dump()
                         .lines(0x1000, {{0x1000, 10, "a.js"},
                                         {0x1002, 11, "\xff"},
                                         {0x1003, 5, "b.js"}})
                         .load(1, 0x1000, "f")
                         .load(2, 0x2000, "g")
                         .map();
  const JitMap::Function f = *map.find(0x1000);
  EXPECT_EQ(map.line(f, 0x1001)->line, 10u);
  EXPECT_EQ(map.line(f, 0x1002)->line, 11u);
  EXPECT_EQ(map.line(f, 0x1002)->file, "a.js");
  EXPECT_EQ(map.line(f, 0x1003)->file, "b.js");
  EXPECT_FALSE(map.line(*map.find(0x2000), 0x2000));
}

TEST(JitDump, LinesMayBeInAnyOrderAndTheLastOfAnAddressWins) {
  const JitMap map = Dump()
                         .lines(0x1000, {{0x1002, 12, "a.js"},
                                         {0x1000, 10, "a.js"},
                                         {0x1002, 13, "a.js"},
                                         {0x0ff0, 99, "a.js"}})
                         .load(1, 0x1000, "f")
                         .map();
  const JitMap::Function f = *map.find(0x1000);
  EXPECT_EQ(map.line(f, 0x1001)->line, 10u);
  EXPECT_EQ(map.line(f, 0x1003)->line, 13u);
  EXPECT_FALSE(map.line(f, 0x0fff));
}

TEST(JitDump, LinesOfV8AndLlvmAreShiftedByAnElfHeader) {
  const JitMap map =
      Dump()
          .lines(0x1000, {{0x1040, 10, "a.js"}, {0x1042, 11, "a.js"}})
          .load(1, 0x1000, "f")
          .map();
  EXPECT_EQ(map.line(*map.find(0x1000), 0x1001)->line, 10u);
  EXPECT_EQ(map.line(*map.find(0x1000), 0x1002)->line, 11u);
}

TEST(JitDump, UnwindInformationBelongsToTheFunctionAfterIt) {
  const JitMap map =
      Dump()
          .record(4, 0, Bytes().u64(8).u64(4).u64(8).bytes("hdr.ehfr"))
          .load(1, 0x1000, "f")
          .load(2, 0x2000, "g")
          .map();
  EXPECT_EQ(map.find(0x1000)->unwind_info, "hdr.ehfr");
  EXPECT_EQ(map.find(0x1000)->eh_frame_hdr_size, 4u);
  EXPECT_EQ(map.find(0x2000)->unwind_info, "");
}

TEST(JitDump, AHeaderAloneIsNoUnwindInformation) {
  const JitMap map =
      Dump()
          .record(4, 0, Bytes().u64(8).u64(8).u64(0).bytes("hdr.hdr."))
          .load(1, 0x1000, "f")
          .map();
  EXPECT_EQ(map.find(0x1000)->unwind_info, "");
}

TEST(JitDump, IsKnownByItsFirstBytes) {
  EXPECT_TRUE(JitMap::is_jitdump(Dump(false).str()));
  EXPECT_TRUE(JitMap::is_jitdump(Dump(true).str()));
  EXPECT_FALSE(JitMap::is_jitdump("JiT"));
  EXPECT_FALSE(JitMap::is_jitdump(std::string(64, '\0')));
}

TEST(JitDump, FunctionsBeyondTheMemoryGivenAreOmitted) {
  Dump dump;
  for (int i = 0; i < 100; ++i) dump.load(1, 0x1000, "f");
  const JitMap map = JitMap::from_jitdump(dump.str(), 2000);
  EXPECT_LE(map.bytes(), 2000u);
  EXPECT_GT(map.size(), 0u);
  EXPECT_EQ(map.size() + map.omitted(), 100u);
}

TEST(JitDump, UnknownRecordsAreSkipped) {
  const JitMap map =
      Dump().record(99, 0, Bytes().u64(1)).load(1, 0x1000, "f").map();
  EXPECT_EQ(name_at(map, 0x1000), "f");
  EXPECT_EQ(map.damaged(), 0u);
}

TEST(JitDump, KnowsTimesThatAreCycles) {
  EXPECT_TRUE(Dump(false, 1).map().has_cycles_as_time());
  EXPECT_FALSE(Dump().map().has_cycles_as_time());
}

TEST(JitDump, EveryPrefixIsReadAsFarAsItGoes) {
  const std::string whole = Dump()
                                .lines(0x1000, {{0x1000, 1, "a"}})
                                .load(1, 0x1000, "f")
                                .load(2, 0x2000, "g")
                                .str();
  std::size_t most = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const JitMap map = JitMap::from_jitdump(whole.substr(0, size));
    EXPECT_GE(map.size(), most) << size;
    most = map.size();
  }
  EXPECT_EQ(most, 2u);
}

TEST(JitDump, ARecordWithoutSizeEndsIt) {
  Dump dump;
  dump.load(1, 0x1000, "f");
  const JitMap map = JitMap::from_jitdump(dump.str() + std::string(64, '\0'));
  EXPECT_EQ(map.size(), 1u);
  EXPECT_EQ(map.damaged(), 1u);
}

TEST(JitDump, AnExcerptHasTheFunctionsOfAllTimesAtAnAddress) {
  const JitMap whole = Dump()
                           .load(100, 0x1000, "baseline")
                           .load(150, 0x2000, "elsewhere")
                           .load(200, 0x1000, "optimised")
                           .map();
  const std::uint64_t sampled[] = {0x1002};
  const JitMap excerpt = JitMap::from_jitdump(whole.excerpt(sampled));
  EXPECT_EQ(excerpt.size(), 2u);
  for (const std::uint64_t time : {50, 100, 199, 200})
    EXPECT_EQ(name_at(excerpt, 0x1002, time), name_at(whole, 0x1002, time));
}

// V8's lines are shifted; one function alone does not tell.
TEST(JitDump, AnExcerptHasTheLinesOfItsAddresses) {
  const JitMap whole =
      Dump()
          .lines(0x1000, {{0x1040, 1, "a.js"}, {0x1080, 2, "b.js"}})
          .load(1, 0x1000, "f", std::string(0x100, 'c'))
          .map();
  const std::uint64_t sampled[] = {0x1050, 0x1010};
  const JitMap excerpt = JitMap::from_jitdump(whole.excerpt(sampled));
  for (const std::uint64_t address : sampled) {
    const auto wanted = whole.line(*whole.find(address), address);
    const auto got = excerpt.line(*excerpt.find(address), address);
    ASSERT_TRUE(wanted && got);
    EXPECT_EQ(got->file, wanted->file);
    EXPECT_EQ(got->line, wanted->line);
  }
}

TEST(JitDump, AnExcerptKnowsTimesThatAreCycles) {
  const JitMap whole = Dump(false, 1).load(1, 0x1000, "f").map();
  const std::uint64_t sampled[] = {0x1000};
  EXPECT_TRUE(
      JitMap::from_jitdump(whole.excerpt(sampled)).has_cycles_as_time());
}

TEST(PerfMap, AnExcerptHasTheLastFunctionAtAnAddress) {
  const JitMap whole = JitMap::from_perf_map(
      "1000 20 old name\n2000 10 elsewhere\n1000 10 new name\n");
  const std::uint64_t sampled[] = {0x1004, 0x5000};
  EXPECT_EQ(whole.excerpt(sampled), "1000 10 new name\n");
}

TEST(PerfMap, AnExcerptOfNothingIsEmpty) {
  const std::uint64_t sampled[] = {0x5000};
  EXPECT_EQ(JitMap::from_perf_map("1000 20 f\n").excerpt(sampled), "");
}

}  // namespace
}  // namespace wick
