// SPDX-License-Identifier: Apache-2.0
// What files of code cost follows their size: twice as many sections, symbols,
// unwind rules or compiled functions allocate twice as much.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/append.h"
#include "base/bytes.h"
#include "builders/cfi_builder.h"
#include "builders/cost.h"
#include "builders/elf_builder.h"
#include "builders/test_folder.h"
#include "object/jit/jit_map.h"
#include "object/module_symbols.h"

namespace wick {
namespace {

constexpr std::uint64_t kText = 0x1000;

ElfBuilder code_of(int n) {
  ElfBuilder elf;
  elf.add_section(
      {.name = ".text",
       .flags = SHF_ALLOC | SHF_EXECINSTR,
       .address = kText,
       .content = std::string(static_cast<std::size_t>(n), '\x90')});
  return elf;
}

// Everything that a report asks of a file, at many addresses.
void ask(const std::string& path, int n) {
  const auto file = ElfFile::open(path);
  file->build_id();
  for (const ElfFile::Section& section : file->sections()) file->bytes(section);
  DebugFiles files({});
  ModuleSymbols names(files, {.path = path}, {.elf = file},
                      {.addresses = CodeAddresses::kExact});
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < n; ++i)
    addresses.push_back(kText + static_cast<std::uint64_t>(i));
  names.resolve({addresses});
}

// The same, of a file on disk: one in memory is not copied.
std::function<void()> asking(const TestFolder& folder, const ElfBuilder& elf,
                             int n) {
  const std::string path = folder.path() + "/" + std::to_string(n);
  std::ofstream(path, std::ios::binary) << elf.bytes();
  return [path, n] { ask(path, n); };
}

// `run(n)` makes the input of size n, and returns what is measured.
template <class Run>
void expect_linear(Run run) {
  constexpr int kSize = 2000;
  Cost costs[2];
  for (int i = 0; i < 2; ++i) {
    const std::function<void()> measured = run((i + 1) * kSize);
    costs[i] = cost_of([&](std::ostream&) { measured(); });
  }
  expect_doubled_at_most(costs[0], costs[1]);
}

TEST(CodeCosts, OfSectionsThatSpanTheFileDoubleAtMost) {
  for (const std::uint32_t type : {SHT_NOTE, SHT_PROGBITS, SHT_SYMTAB}) {
    SCOPED_TRACE(type);
    const TestFolder folder;
    expect_linear([&](int n) {
      ElfBuilder elf = code_of(n);
      for (int i = 0; i < n; ++i)
        elf.add_section({.name = ".x",
                         .type = type,
                         .content = "12345678",
                         .size = static_cast<std::uint64_t>(n) * 64});
      return asking(folder, elf, n);
    });
  }
}

TEST(CodeCosts, OfSymbolsAtOneAddressDoubleAtMost) {
  const TestFolder folder;
  expect_linear([&](int n) {
    ElfBuilder elf = code_of(n);
    for (int i = 0; i < n; ++i)
      elf.add_symbol({.name = "f" + std::to_string(i),
                      .value = kText,
                      .size = static_cast<std::uint64_t>(n)});
    return asking(folder, elf, n);
  });
}

TEST(CodeCosts, OfNestedSymbolsDoubleAtMost) {
  const TestFolder folder;
  expect_linear([&](int n) {
    ElfBuilder elf = code_of(2 * n);
    for (int i = 0; i < n; ++i)
      elf.add_symbol({.name = "f" + std::to_string(i),
                      .value = kText + static_cast<std::uint64_t>(i),
                      .size = static_cast<std::uint64_t>(2 * (n - i))});
    return asking(folder, elf, n);
  });
}

TEST(CodeCosts, OfUnwindRulesThatOverlapDoubleAtMost) {
  expect_linear([](int n) {
    CfiBuilder cfi(0x100000);
    const auto cie = cfi.add_cie({.program = cfa::def_cfa(7, 8)});
    for (int i = 0; i < n; ++i)
      cfi.add_fde(cie, kText + static_cast<std::uint64_t>(i),
                  static_cast<std::uint64_t>(n),
                  cfa::advance(1) + cfa::def_cfa_offset(16));
    return [cfi, n] {
      const UnwindTable table = cfi.table();
      for (int i = 0; i < n; ++i)
        table.find(kText + static_cast<std::uint64_t>(i));
    };
  });
}

TEST(CodeCosts, OfCompiledFunctionsThatNestDoubleAtMost) {
  expect_linear([](int n) {
    std::string text;
    for (int i = 0; i < n; ++i)
      append(text, "{:x} {:x} f{}\n", 0x1000 + i, 2 * (n - i), i);
    return [text, n] {
      const JitMap map = JitMap::from_perf_map(text);
      for (int i = 0; i < n; ++i)
        map.find(kText + static_cast<std::uint64_t>(i));
    };
  });
}

// A jitdump of functions at overlapping addresses, each with a line.
std::string jitdump(int n) {
  std::string out("DTiJ");
  for (const std::uint32_t word : {1, 40, 62, 0, 7}) append_raw(out, word);
  append_raw(out, std::uint64_t{1});  // time
  append_raw(out, std::uint64_t{0});  // flags
  const auto record = [&](std::uint32_t kind, const std::string& body) {
    append_raw(out, kind);
    append_raw(out, static_cast<std::uint32_t>(16 + body.size()));
    append_raw(out, std::uint64_t{1});
    out += body;
  };
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) {
    std::string lines, load;
    for (const std::uint64_t value : {kText + i, std::uint64_t{1}, kText + i})
      append_raw(lines, value);
    append_raw(lines, static_cast<std::uint32_t>(i));
    append_raw(lines, std::uint32_t{0});
    record(2, lines + std::string("a.js", 5));
    for (const std::uint32_t id : {7, 7}) append_raw(load, id);
    for (const std::uint64_t value :
         {kText + i, kText + i, std::uint64_t{1000}, i})
      append_raw(load, value);
    record(0, load + "f" + std::to_string(i) + std::string(1, '\0'));
  }
  return out;
}

TEST(CodeCosts, OfAJitdumpDoubleAtMost) {
  ASSERT_EQ(JitMap::from_jitdump(jitdump(2)).find(kText)->name, "f0");
  expect_linear([](int n) {
    return [bytes = jitdump(n), n] {
      const JitMap map = JitMap::from_jitdump(bytes);
      for (int i = 0; i < n; ++i) {
        const std::uint64_t address = kText + static_cast<std::uint64_t>(i);
        map.line(*map.find(address), address);
      }
    };
  });
}

}  // namespace
}  // namespace wick
