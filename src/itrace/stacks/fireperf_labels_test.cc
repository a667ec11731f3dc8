// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/fireperf_labels.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "builders/dwarf_builder.h"
#include "builders/elf_builder.h"

namespace wick {
namespace {

// A program whose text is 0x10000 to 0x10100.
class FirePerfLabelsTest : public testing::Test {
 protected:
  // DIEs go here.
  DwarfBuilder dwarf_{{.machine = EM_RISCV, .type = ET_EXEC}};

  FirePerfLabelsTest() {
    dwarf_.begin_unit();
    dwarf_.open(DW_TAG_compile_unit, {text(DW_AT_name, "a.c")});
  }

  void function(const std::string& name, std::uint64_t begin,
                std::uint64_t end) {
    dwarf_.leaf(DW_TAG_subprogram,
                {text(DW_AT_name, name), address(DW_AT_low_pc, begin),
                 address(DW_AT_high_pc, end)});
  }
  void symbol(const std::string& name, std::uint64_t value,
              int type = STT_FUNC) {
    symbols_.push_back({.name = name, .value = value, .size = 4, .type = type});
  }

  std::string labels() {
    dwarf_.close();
    dwarf_.end_unit();
    return labels_of(dwarf_.elf());
  }
  std::string labels_without_dwarf() {
    return labels_of(ElfBuilder({.machine = EM_RISCV, .type = ET_EXEC}));
  }

  std::vector<ElfBuilder::SymbolSpec> symbols_;
  std::uint64_t section_flags_ = SHF_ALLOC | SHF_EXECINSTR;
  std::uint32_t section_type_ = SHT_PROGBITS;

 private:
  // A line for each: begin, end, name; "?" behind one that is no function.
  std::string labels_of(ElfBuilder elf) {
    const std::uint16_t section = elf.add_section(
        {.name = ".text",
         .type = section_type_,
         .flags = section_flags_,
         .address = 0x10000,
         .content = std::string(section_type_ == SHT_NOBITS ? 0 : 0x100, '\0'),
         .size = 0x100});
    for (ElfBuilder::SymbolSpec symbol : symbols_) {
      symbol.section = section;
      elf.add_symbol(symbol);
    }
    CodeMap map({}, {});
    const CodeImageId id = map.add_elf(elf.file(), "program");
    const FirePerfLabels labels(map.image(id), 1);
    std::string out;
    for (std::uint64_t at = 0; at != UINT64_MAX; at = labels.at(at).end) {
      const FirePerfLabels::Span& span = labels.at(at);
      EXPECT_LE(span.begin, at);
      if (!span.name.empty())
        out += fmt::format("{:x} {:x} {}{}\n", span.begin, span.end, span.name,
                           span.is_function ? "" : "?");
    }
    return out;
  }
};

TEST_F(FirePerfLabelsTest, FunctionsOfDwarfComeBeforeSymbols) {
  function("work", 0x10000, 0x10040);
  symbol("$xrv64i2p1", 0x10000, STT_NOTYPE);
  symbol("work", 0x10000);
  symbol(".L12", 0x10010, STT_NOTYPE);
  EXPECT_EQ(labels(), "10000 10040 work\n");
}

TEST_F(FirePerfLabelsTest, TheCodeBetweenFunctionsOfDwarfHasNoLabel) {
  function("first", 0x10000, 0x10010);
  function("second", 0x10020, 0x10030);
  EXPECT_EQ(labels(),
            "10000 10010 first\n"
            "10020 10030 second\n");
}

TEST_F(FirePerfLabelsTest, ASymbolExtendsToTheNextLabelOrTheEndOfTheText) {
  function("second", 0x10020, 0x10030);
  symbol("first", 0x10000);
  symbol("third", 0x10040);
  symbol("fourth", 0x10080);
  EXPECT_EQ(labels(),
            "10000 10020 first\n"
            "10020 10030 second\n"
            "10040 10080 third\n"
            "10080 10100 fourth\n");
}

TEST_F(FirePerfLabelsTest, SymbolsOfEveryTypeCount) {
  symbol("data", 0x10000, STT_OBJECT);
  symbol("$x", 0x10010, STT_NOTYPE);
  symbol("part", 0x10020, STT_SECTION);
  symbol("function", 0x10030);
  EXPECT_EQ(labels_without_dwarf(),
            "10000 10010 data?\n"
            "10010 10020 $x?\n"
            "10020 10030 part?\n"
            "10030 10100 function\n");
}

TEST_F(FirePerfLabelsTest, TheFirstSymbolAtAnAddressCounts) {
  symbol("$xrv64i2p1", 0x10000, STT_NOTYPE);
  symbol("handle_exception", 0x10000);
  EXPECT_EQ(labels_without_dwarf(), "10000 10100 $xrv64i2p1?\n");
}

TEST_F(FirePerfLabelsTest, TheFirstFunctionOfDwarfAtAnAddressCounts) {
  function("first", 0x10000, 0x10010);
  function("second", 0x10000, 0x10020);
  EXPECT_EQ(labels(), "10000 10010 first\n");
}

TEST_F(FirePerfLabelsTest, AFunctionThatBeginsInsideAnotherIsDropped) {
  function("outer", 0x10000, 0x10030);
  function("inner", 0x10010, 0x10080);
  // Dropped as it is, it covers this one.
  symbol("label", 0x10040);
  EXPECT_EQ(labels(), "10000 10030 outer\n");
}

TEST_F(FirePerfLabelsTest, AFunctionMayEndBehindTheText) {
  function("work", 0x100f0, 0x10200);
  EXPECT_EQ(labels(), "100f0 10200 work\n");
}

TEST_F(FirePerfLabelsTest, ASymbolBehindTheTextIsDropped) {
  symbol("work", 0x100f0);
  symbol("end", 0x10100);
  EXPECT_EQ(labels_without_dwarf(), "100f0 10100 work\n");
}

TEST_F(FirePerfLabelsTest, ADebugFileHasSectionsWithoutContent) {
  section_type_ = SHT_NOBITS;
  symbol("work", 0x100f0);
  EXPECT_EQ(labels_without_dwarf(), "100f0 10100 work\n");
}

TEST_F(FirePerfLabelsTest, AFunctionThatEndsBeforeItBeginsIsOneByte) {
  function("odd", 0x10010, 0x10000);
  symbol("label", 0x10020, STT_NOTYPE);
  EXPECT_EQ(labels(),
            "10010 10011 odd\n"
            "10020 10100 label?\n");
}

TEST_F(FirePerfLabelsTest, SymbolsOfOtherSectionsAreNone) {
  section_flags_ = SHF_ALLOC;
  function("work", 0x10000, 0x10010);
  symbol("data", 0x10020);
  EXPECT_EQ(labels(), "10000 10010 work\n");
}

TEST_F(FirePerfLabelsTest, LongNamesAreCut) {
  symbol(std::string(100'000, 'x'), 0x10000);
  EXPECT_EQ(labels_without_dwarf(),
            "10000 10100 " + std::string(4096, 'x') + "\n");
}

}  // namespace
}  // namespace wick
