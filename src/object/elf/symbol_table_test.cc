// SPDX-License-Identifier: Apache-2.0
#include "object/elf/symbol_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders/elf_builder.h"
#include "builders/xz.h"

namespace wick {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kCodeFlags = SHF_ALLOC | SHF_EXECINSTR;

// A file with code from 0x1000 to 0x2000.
ElfBuilder with_code(const ElfBuilder::Options& options = {}) {
  ElfBuilder elf(options);
  elf.add_section({.name = ".text",
                   .flags = kCodeFlags,
                   .address = 0x1000,
                   .content = std::string(0x1000, '\x90')});
  return elf;
}

std::vector<std::string> listed(const SymbolTable& table) {
  std::vector<std::string> lines;
  for (const Symbol& s : table)
    lines.push_back(fmt::format("{:x}+{:x} {}", s.start, s.size, s.name));
  return lines;
}

std::vector<std::string> symbols_of(const ElfBuilder& elf) {
  const auto file = elf.file();
  return listed(SymbolTable::from_elf(*file, nullptr));
}

std::string found(const SymbolTable& table, std::uint64_t addr) {
  const Symbol* symbol = table.find(addr);
  return symbol == nullptr ? "-" : std::string(symbol->name);
}

TEST(SymbolTable, FunctionsAreOrderedByAddress) {
  for (const bool is_64 : {true, false})
    for (const bool little : {true, false}) {
      ElfBuilder elf = with_code({.is_64 = is_64, .little_endian = little});
      elf.add_symbol({.name = "b", .value = 0x1800, .size = 0x10});
      elf.add_symbol({.name = "a", .value = 0x1010, .size = 0x20});
      EXPECT_THAT(symbols_of(elf), ElementsAre("1010+20 a", "1800+10 b"));
    }
}

TEST(SymbolTable, AddressesBetweenSymbolsHaveNone) {
  ElfBuilder elf = with_code();
  elf.add_symbol({.name = "a", .value = 0x1010, .size = 0x20});
  elf.add_symbol({.name = "b", .value = 0x1800, .size = 0x10});
  const auto file = elf.file();
  const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
  EXPECT_EQ(found(table, 0x100f), "-");
  EXPECT_EQ(found(table, 0x1010), "a");
  EXPECT_EQ(found(table, 0x102f), "a");
  EXPECT_EQ(found(table, 0x1030), "-");
  EXPECT_EQ(found(table, 0x180f), "b");
  EXPECT_EQ(found(table, 0x1810), "-");
  EXPECT_EQ(found(SymbolTable(), 0x1000), "-");
}

TEST(SymbolTable, TheInnermostOfNestedSymbolsIsFound) {
  ElfBuilder elf = with_code();
  elf.add_symbol({.name = "outer", .value = 0x1000, .size = 0x100});
  elf.add_symbol({.name = "inner", .value = 0x1010, .size = 0x10});
  elf.add_symbol({.name = "innermost", .value = 0x1014, .size = 0x4});
  const auto file = elf.file();
  const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
  EXPECT_EQ(found(table, 0x1012), "inner");
  EXPECT_EQ(found(table, 0x1015), "innermost");
  EXPECT_EQ(found(table, 0x1019), "inner");
  EXPECT_EQ(found(table, 0x1020), "outer");
  EXPECT_EQ(found(table, 0x1100), "-");
}

TEST(SymbolTable, ASignalHandlersCallerIsWhereItReturnsTo) {
  ElfBuilder elf = with_code();
  elf.add_symbol({.name = "before", .value = 0x1000, .size = 0x10});
  elf.add_symbol({.name = "__restore_rt", .value = 0x1010, .size = 0x9});
  elf.add_symbol({.name = "behind", .value = 0x1019, .size = 0x10});
  const auto file = elf.file();
  const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
  const auto caller = [&](std::uint64_t addr) {
    return std::string(table.find_caller(addr)->name);
  };
  EXPECT_EQ(caller(0x100e), "before");
  EXPECT_EQ(caller(0x100f), "__restore_rt");
  EXPECT_EQ(caller(0x1010), "__restore_rt");
  EXPECT_EQ(caller(0x1018), "__restore_rt");
  EXPECT_EQ(caller(0x1019), "behind");
}

TEST(SymbolTable, AFunctionInterruptedAtItsStartIsNotItsPadding) {
  ElfBuilder elf = with_code();
  elf.add_symbol({.name = "before", .value = 0x1000, .size = 0x10});
  elf.add_symbol({.name = "__pfx_f", .value = 0x1010, .size = 0x10});
  elf.add_symbol({.name = "f", .value = 0x1020, .size = 0x10});
  const auto file = elf.file();
  const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
  EXPECT_EQ(table.find_caller(0x100f)->name, "before");
  EXPECT_EQ(table.find_caller(0x101f)->name, "f");
}

TEST(SymbolTable, SymbolWithoutSizeReachesToTheNextOrTheEndOfItsSection) {
  ElfBuilder elf = with_code();
  elf.add_symbol({.name = "first", .value = 0x1000});
  elf.add_symbol({.name = "last", .value = 0x1700});
  EXPECT_THAT(symbols_of(elf), ElementsAre("1000+700 first", "1700+900 last"));
}

TEST(SymbolTable, WhatIsNoFunctionIsLeftOut) {
  ElfBuilder elf = with_code();
  const std::uint16_t data = elf.add_section({.name = ".data",
                                              .flags = SHF_ALLOC | SHF_WRITE,
                                              .address = 0x3000,
                                              .content = "data"});
  elf.add_symbol({.name = "f", .value = 0x1000, .size = 1});
  elf.add_symbol(
      {.name = "ifunc", .value = 0x1001, .size = 1, .type = STT_GNU_IFUNC});
  elf.add_symbol({.name = "label",
                  .value = 0x1002,
                  .size = 1,
                  .type = STT_NOTYPE,
                  .bind = STB_LOCAL});
  elf.add_symbol({.name = "table_in_code",
                  .value = 0x1003,
                  .size = 1,
                  .type = STT_OBJECT});
  elf.add_symbol({.name = "imported", .section = SHN_UNDEF});
  elf.add_symbol({.name = "number",
                  .value = 0x1004,
                  .type = STT_NOTYPE,
                  .section = SHN_ABS});
  elf.add_symbol({.name = "file.c", .value = 0x1005, .type = STT_FILE});
  elf.add_symbol({.name = "variable",
                  .value = 0x3000,
                  .size = 4,
                  .type = STT_OBJECT,
                  .section = data});
  elf.add_symbol(
      {.name = "edata", .value = 0x3004, .type = STT_NOTYPE, .section = data});
  elf.add_symbol({.name = ".L12", .value = 0x1006, .type = STT_NOTYPE});
  EXPECT_THAT(symbols_of(elf),
              ElementsAre("1000+1 f", "1001+1 ifunc", "1002+1 label",
                          "1003+1 table_in_code"));
}

TEST(SymbolTable, MarksOfCodeAndDataAreNoSymbols) {
  ElfBuilder arm = with_code({.machine = EM_AARCH64});
  for (const char* name : {"$x", "$d", "$x.1", "$xyz"})
    arm.add_symbol(
        {.name = name, .value = 0x1000, .size = 4, .type = STT_NOTYPE});
  EXPECT_THAT(symbols_of(arm), ElementsAre("1000+4 $xyz"));
  ElfBuilder riscv = with_code({.machine = EM_RISCV});
  for (const char* name : {"$x", "$d", "$xrv64i2p1_m2p0", "$dollar"})
    riscv.add_symbol(
        {.name = name, .value = 0x1000, .size = 4, .type = STT_NOTYPE});
  EXPECT_THAT(symbols_of(riscv), ElementsAre("1000+4 $dollar"));
}

// One address, two symbols: which of them perf shows.
struct Choice {
  ElfBuilder::SymbolSpec a, b;
  const char* best = nullptr;
};

TEST(SymbolTable, OfSeveralNamesForAnAddressThatOfPerfIsChosen) {
  const Choice choices[] = {
      {{.name = "sized", .size = 8}, {.name = "without"}, "without"},
      {{.name = "without"}, {.name = "size", .size = 8}, "size"},
      {{.name = "weak_and_long", .size = 8, .bind = STB_WEAK},
       {.name = "local", .size = 8, .bind = STB_LOCAL},
       "local"},
      {{.name = "local_and_long", .size = 8, .bind = STB_LOCAL},
       {.name = "global", .size = 8},
       "global"},
      {{.name = "__underscores", .size = 8},
       {.name = "_less", .size = 8},
       "_less"},
      {{.name = "short", .size = 8}, {.name = "longer", .size = 8}, "longer"},
      {{.name = "first", .size = 8}, {.name = "other", .size = 8}, "first"},
      {{.name = "SyS_read", .size = 8},
       {.name = "sys_read", .size = 8},
       "sys_read"},
  };
  for (const Choice& choice : choices) {
    ElfBuilder elf = with_code();
    for (ElfBuilder::SymbolSpec symbol : {choice.a, choice.b}) {
      symbol.value = 0x1000;
      elf.add_symbol(symbol);
    }
    const auto file = elf.file();
    const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
    EXPECT_EQ(table.size(), 1U);
    EXPECT_EQ(found(table, 0x1001), choice.best);
  }
}

TEST(SymbolTable, TablesOfTheFileAndOfItsDebugFileAreMerged) {
  ElfBuilder file = with_code();
  file.add_symbol(
      {.name = "exported", .value = 0x1000, .size = 4, .dynamic = true});
  ElfBuilder debug;
  debug.add_section({.name = ".text",
                     .type = SHT_NOBITS,
                     .flags = kCodeFlags,
                     .address = 0x1000,
                     .size = 0x1000});
  debug.add_symbol(
      {.name = "internal", .value = 0x1010, .size = 4, .bind = STB_LOCAL});
  const auto a = file.file(), b = debug.file();
  EXPECT_THAT(listed(SymbolTable::from_elf(*a, b.get())),
              ElementsAre("1000+4 exported", "1010+4 internal"));
}

TEST(SymbolTable, SymbolsOfARelocatableFileAreAtTheirOffset) {
  ElfBuilder elf({.type = ET_REL});
  elf.add_section({.name = ".text",
                   .flags = kCodeFlags,
                   .content = std::string(64, '\x90')});
  elf.add_symbol({.name = "init_module", .value = 8, .size = 4});
  const auto file = elf.file();
  const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
  EXPECT_EQ(found(table, file->section(".text")->offset + 9), "init_module");
}

TEST(SymbolTable, CompressedSymbolsWithinTheFileAreRead) {
  ElfBuilder mini;
  mini.add_section({.name = ".text",
                    .type = SHT_NOBITS,
                    .flags = kCodeFlags,
                    .address = 0x1000,
                    .size = 0x1000});
  mini.add_symbol({.name = "hidden_inside", .value = 0x1010, .size = 4});
  ElfBuilder elf = with_code();
  elf.add_section({.name = ".gnu_debugdata", .content = xz(mini.bytes())});
  EXPECT_THAT(symbols_of(elf), ElementsAre("1010+4 hidden_inside"));

  ElfBuilder damaged = with_code();
  damaged.add_section(
      {.name = ".gnu_debugdata", .content = xz(mini.bytes()).substr(0, 100)});
  damaged.add_symbol({.name = "f", .value = 0x1000, .size = 4});
  EXPECT_THAT(symbols_of(damaged), ElementsAre("1000+4 f"));
}

// A file with one slot at 0x4018 for `puts` and the given stubs at 0x1000.
std::vector<std::string> stubs_of(std::uint16_t machine, std::uint32_t type,
                                  const std::string& name,
                                  const std::string& code,
                                  std::uint64_t entry_size) {
  ElfBuilder elf({.machine = machine});
  elf.add_section({.name = name,
                   .flags = kCodeFlags,
                   .address = 0x1000,
                   .content = code,
                   .entry_size = entry_size});
  std::string rela;
  elf.put(rela, std::uint64_t{0x4018});
  elf.put(rela, ELF64_R_INFO(std::uint64_t{1}, type));
  elf.put(rela, std::uint64_t{0});
  // The builder puts .dynstr and .dynsym after the given sections.
  elf.add_section({.name = ".rela.plt",
                   .type = SHT_RELA,
                   .flags = SHF_ALLOC,
                   .content = rela,
                   .link = 4,
                   .entry_size = 24});
  elf.add_symbol({.name = "puts", .section = SHN_UNDEF, .dynamic = true});
  return symbols_of(elf);
}

std::string words(std::initializer_list<std::uint32_t> values) {
  std::string out;
  for (const std::uint32_t value : values) append_raw(out, value);
  return out;
}

TEST(PltStubs, X86StubsHaveTheNameOfTheirFunction) {
  const std::string header(16, '\xcc');
  // jmp *0x4018(%rip); push $0; jmp header
  const std::string plain(
      "\xff\x25\x02\x30\0\0\x68\0\0\0\0\xe9\xe0\xff\xff\xff", 16);
  EXPECT_THAT(
      stubs_of(EM_X86_64, R_X86_64_JUMP_SLOT, ".plt", header + plain, 16),
      ElementsAre("1010+10 puts@plt"));
  // endbr64; bnd jmp *0x4018(%rip); nop
  const std::string second(
      "\xf3\x0f\x1e\xfa\xf2\xff\x25\x0d\x30\0\0\x0f\x1f\x44\0\0", 16);
  EXPECT_THAT(stubs_of(EM_X86_64, R_X86_64_JUMP_SLOT, ".plt.sec", second, 16),
              ElementsAre("1000+10 puts@plt"));
  const std::string got("\xff\x25\x12\x30\0\0\x66\x90", 8);
  EXPECT_THAT(stubs_of(EM_X86_64, R_X86_64_GLOB_DAT, ".plt.got", got, 8),
              ElementsAre("1000+8 puts@plt"));
}

TEST(PltStubs, OnlyAHandfulOfSectionsIsLookedAt) {
  ElfBuilder elf({.machine = EM_X86_64});
  std::string rela;
  for (std::uint64_t i = 0; i < 100; ++i) {
    // jmp *0x4018(%rip), each from its own address.
    std::string stub = "\xff\x25";
    elf.put(stub, static_cast<std::uint32_t>(0x3012 - 8 * i));
    elf.add_section({.name = ".plt",
                     .flags = kCodeFlags,
                     .address = 0x1000 + 8 * i,
                     .content = stub + "\x66\x90",
                     .entry_size = 8});
  }
  elf.put(rela, std::uint64_t{0x4018});
  elf.put(rela, ELF64_R_INFO(std::uint64_t{1}, R_X86_64_JUMP_SLOT));
  elf.put(rela, std::uint64_t{0});
  elf.add_section({.name = ".rela.plt",
                   .type = SHT_RELA,
                   .flags = SHF_ALLOC,
                   .content = rela,
                   .link = 103,
                   .entry_size = 24});
  elf.add_symbol({.name = "puts", .section = SHN_UNDEF, .dynamic = true});
  EXPECT_EQ(symbols_of(elf).size(), 16u);
}

TEST(PltStubs, ArmStubsHaveTheNameOfTheirFunction) {
  // adrp x16, 0x4000; ldr x17, [x16, #0x18]; add x16, x16, #0x18; br x17
  const std::string plain =
      words({0xf0000010, 0xf9400e11, 0x91006210, 0xd61f0220});
  EXPECT_THAT(stubs_of(EM_AARCH64, R_AARCH64_JUMP_SLOT, ".plt", plain, 0),
              ElementsAre("1000+10 puts@plt"));
  const std::string bti = words({0xd503245f}) + plain + words({0xd503201f});
  EXPECT_THAT(stubs_of(EM_AARCH64, R_AARCH64_JUMP_SLOT, ".plt", bti, 0),
              ElementsAre("1000+18 puts@plt"));
}

TEST(PltStubs, RiscVStubsHaveTheNameOfTheirFunction) {
  // auipc t3, 3; ld t3, 24(t3); jalr t1, t3; nop
  EXPECT_THAT(
      stubs_of(EM_RISCV, R_RISCV_JUMP_SLOT, ".plt",
               words({0x00003e17, 0x018e3e03, 0x000e0367, 0x00000013}), 16),
      ElementsAre("1000+10 puts@plt"));
}

// Without section headers: the loader's tables, as of a vDSO in memory.
TEST(SymbolTable, SymbolsAreFoundWithoutSectionHeaders) {
  for (const bool gnu : {false, true}) {
    ElfBuilder elf = with_code({.section_headers = false});
    std::string symbols(24, '\0'), hash, dynamic;
    elf.put(symbols, std::uint32_t{1});
    elf.put(symbols, std::uint8_t{ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)});
    elf.put(symbols, std::uint8_t{0});
    elf.put(symbols, std::uint16_t{7});
    elf.put(symbols, std::uint64_t{0x1000});
    elf.put(symbols, std::uint64_t{0x10});
    if (gnu)  // buckets, first symbol, blooms, shift; bloom; bucket; chain
      for (const std::uint32_t word : {1, 1, 1, 0, 0, 0, 1, 0x12345671})
        elf.put(hash, word);
    else  // buckets, symbols; bucket; chain
      for (const std::uint32_t word : {1, 2, 1, 0, 0}) elf.put(hash, word);
    const std::initializer_list<std::uint64_t> entries = {
        gnu ? std::uint64_t{DT_GNU_HASH} : std::uint64_t{DT_HASH},
        0x3000,
        DT_SYMTAB,
        0x4000,
        DT_STRTAB,
        0x5000,
        DT_STRSZ,
        6,
        DT_NULL,
        0};
    for (const std::uint64_t word : entries) elf.put(dynamic, word);
    elf.add_section({.name = ".dynamic",
                     .type = SHT_DYNAMIC,
                     .flags = SHF_ALLOC,
                     .address = 0x2000,
                     .content = dynamic});
    elf.add_section({.name = ".hash",
                     .flags = SHF_ALLOC,
                     .address = 0x3000,
                     .content = hash});
    elf.add_section({.name = ".dynsym",
                     .flags = SHF_ALLOC,
                     .address = 0x4000,
                     .content = symbols});
    elf.add_section({.name = ".dynstr",
                     .flags = SHF_ALLOC,
                     .address = 0x5000,
                     .content = std::string("\0time\0", 6)});
    EXPECT_THAT(symbols_of(elf), ElementsAre("1000+10 time"));
  }
}

TEST(SymbolTable, ReadsTheRunningProgram) {
  const auto file = ElfFile::open("/proc/self/exe");
  const SymbolTable table = SymbolTable::from_elf(*file, nullptr);
  bool main_found = false;
  for (const Symbol& s : table) main_found |= s.name == "main";
  EXPECT_TRUE(main_found);
}

}  // namespace
}  // namespace wick
