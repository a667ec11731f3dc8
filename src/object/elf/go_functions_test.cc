// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/bytes.h"
#include "builders/elf_builder.h"
#include "object/elf/elf_file.h"
#include "object/elf/symbol_table.h"

namespace wick {
namespace {

constexpr std::uint64_t kText = 0x401000;

enum class Version { k12, k116, k118, k120 };

struct GoFunction {
  std::uint64_t start;  // after kText
  std::string name;
};

// A .gopclntab of these functions, of which the last ends at kText + `end`.
struct GoTableSpec {
  Version version = Version::k118;
  int pointer = 8;
  std::uint64_t text = kText;
  std::vector<GoFunction> functions = {
      {0, "runtime.text"}, {0x20, "main.spin"}, {0x60, "main.main"}};
  std::uint64_t end = 0x80;
  std::string name_of_all = "";  // instead of theirs

  std::string bytes() const;

 private:
  void put(std::string& out, std::uint64_t value, int width) const {
    if (width == 8)
      append_raw(out, value);
    else
      append_raw(out, static_cast<std::uint32_t>(value));
  }
};

std::string GoTableSpec::bytes() const {
  const bool is_new = version >= Version::k118, is_12 = version == Version::k12;
  const int width = is_new ? 4 : pointer;
  const std::uint64_t base = is_new ? 0 : kText;
  const std::size_t header =
      8 + static_cast<std::size_t>(pointer * (is_12    ? 1
                                              : is_new ? 8
                                                       : 7));
  const std::size_t index_size =
      static_cast<std::size_t>(width) * (2 * functions.size() + 1);
  const std::size_t description = static_cast<std::size_t>(width) + 4;
  const std::size_t names_at =
      header + index_size + description * functions.size();
  std::string out, index, descriptions, names;
  for (const GoFunction& function : functions) {
    put(index, base + function.start, width);
    put(index, (is_12 ? header : 0) + index_size + descriptions.size(), width);
    put(descriptions, base + function.start, width);
    put(descriptions, (is_12 ? names_at : 0) + names.size(), 4);
    if (name_of_all.empty()) names += function.name + '\0';
  }
  names += name_of_all;
  put(index, base + end, width);
  static constexpr std::uint32_t kMagics[] = {0xfffffffb, 0xfffffffa,
                                              0xfffffff0, 0xfffffff1};
  append_raw(out, kMagics[static_cast<int>(version)]);
  out += std::string("\0\0\1", 3) + static_cast<char>(pointer);
  put(out, functions.size(), pointer);
  if (!is_12) {
    put(out, 0, pointer);
    if (is_new) put(out, text, pointer);
    put(out, names_at, pointer);
    for (int i = 0; i < 3; ++i) put(out, 0, pointer);
    put(out, header, pointer);
  }
  return out + index + descriptions + names;
}

ElfBuilder program(const std::string& table,
                   const std::string& section = ".gopclntab") {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = kText,
                   .content = std::string(0x80, '\x90')});
  elf.add_section({.name = section,
                   .flags = SHF_ALLOC,
                   .address = 0x500000,
                   .content = table});
  return elf;
}

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
  for (const Version version :
       {Version::k12, Version::k116, Version::k118, Version::k120})
    for (const int pointer : {4, 8})
      EXPECT_EQ(
          functions_of(program(
              GoTableSpec{.version = version, .pointer = pointer}.bytes())),
          kThree)
          << static_cast<int>(version) << " " << pointer;
}

TEST(GoFunctions, APositionIndependentProgramHasItElsewhere) {
  EXPECT_EQ(
      functions_of(program(GoTableSpec().bytes(), ".data.rel.ro.gopclntab")),
      kThree);
}

TEST(GoFunctions, ALinkerMayPutItAmongOtherData) {
  ElfBuilder elf =
      program(std::string(64, '\xff') + GoTableSpec().bytes(), ".data.rel.ro");
  EXPECT_EQ(functions_of(elf), "");
  elf.add_section({.name = ".go.buildinfo", .flags = SHF_ALLOC});
  EXPECT_EQ(functions_of(elf), kThree);
}

TEST(GoFunctions, WithoutItsAddressCodeBeginsWithItsSection) {
  EXPECT_EQ(functions_of(program(GoTableSpec{.text = 0}.bytes())), kThree);
}

TEST(GoFunctions, OrWhereARelocationSays) {
  ElfBuilder elf = program(GoTableSpec{.text = 0}.bytes());
  std::string relocation;
  append_raw(relocation, std::uint64_t{0x500000 + 24});
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
  ElfBuilder elf = program(GoTableSpec().bytes());
  elf.add_symbol({.name = "main.other", .value = kText, .size = 0x80});
  EXPECT_EQ(functions_of(elf), "401000+80 main.other\n");
}

TEST(GoFunctions, EveryPrefixGivesWhatItHas) {
  for (const Version version : {Version::k12, Version::k116, Version::k118}) {
    const std::string all = GoTableSpec{.version = version}.bytes();
    for (std::size_t size = 0; size + 1 < all.size(); ++size) {
      const std::string got = functions_of(program(all.substr(0, size)));
      EXPECT_NE(got, kThree) << size;
    }
  }
}

TEST(GoFunctions, EveryChangedByteIsSurvived) {
  const std::string all = GoTableSpec().bytes();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string changed = all;
      changed[i] = byte;
      functions_of(program(changed));
    }
}

TEST(GoFunctions, DisorderIsLeftOut) {
  GoTableSpec spec;
  spec.functions[1].start = 0x70;  // after main.main
  EXPECT_EQ(functions_of(program(spec.bytes())),
            "401000+70 runtime.text\n401060+20 main.main\n");
}

TEST(GoFunctions, OneLongNameForAllIsNotSearchedForEach) {
  GoTableSpec spec{.functions = {}, .name_of_all = std::string(100'000, 'n')};
  for (std::uint64_t i = 0; i < 1000; ++i) spec.functions.push_back({i, ""});
  spec.end = 1000;
  const auto file = program(spec.bytes()).file();
  std::size_t bytes = 0;
  for (const Symbol& symbol : SymbolTable::from_elf(*file, nullptr))
    bytes += symbol.name.size();
  EXPECT_LE(bytes, 2 * spec.name_of_all.size());
}

}  // namespace
}  // namespace wick
