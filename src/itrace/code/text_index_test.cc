// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/text_index.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <random>

#include "builders/elf_builder.h"
#include "builders/riscv_program.h"

namespace wick {
namespace {

PageEvidence evidence_of(const std::vector<RiscvProgram::Instruction>& way,
                         std::uint64_t page, bool with_bits) {
  PageEvidence evidence;
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    if ((way[i].elf_addr & ~kTextPageMask) != page) continue;
    CodeStep step{.offset = static_cast<std::uint16_t>(way[i].elf_addr % 4096)};
    if (with_bits) {
      step.has_bits = true;
      step.bits = way[i].bits;
    }
    step.next = CodeStep::next_of(
        static_cast<std::int64_t>(way[i + 1].elf_addr - way[i].elf_addr));
    evidence.add(step);
  }
  return evidence;
}

TextIndex three_libraries() {
  TextIndex index;
  for (unsigned seed = 1; seed <= 3; ++seed)
    index.add("lib" + std::to_string(seed),
              RiscvProgram(seed, 40, 0x1000).elf(ET_DYN, "lib"));
  return index;
}

TEST(TextIndex, FindsEveryPageByWhatWasExecutedOnIt) {
  const TextIndex index = three_libraries();
  const RiscvProgram second(2, 40, 0x1000);
  std::mt19937 random(7);
  for (const bool with_bits : {true, false})
    for (std::uint64_t page = 0x1000; page < 0x29000; page += 0x1000) {
      const auto evidence =
          evidence_of(second.walk(random, page, 400), page, with_bits);
      const auto found = index.matches(evidence, 9);
      ASSERT_EQ(found.size(), 1u) << page << ' ' << with_bits;
      EXPECT_EQ(index[found[0].page.binary].path, "lib2");
      EXPECT_EQ(found[0].page.elf_page, page);
    }
}

TEST(TextIndex, CodeOfOtherFilesIsNotFound) {
  const TextIndex index = three_libraries();
  const RiscvProgram other(9, 4, 0x1000);
  std::mt19937 random(7);
  for (const bool with_bits : {true, false})
    for (std::uint64_t page = 0x1000; page < 0x5000; page += 0x1000)
      EXPECT_TRUE(index
                      .matches(evidence_of(other.walk(random, page, 400), page,
                                           with_bits),
                               9)
                      .empty());
}

TEST(TextIndex, AFewStepsFitManyPages) {
  const TextIndex index = three_libraries();
  PageEvidence evidence;
  evidence.add({.offset = 0x10, .next = 2});
  EXPECT_EQ(index.matches(evidence, 9).size(), 9u);
}

TEST(TextIndex, AddsTheSameFileOnce) {
  TextIndex index;
  const RiscvProgram program(1, 2, 0x1000);
  const auto first = index.add("/lib/a.so", program.elf(ET_DYN, "a"));
  const auto again = index.add("/usr/lib/a.so", program.elf(ET_DYN, "a"));
  EXPECT_EQ(first, again);
  EXPECT_EQ(index.size(), 1u);
}

TEST(TextIndex, AddsOnlyRiscvProgramsWithCode) {
  TextIndex index;
  ElfBuilder other({.machine = EM_X86_64});
  other.add_section(
      {.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .content = "\x90"});
  EXPECT_FALSE(index.add("x86", other.file()));
  ElfBuilder debug({.machine = EM_RISCV});
  debug.add_section({.name = ".text",
                     .type = SHT_NOBITS,
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .size = 64});
  debug.add_section({.name = ".init",
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .address = 0x1000,
                     .content = "1234"});
  EXPECT_FALSE(index.add("a.debug", debug.file()));
  const RiscvProgram program(1, 1, 0x1000);
  EXPECT_FALSE(index.add("a.o", program.elf(ET_REL, "a")));
  // The ELF header of a library is at 0.
  const RiscvProgram firmware(1, 1, 0);
  EXPECT_FALSE(index.add("fw_dynamic.elf", firmware.elf(ET_DYN, "fw")));
  EXPECT_TRUE(index.add("a.so", program.elf(ET_DYN, "a")));
}

TEST(TextIndex, FindsPagesByFileOffset) {
  TextIndex index;
  const auto elf = RiscvProgram(1, 2, 0x1200).elf(ET_DYN, "a");
  const std::uint64_t file_off = elf->segments()[0].offset;
  const auto id = *index.add("a", elf);
  const auto page = [&](std::uint64_t at) {
    const auto found = index.page_of(id, at);
    return found ? found->elf_page : 0;
  };
  const std::uint64_t first = file_off & ~kTextPageMask;
  EXPECT_EQ(page(first), 0x1000u);
  EXPECT_EQ(page(file_off), 0x1000u);
  EXPECT_EQ(page(first + 0x1000), 0x2000u);
  EXPECT_EQ(page(first + 0x3000), 0u);
}

TEST(TextIndex, FindsProgramsWithFixedAddressesByAddress) {
  TextIndex index;
  index.add("pie", RiscvProgram(1, 2, 0x1000).elf(ET_DYN, "pie"));
  const auto fixed =
      index.add("static", RiscvProgram(2, 2, 0x10000).elf(ET_EXEC, "static"));
  EXPECT_EQ(index.fixed_at(0x11234), std::vector<BinaryId>{*fixed});
  EXPECT_TRUE(index.fixed_at(0x1000).empty());
  EXPECT_TRUE(index.fixed_at(0x12000).empty());
}

TEST(PageEvidence, AWrongInstructionWordContradicts) {
  const std::string nop = {'\x13', 0, 0, 0};
  const TextPageView page{nop, 0};
  Fit fit;
  check_step({.offset = 0, .has_bits = true, .bits = 0x13}, page, fit);
  EXPECT_EQ(fit.contradictions, 0u);
  check_step({.offset = 0, .has_bits = true, .bits = 0x93}, page, fit);
  EXPECT_EQ(fit.contradictions, 1u);
}

TEST(PageEvidence, AStepMustBePossible) {
  struct Case {
    std::uint32_t bits;
    std::int32_t next;
    bool possible;
  };
  for (const Case& c : {
           Case{0x00000013, 4, true},  // nop
           Case{0x00000013, 2, false},
           Case{0x00000013, 8, false},
           Case{0x00000013, CodeStep::kFar, true},  // interrupted
           Case{0x0001, 2, true},                   // c.nop
           Case{0x0001, 4, false},
           Case{0x00b50463, 4, true},  // beq a0, a1, .+8
           Case{0x00b50463, 8, true},
           Case{0x00b50463, 12, false},
           Case{0xfe0006e3, -20, true},    // beqz x0, .-20
           Case{0x100000ef, 0x100, true},  // jal ra, .+0x100
           Case{0x100000ef, 4, false},
           Case{0xbfc5, -16, true},  // c.j .-16
           Case{0xbfc5, 2, false},
           Case{0xc111, 4, true},  // c.beqz a0, .+4
           Case{0xc111, 2, true},
           Case{0xc111, 6, false},
           Case{0x8082, -400, true},  // ret
           Case{0x8082, 2, false},
           Case{0x00000073, 4, true},  // ecall, traced without a kernel
           Case{0x00000073, CodeStep::kFar, true},
       }) {
    std::string text;
    append_raw(text, c.bits);
    Fit fit;
    check_step({.offset = 0, .next = c.next}, {text, 0}, fit);
    EXPECT_EQ(fit.contradictions == 0, c.possible)
        << std::hex << c.bits << ' ' << c.next;
  }
}

TEST(PageEvidence, TheSameBitsAreACallIn32BitFilesAndAnAdditionIn64BitOnes) {
  const std::string c_jal = {'\x11', '\x20'};  // jal ra, .+4; addiw x0, x0, 4
  const auto contradicts = [&](std::int32_t next, Xlen xlen) {
    Fit fit;
    check_step({.offset = 0, .next = next}, {c_jal, 0, xlen}, fit);
    return fit.contradictions > 0;
  };
  EXPECT_FALSE(contradicts(4, Xlen::k32));
  EXPECT_TRUE(contradicts(2, Xlen::k32));
  EXPECT_TRUE(contradicts(4, Xlen::k64));
  EXPECT_FALSE(contradicts(2, Xlen::k64));
}

TEST(TextIndex, DecodesAPageWithTheXlenOfItsFile) {
  for (const bool is_64 : {true, false}) {
    ElfBuilder elf({.is_64 = is_64, .machine = EM_RISCV, .type = ET_EXEC});
    elf.add_section({.name = ".text",
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .address = 0x10000,
                     .content = "1234"});
    TextIndex index;
    const auto id = index.add("program", elf.file());
    ASSERT_TRUE(id);
    EXPECT_EQ(index.view({*id, 0x10000}).xlen, is_64 ? Xlen::k64 : Xlen::k32);
  }
}

TEST(PageEvidence, CodeBeyondTheTextContradicts) {
  const std::string text(16, '\x01');
  Fit fit;
  check_step({.offset = 0, .next = 2}, {text, -4}, fit);   // before it
  check_step({.offset = 20, .next = 2}, {text, -4}, fit);  // after it
  EXPECT_EQ(fit.contradictions, 2u);
}

TEST(PageEvidence, KeepsEachStepOnceAndALimitedNumber) {
  PageEvidence evidence;
  EXPECT_TRUE(evidence.add({.offset = 8, .next = 2}));
  EXPECT_FALSE(evidence.add({.offset = 8, .next = 2}));
  EXPECT_TRUE(evidence.add({.offset = 8, .next = 40}));  // the branch is taken
  EXPECT_FALSE(evidence.add({.offset = 10}));            // proves nothing
  for (std::uint16_t offset = 0; offset < 4096; offset += 2)
    evidence.add({.offset = offset, .next = 4});
  EXPECT_EQ(evidence.size(), PageEvidence::kMaxSteps);
}

}  // namespace
}  // namespace wick
