// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/bytes.h"
#include "builders/elf_builder.h"
#include "builders/go_table_builder.h"
#include "object/elf/elf_file.h"
#include "object/elf/symbol_table.h"

namespace wick {
namespace {

using Table = GoTableBuilder;

constexpr std::uint64_t kText = Table::kText;

// "401020+40 main.spin\n" for each function.
std::string functions_of(const ElfBuilder& elf) {
  const auto file = elf.file();
  const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
  std::string text;
  for (const Symbol& symbol : table)
    text +=
        fmt::format("{:x}+{:x} {}\n", symbol.start, symbol.size, symbol.name);
  return text;
}

constexpr std::string_view kThree =
    "401000+20 runtime.text\n401020+40 main.spin\n401060+20 main.main\n";

TEST(GoFunctions, EveryVersionIsRead) {
  for (const auto version : {Table::k12, Table::k116, Table::k118, Table::k120})
    for (const int pointer : {4, 8})
      EXPECT_EQ(functions_of(Table::program(
                    Table{.version = version, .pointer = pointer}.bytes())),
                kThree)
          << version << " " << pointer;
}

TEST(GoFunctions, APositionIndependentProgramHasItElsewhere) {
  EXPECT_EQ(
      functions_of(Table::program(Table().bytes(), ".data.rel.ro.gopclntab")),
      kThree);
}

TEST(GoFunctions, ALinkerMayPutItAmongOtherData) {
  ElfBuilder elf =
      Table::program(std::string(64, '\xff') + Table().bytes(), ".data.rel.ro");
  EXPECT_EQ(functions_of(elf), "");
  elf.add_section({.name = ".go.buildinfo", .flags = SHF_ALLOC});
  EXPECT_EQ(functions_of(elf), kThree);
}

TEST(GoFunctions, WithoutItsAddressCodeBeginsWithItsSection) {
  EXPECT_EQ(functions_of(Table::program(Table{.text = 0}.bytes())), kThree);
}

TEST(GoFunctions, OrWhereARelocationSays) {
  ElfBuilder elf = Table::program(Table{.text = 0}.bytes());
  std::string relocation;
  append_raw(relocation, std::uint64_t{Table::kTable + 24});
  append_raw(relocation, std::uint64_t{R_X86_64_RELATIVE});
  append_raw(relocation, kText + 0x20);
  elf.add_section({.name = ".rela.dyn",
                   .type = SHT_RELA,
                   .flags = SHF_ALLOC,
                   .address = 0x600000,
                   .content = relocation});
  EXPECT_EQ(functions_of(elf),
            "401020+20 runtime.text\n401040+40 main.spin\n"
            "401080+20 main.main\n");
}

TEST(GoFunctions, SymbolsAreEnoughWhereThereAreSome) {
  ElfBuilder elf = Table::program(Table().bytes());
  elf.add_symbol({.name = "main.other", .value = kText, .size = 0x80});
  EXPECT_EQ(functions_of(elf), "401000+80 main.other\n");
}

TEST(GoFunctions, SymbolsHaveTheNamesOfTheTable) {
  ElfBuilder elf = Table::program(
      Table{.functions = {{0, "runtime.goexit"}, {0x20, "main.abi0"}}}.bytes());
  elf.add_symbol({.name = "runtime.goexit.abi0", .value = kText, .size = 0x20});
  elf.add_symbol({.name = "main.abi0", .value = kText + 0x20, .size = 0x60});
  EXPECT_EQ(functions_of(elf),
            "401000+20 runtime.goexit\n401020+60 main.abi0\n");
}

TEST(GoFunctions, SymbolsOfOtherProgramsKeepTheirNames) {
  ElfBuilder elf = Table::program("");
  elf.add_symbol({.name = "read.abi0", .value = kText, .size = 0x20});
  EXPECT_EQ(functions_of(elf), "401000+20 read.abi0\n");
}

TEST(GoFunctions, EveryPrefixGivesWhatItHas) {
  for (const auto version : {Table::k12, Table::k116, Table::k118}) {
    const std::string all = Table{.version = version}.bytes();
    for (std::size_t size = 0; size + 1 < all.size(); ++size) {
      const std::string got = functions_of(Table::program(all.substr(0, size)));
      EXPECT_NE(got, kThree) << size;
    }
  }
}

TEST(GoFunctions, EveryChangedByteIsSurvived) {
  const std::string all = Table().bytes();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string changed = all;
      changed[i] = byte;
      functions_of(Table::program(changed));
    }
}

TEST(GoFunctions, DisorderIsLeftOut) {
  Table spec;
  spec.functions[1].start = 0x70;  // after main.main
  EXPECT_EQ(functions_of(Table::program(spec.bytes())),
            "401000+70 runtime.text\n401060+20 main.main\n");
}

TEST(GoFunctions, OneLongNameForAllIsNotSearchedForEach) {
  Table spec{.functions = {}, .name_of_all = std::string(100'000, 'n')};
  for (std::uint64_t i = 0; i < 1000; ++i) spec.functions.push_back({i, ""});
  spec.end = 1000;
  const auto file = Table::program(spec.bytes()).file();
  std::size_t bytes = 0;
  for (const Symbol& symbol : SymbolTable::from_elf(*file, nullptr))
    bytes += symbol.name.size();
  EXPECT_LE(bytes, 2 * spec.name_of_all.size());
}

}  // namespace
}  // namespace wick
