// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/unwind_table.h"

#include <gtest/gtest.h>
#include <sys/auxv.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "builders/cfi_builder.h"
#include "builders/elf_builder.h"

namespace wick {
namespace {

using cfa::advance;
using cfa::def_cfa;
using cfa::def_cfa_offset;
using cfa::offset;
using cfa::op;
using cfa::sleb;
using cfa::uleb;

constexpr std::uint64_t kFrames = 0x20000;  // where .eh_frame is
constexpr std::uint64_t kFunction = 0x1100;

// What every x86-64 function begins with: rsp+8, return address below.
const std::string kStart = def_cfa(7, 8) + offset(16, 1);

// The rules of a function of 64 bytes with this program, at each address where
// they change: "+0 r7+8 r16=c-8; +1 …".
std::string rules_of(const UnwindTable& table) {
  std::string text, last = "none";
  for (std::uint64_t i = 0; i < 80; ++i) {
    const std::string rule = rule_text(table.find(kFunction + i));
    if (rule == last) continue;
    last = rule;
    text += (text.empty() ? "+" : "; +") + std::to_string(i) + " " + rule;
  }
  return text;
}

std::string rules_of(const std::string& program) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.program = kStart});
  cfi.add_fde(cie, kFunction, 64, program);
  return rules_of(cfi.table());
}

TEST(UnwindTable, AFunctionWithoutStepsHasTheRuleOfItsCie) {
  EXPECT_EQ(rules_of(""), "+0 r7+8 r16=c-8; +64 none");
}

TEST(UnwindTable, EachStepHoldsFromItsAddressOn) {
  EXPECT_EQ(rules_of(advance(1) + def_cfa_offset(16) + offset(6, 2) +
                     advance(3) + cfa::def_cfa_register(6)),
            "+0 r7+8 r16=c-8; +1 r7+16 r6=c-16 r16=c-8; "
            "+4 r6+16 r6=c-16 r16=c-8; +64 none");
}

TEST(UnwindTable, LongAdvancesAreFollowed) {
  EXPECT_EQ(
      rules_of(op(0x02) + "\x02" + def_cfa_offset(16) + op(0x03) +
               cfa::raw<std::uint16_t>(3) + def_cfa_offset(24) + op(0x04) +
               cfa::raw<std::uint32_t>(4) + def_cfa_offset(32)),
      "+0 r7+8 r16=c-8; +2 r7+16 r16=c-8; +5 r7+24 r16=c-8; "
      "+9 r7+32 r16=c-8; +64 none");
}

TEST(UnwindTable, SetLocGoesToAnAddress) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie(
      {.augmentation = "", .augmentation_data = "", .program = kStart});
  cfi.add_entry(cie, false,
                cfa::raw(kFunction) + cfa::raw<std::uint64_t>(64) + op(0x01) +
                    cfa::raw(kFunction + 5) + def_cfa_offset(16));
  EXPECT_EQ(rules_of(cfi.table()),
            "+0 r7+8 r16=c-8; +5 r7+16 r16=c-8; +64 none");
}

TEST(UnwindTable, StatesAreRememberedAndRestored) {
  EXPECT_EQ(rules_of(offset(3, 2) + cfa::remember_state() + advance(4) +
                     def_cfa_offset(32) + cfa::restore(3) + advance(4) +
                     cfa::restore_state()),
            "+0 r7+8 r3=c-16 r16=c-8; +4 r7+32 r16=c-8; "
            "+8 r7+8 r3=c-16 r16=c-8; +64 none");
}

TEST(UnwindTable, OffsetsOfAllKindsAreUnderstood) {
  EXPECT_EQ(rules_of(op(0x05) + uleb(3) + uleb(2)),  // offset_extended
            "+0 r7+8 r3=c-16 r16=c-8; +64 none");
  EXPECT_EQ(rules_of(op(0x11) + uleb(3) + sleb(3)),  // offset_extended_sf
            "+0 r7+8 r3=c-24 r16=c-8; +64 none");
  EXPECT_EQ(rules_of(op(0x2f) + uleb(3) + uleb(2)),  // negative_offset
            "+0 r7+8 r16=c-8 r3=c+16; +64 none");
  EXPECT_EQ(rules_of(op(0x12) + uleb(6) + sleb(-2)),  // def_cfa_sf
            "+0 r6+16 r16=c-8; +64 none");
  EXPECT_EQ(rules_of(op(0x13) + sleb(-3)),  // def_cfa_offset_sf
            "+0 r7+24 r16=c-8; +64 none");
}

TEST(UnwindTable, RareRulesAreKept) {
  EXPECT_EQ(rules_of(op(0x14) + uleb(3) + uleb(2)),  // val_offset
            "+0 r7+8 r3=&c-16 r16=c-8; +64 none");
  EXPECT_EQ(rules_of(op(0x15) + uleb(3) + sleb(-2)),  // val_offset_sf
            "+0 r7+8 r3=&c+16 r16=c-8; +64 none");
  EXPECT_EQ(rules_of(op(0x09) + uleb(3) + uleb(12)),  // register
            "+0 r7+8 r3=r12 r16=c-8; +64 none");
  EXPECT_EQ(rules_of(cfa::undefined(3)),
            "+0 r7+8 r3=undefined r16=c-8; +64 none");
  EXPECT_EQ(rules_of(op(0x10) + uleb(3) + cfa::block(cfa::breg(7, 8))),
            "+0 r7+8 r3=expression r16=c-8; +64 none");
  EXPECT_EQ(rules_of(op(0x16) + uleb(3) + cfa::block(cfa::breg(7, 8))),
            "+0 r7+8 r3=&expression r16=c-8; +64 none");
  EXPECT_EQ(rules_of(cfa::def_cfa_expression(cfa::breg(7, 8))),
            "+0 expression r16=c-8; +64 none");
}

TEST(UnwindTable, SameValueTakesARuleBack) {
  EXPECT_EQ(rules_of(offset(3, 2) + advance(2) + op(0x08) + uleb(3)),
            "+0 r7+8 r3=c-16 r16=c-8; +2 r7+8 r16=c-8; +64 none");
}

TEST(UnwindTable, StepsThatDoNotMatterHereAreSkipped) {
  EXPECT_EQ(rules_of(op(0x2e) + uleb(64) +            // GNU_args_size
                     op(0x2d) +                       // negate_ra_state
                     op(0x05) + uleb(17) + uleb(2) +  // xmm0
                     advance(1) + op(0x00)),
            "+0 r7+8 r16=c-8; +64 none");
}

TEST(UnwindTable, AnUndefinedReturnAddressIsTheRoot) {
  EXPECT_EQ(rules_of(cfa::undefined(16)), "+0 root; +64 none");
}

TEST(UnwindTable, AnUnknownStepEndsTheRules) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.program = kStart});
  cfi.add_fde(cie, kFunction, 64, advance(4) + op(0x3f) + advance(4));
  const UnwindTable table = cfi.table();
  EXPECT_EQ(rules_of(table), "+0 r7+8 r16=c-8; +4 none");
  EXPECT_EQ(table.damaged(), 1u);
}

TEST(UnwindTable, RestoringWhatWasNotRememberedIsDamage) {
  EXPECT_EQ(rules_of(advance(4) + cfa::restore_state()),
            "+0 r7+8 r16=c-8; +4 none");
}

TEST(UnwindTable, StatesAreNotRememberedForEver) {
  std::string program;
  for (int i = 0; i < 100'000; ++i) program += cfa::remember_state();
  EXPECT_EQ(rules_of(program), "");
}

TEST(UnwindTable, AnAdvancePastTheFunctionEndsIt) {
  EXPECT_EQ(rules_of(op(0x04) + cfa::raw<std::uint32_t>(0xffffffff) +
                     def_cfa_offset(16)),
            "+0 r7+8 r16=c-8; +64 none");
}

TEST(UnwindTable, CodeAlignmentScalesAdvances) {
  CfiBuilder cfi(kFrames, {.machine = EM_AARCH64});
  const auto cie =
      cfi.add_cie({.code_align = 4, .ra_reg = 30, .program = def_cfa(31, 0)});
  cfi.add_fde(cie, kFunction, 64,
              advance(1) + def_cfa_offset(16) + offset(29, 2) + offset(30, 1));
  EXPECT_EQ(rules_of(cfi.table()),
            "+0 r31+0 ra in r30; +4 r31+16 r29=c-16 r30=c-8; +64 none");
}

TEST(UnwindTable, AnAdvanceByNothingBeginsNoRow) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.code_align = 0, .program = kStart});
  cfi.add_fde(cie, kFunction, 64, advance(4) + def_cfa_offset(16));
  const UnwindTable table = cfi.table();
  EXPECT_EQ(rules_of(table), "+0 r7+16 r16=c-8; +64 none");
  EXPECT_EQ(table.rows(), 2u);
}

TEST(UnwindTable, AReturnAddressWithoutANumberOfItsOwnIsKept) {
  CfiBuilder cfi(kFrames, {.machine = EM_RISCV});
  const auto cie =
      cfi.add_cie({.version = 3, .ra_reg = 64, .program = def_cfa(2, 0)});
  cfi.add_fde(cie, kFunction, 64, op(0x05) + uleb(64) + uleb(1));
  EXPECT_EQ(rules_of(cfi.table()), "+0 r2+0 r34=c-8; +64 none");
}

TEST(UnwindTable, SignalFramesAreMarked) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.augmentation = "zRS", .program = kStart});
  cfi.add_fde(cie, kFunction, 64, "");
  EXPECT_EQ(rules_of(cfi.table()), "+0 r7+8 r16=c-8 signal; +64 none");
}

TEST(UnwindTable, PersonalityAndLsdaAreSkipped) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie(
      {.augmentation = "zPLR",
       .augmentation_data = "\x9b" + std::string(4, '\x11') + "\x1b\x1b",
       .program = kStart});
  cfi.add_fde(cie, kFunction, 64, "");
  EXPECT_EQ(rules_of(cfi.table()), "+0 r7+8 r16=c-8; +64 none");
}

TEST(UnwindTable, PointersOfAllEncodingsAreRead) {
  for (const int encoding : {0x00, 0x01, 0x02, 0x03, 0x04, 0x0a, 0x0b, 0x0c,
                             0x09, 0x1b, 0x1c, 0x10, 0x19}) {
    CfiBuilder cfi(kFrames);
    const auto cie = cfi.add_cie(
        {.augmentation_data = std::string(1, static_cast<char>(encoding)),
         .program = kStart});
    cfi.add_fde(cie, kFunction, 64, "", encoding);
    EXPECT_EQ(rules_of(cfi.table()), "+0 r7+8 r16=c-8; +64 none") << encoding;
  }
}

TEST(UnwindTable, AnUnknownEncodingIsDamage) {
  CfiBuilder cfi(kFrames);
  const auto cie =
      cfi.add_cie({.augmentation_data = "\x0f", .program = kStart});
  cfi.add_fde(cie, kFunction, 64, "");
  const UnwindTable table = cfi.table();
  EXPECT_EQ(rules_of(table), "");
  EXPECT_EQ(table.damaged(), 1u);
}

TEST(UnwindTable, AllVersionsOfDebugFrameAreRead) {
  for (const int version : {1, 3, 4})
    for (const bool wide : {false, true}) {
      CfiBuilder cfi(0, {.eh = false, .wide = wide});
      const auto cie = cfi.add_cie(
          {.version = version, .augmentation = "", .program = kStart});
      cfi.add_fde(cie, kFunction, 64, advance(1) + def_cfa_offset(16), 0x00);
      EXPECT_EQ(rules_of(cfi.table()),
                "+0 r7+8 r16=c-8; +1 r7+16 r16=c-8; +64 none")
          << version << wide;
    }
}

TEST(UnwindTable, LengthsOf64BitsAreRead) {
  CfiBuilder cfi(kFrames, {.wide = true});
  const auto cie = cfi.add_cie({.program = kStart});
  cfi.add_fde(cie, kFunction, 64, "");
  EXPECT_EQ(rules_of(cfi.table()), "+0 r7+8 r16=c-8; +64 none");
}

TEST(UnwindTable, OverlappingFunctionsAreCutAtTheNextOne) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.program = kStart});
  cfi.add_fde(cie, kFunction + 16, 8, def_cfa_offset(16));
  cfi.add_fde(cie, kFunction, 64, "");
  EXPECT_EQ(rules_of(cfi.table()),
            "+0 r7+8 r16=c-8; +16 r7+16 r16=c-8; +24 none");
}

struct Frames {
  CfiBuilder cfi{kFrames};
  std::uint64_t first = 0, second = 0;
  Frames() {
    const auto cie = cfi.add_cie({.program = kStart});
    first = cfi.add_fde(cie, kFunction, 16, "");
    second = cfi.add_fde(cie, kFunction + 32, 16, def_cfa_offset(16));
  }
};

UnwindTable table_with_header(const Frames& frames, const std::string& header) {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(0x10000, '\x90')});
  elf.add_section({.name = ".eh_frame",
                   .flags = SHF_ALLOC,
                   .address = kFrames,
                   .content = frames.cfi.bytes()});
  elf.add_section({.name = ".eh_frame_hdr",
                   .flags = SHF_ALLOC,
                   .address = 0x18000,
                   .content = header});
  return UnwindTable::build(elf.file(), nullptr);
}

TEST(UnwindTable, TheHeaderReportsWhichFunctionsThereAre) {
  const Frames frames;
  const UnwindTable table = table_with_header(
      frames, frames.cfi.header(0x18000, {{kFunction + 32, frames.second}}));
  EXPECT_EQ(table.functions(), 1u);
  EXPECT_EQ(rules_of(table), "+32 r7+16 r16=c-8; +48 none");
}

TEST(UnwindTable, AHeaderThatIsNotSortedIsNotUsed) {
  const Frames frames;
  const UnwindTable table = table_with_header(
      frames, frames.cfi.header(0x18000, {{kFunction + 32, frames.second},
                                          {kFunction, frames.first}}));
  EXPECT_EQ(rules_of(table),
            "+0 r7+8 r16=c-8; +16 none; +32 r7+16 r16=c-8; +48 none");
}

TEST(UnwindTable, AHeaderThatNamesTheWrongFunctionGivesNoRule) {
  const Frames frames;
  const UnwindTable table = table_with_header(
      frames, frames.cfi.header(0x18000, {{kFunction, frames.second}}));
  EXPECT_EQ(rules_of(table), "");
  EXPECT_EQ(table.damaged(), 1u);
}

TEST(UnwindTable, EhFrameWinsAndDebugFrameFillsTheGaps) {
  const Frames frames;
  CfiBuilder debug(0, {.eh = false});
  const auto cie = debug.add_cie({.augmentation = "", .program = kStart});
  debug.add_fde(cie, kFunction, 24, def_cfa_offset(80), 0x00);
  debug.add_fde(cie, kFunction + 48, 16, def_cfa_offset(88), 0x00);
  ElfBuilder elf, debug_file;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(0x10000, '\x90')});
  elf.add_section({.name = ".eh_frame",
                   .flags = SHF_ALLOC,
                   .address = kFrames,
                   .content = frames.cfi.bytes()});
  debug_file.add_section({.name = ".debug_frame", .content = debug.bytes()});
  const UnwindTable table = UnwindTable::build(elf.file(), debug_file.file());
  EXPECT_EQ(rules_of(table),
            "+0 r7+8 r16=c-8; +16 r7+80 r16=c-8; +24 none; "
            "+32 r7+16 r16=c-8; +48 r7+88 r16=c-8; +64 none");
}

// The kernel's own library, whose sections are not mapped in every process's
// memory.
TEST(UnwindTable, TheVdsoNeedsNoSections) {
  const auto* start = reinterpret_cast<const char*>(getauxval(AT_SYSINFO_EHDR));
  if (start == nullptr) GTEST_SKIP() << "there is no vDSO";
  Elf64_Ehdr header;
  std::memcpy(&header, start, sizeof header);
  std::string bytes(start,
                    header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr));
  const UnwindTable with =
      UnwindTable::build(ElfFile::from_memory("vdso", bytes), nullptr);
  header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
  std::memcpy(bytes.data(), &header, sizeof header);
  const UnwindTable without =
      UnwindTable::build(ElfFile::from_memory("vdso", bytes), nullptr);
  EXPECT_GT(without.functions(), 3u);
  EXPECT_EQ(without.functions(), with.functions());
  for (std::uint64_t at = 0; at < bytes.size(); ++at)
    ASSERT_EQ(rule_text(with.find(at)), rule_text(without.find(at))) << at;
}

std::string stub_rule(std::uint16_t machine) {
  ElfBuilder elf({.machine = machine});
  elf.add_section({.name = ".plt",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(64, '\0')});
  const UnwindTable table = UnwindTable::build(elf.file(), nullptr);
  EXPECT_EQ(rule_text(table.find(0x1040)), "none");
  return rule_text(table.find(0x1010));
}

TEST(UnwindTable, APltWithoutRulesIsStillAsTheCallLeftIt) {
  EXPECT_EQ(stub_rule(EM_X86_64), "r7+8 r16=c-8");
  EXPECT_EQ(stub_rule(EM_AARCH64), "r31+0 ra in r30");
  EXPECT_EQ(stub_rule(EM_RISCV), "r2+0 ra in r1");
}

TEST(UnwindTable, AnEmptyOneHasNoRules) {
  const UnwindTable table;
  EXPECT_EQ(rule_text(table.find(0)), "none");
  EXPECT_EQ(table.rows(), 0u);
}

TEST(UnwindTable, RowsAreCompiledWhenTheyAreAskedFor) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.program = kStart});
  for (std::uint64_t i = 0; i < 1000; ++i)
    cfi.add_fde(cie, 0x1000 + i * 16, 16, "");
  const UnwindTable table = cfi.table();
  EXPECT_EQ(table.functions(), 1000u);
  EXPECT_EQ(table.rows(), 0u);
  EXPECT_EQ(rule_text(table.find(0x1808)), "r7+8 r16=c-8");
  EXPECT_LT(table.rows(), 100u);
  table.compile_all(1);
  EXPECT_EQ(table.rows(), 1001u);  // and the end of the last
  EXPECT_EQ(table.rules(), 2u);    // this one and none
}

TEST(UnwindTable, TakesItsMemoryFromTheFileAndGivesItBack) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.program = kStart});
  for (std::uint64_t i = 0; i < 1000; ++i)
    cfi.add_fde(cie, 0x1000 + i * 16, 16, "");
  const auto file = cfi.file();
  const std::uint64_t before = file->memory().used();
  {
    const UnwindTable table = UnwindTable::build(file, nullptr);
    table.compile_all(1);
    EXPECT_GE(file->memory().used(), before + table.bytes());
  }
  EXPECT_EQ(file->memory().used(), before);
}

TEST(UnwindTable, WithoutMemoryThereAreNoRules) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.program = kStart});
  for (std::uint64_t i = 0; i < 1000; ++i)
    cfi.add_fde(cie, 0x1000 + i * 16, 16, "");
  const auto file = cfi.file();
  const UnwindTable table = UnwindTable::build(file, nullptr);
  const MemoryReservation rest(file->memory(), file->memory().available());
  ASSERT_TRUE(rest);
  EXPECT_EQ(rule_text(table.find(0x1808)), "none");
  EXPECT_TRUE(file->memory().was_refused());
}

TEST(UnwindTable, SeveralThreadsMayAskAtOnce) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.program = kStart});
  for (std::uint64_t i = 0; i < 1000; ++i)
    cfi.add_fde(cie, 0x1000 + i * 16, 16, def_cfa_offset(i + 1));
  const UnwindTable table = cfi.table();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < 1000; ++i)
        if (table.find(0x1000 + i * 16 + 3).cfa_offset !=
            static_cast<std::int32_t>(i + 1))
          ++wrong;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(table.rows(), 1001u);
}

// Bytes of a small section with a bit of everything.
std::string some_frames() {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie(
      {.augmentation = "zPLR",
       .augmentation_data = "\x9b" + std::string(4, '\x11') + "\x1b\x1b",
       .program = kStart});
  cfi.add_fde(cie, kFunction, 64,
              advance(1) + def_cfa_offset(16) + offset(6, 2) +
                  cfa::remember_state() + op(0x02) + "\x07" +
                  cfa::def_cfa_register(6) + advance(2) + cfa::restore_state());
  cfi.add_fde(cie, kFunction + 64, 16,
              cfa::def_cfa_expression(cfa::breg(7, 8) + cfa::breg(16, 0)) +
                  op(0x10) + uleb(3) + cfa::block(cfa::breg(7, 8)));
  return cfi.bytes();
}

UnwindTable table_of(const std::string& frames) {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(0x1000, '\x90')});
  elf.add_section({.name = ".eh_frame",
                   .flags = SHF_ALLOC,
                   .address = kFrames,
                   .content = frames});
  return UnwindTable::build(elf.file(), nullptr);
}

TEST(UnwindTable, EveryPrefixIsReadAsFarAsItGoes) {
  const std::string whole = some_frames();
  const std::string want = rules_of(table_of(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const UnwindTable table = table_of(whole.substr(0, size));
    table.compile_all(1);
    EXPECT_NE(rules_of(table), want);
    EXPECT_LE(table.rows(), whole.size());
  }
}

TEST(UnwindTable, NoChangedByteDoesHarm) {
  const std::string whole = some_frames();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int value = 0; value < 256; value += 5) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      const UnwindTable table = table_of(changed);
      table.compile_all(1);
      EXPECT_LE(table.rows(), whole.size());
    }
}

// Entries inside of each other: each reaches to the end of the section, so that
// together their programs are as long as its square.
TEST(UnwindTable, OverlappingEntriesDoNotCostTheSquareOfTheirSize) {
  CfiBuilder cfi(kFrames);
  const auto cie = cfi.add_cie({.program = kStart});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> functions;
  constexpr std::uint64_t kCount = 20'000;
  const std::uint64_t first = cfi.bytes().size();
  std::string raw;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const std::uint64_t offset = first + i * 24;
    const std::uint64_t end = first + kCount * 24;
    append_raw(raw, static_cast<std::uint32_t>(end - offset - 4));
    append_raw(raw, static_cast<std::uint32_t>(offset + 4 - cie));
    append_raw(raw,
               static_cast<std::uint32_t>(0x1000 + i - (kFrames + offset + 8)));
    append_raw(raw, std::uint32_t{1});
    raw += '\0';
    raw += std::string(7, '\0');  // nops
    functions.emplace_back(0x1000 + i, offset);
  }
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(0x10000, '\x90')});
  elf.add_section({.name = ".eh_frame",
                   .flags = SHF_ALLOC,
                   .address = kFrames,
                   .content = cfi.bytes() + raw});
  elf.add_section({.name = ".eh_frame_hdr",
                   .flags = SHF_ALLOC,
                   .address = 0x18000,
                   .content = cfi.header(0x18000, functions)});
  const UnwindTable table = UnwindTable::build(elf.file(), nullptr);
  EXPECT_EQ(table.functions(), kCount);
  table.compile_all(1);  // 5 GB of steps if nothing stopped it
  EXPECT_GT(table.damaged(), kCount / 2);
}

}  // namespace
}  // namespace wick
