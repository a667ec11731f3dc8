// SPDX-License-Identifier: Apache-2.0
#include "object/module_symbols.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "builders/elf_builder.h"
#include "builders/inlined_program.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

constexpr std::string_view kId = "abcdefgh";

ElfBuilder code() {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(64, '\x90')});
  elf.add_build_id(kId);
  return elf;
}

// "main /src/a.c:7 > mid /src/inc/b.h:11"; "-" for an address without a row.
std::string frames_at(const Resolved& resolved, std::uint64_t address) {
  const Resolved::Row* row = resolved.find(address);
  if (row == nullptr) return "-";
  std::string out;
  for (const ResolvedFrame& frame : resolved.frames(*row)) {
    if (!out.empty()) out += " > ";
    out += resolved[frame.function];
    if (frame.file != 0)
      out += " " + std::string(resolved[frame.file]) + ":" +
             std::to_string(frame.line);
  }
  return out;
}

class ModuleSymbolsTest : public testing::Test {
 protected:
  ModuleSymbols open(const ElfBuilder& elf,
                     const ModuleSymbols::Options& options = {}) {
    return {files_, {.path = "/lib/a.so"}, {.elf = elf.file()}, options};
  }
  void put_debug_file(const std::string& bytes) const {
    const std::string id = to_hexadecimal(kId);
    const std::string folder =
        temporary_.path() + "/usr/lib/debug/.build-id/" + id.substr(0, 2);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/" + id.substr(2) + ".debug", std::ios::binary)
        << bytes;
  }

  TestFolder temporary_;
  DebugFiles files_{{.symfs = temporary_.path()}};
  SymbolCache cache_{OutputName::typed(temporary_.path() + "/cache")};
};

TEST_F(ModuleSymbolsTest, LinesAndInlinedCallsComeFromDebugInformation) {
  ModuleSymbols names(files_, {.path = "/bin/a"}, {.elf = inlined_program()},
                      {.addresses = CodeAddresses::kExact});
  EXPECT_EQ(frames_at(names.resolve({{0x10004}}), 0x10004),
            "main /src/a.c:7 > mid /src/inc/b.h:11");
}

TEST_F(ModuleSymbolsTest, WithoutInlinesDebugInformationIsNotRead) {
  ModuleSymbols names(files_, {.path = "/bin/a"}, {.elf = inlined_program()},
                      {.inlines = false});
  EXPECT_EQ(frames_at(names.resolve({{0x10004}}), 0x10004), "main");
}

TEST_F(ModuleSymbolsTest, EarlierAnswersStayWhenMoreIsAsked) {
  ElfBuilder elf = code();
  elf.add_symbol({.name = "one", .value = 0x1000, .size = 16});
  elf.add_symbol({.name = "two", .value = 0x1010, .size = 16});
  ModuleSymbols names = open(elf);
  names.resolve({{0x1010}});
  const Resolved& resolved = names.resolve({{0x1000, 0x1010}});
  EXPECT_EQ(frames_at(resolved, 0x1000), "one");
  EXPECT_EQ(frames_at(resolved, 0x1010), "two");
  EXPECT_EQ(resolved.rows().size(), 2u);
}

TEST_F(ModuleSymbolsTest, ASeparateDebugFileIsFoundByBuildId) {
  ElfBuilder debug = code();
  debug.add_symbol({.name = "in_debug_file", .value = 0x1000, .size = 16});
  put_debug_file(debug.bytes());
  ModuleSymbols names = open(code());
  EXPECT_EQ(frames_at(names.resolve({{0x1004}}), 0x1004), "in_debug_file");
  EXPECT_EQ(names.symbols().begin()->name, "in_debug_file");
  EXPECT_EQ(names.why_no_names(), NoNames::kNotKnown);
}

TEST_F(ModuleSymbolsTest, AFileWithoutSymbolsIsStripped) {
  EXPECT_EQ(open(code()).why_no_names(), NoNames::kStripped);
}

// A frame that continues at __restore_rt has called nothing: a signal handler
// returns there. An instruction just before it belongs to the function before.
TEST_F(ModuleSymbolsTest, ExactAddressesAreNotTakenForCalls) {
  ElfBuilder elf = code();
  elf.add_symbol({.name = "before", .value = 0x1000, .size = 16});
  elf.add_symbol({.name = "__restore_rt", .value = 0x1010, .size = 16});
  ModuleSymbols callers = open(elf);
  EXPECT_EQ(frames_at(callers.resolve({{0x100f}}), 0x100f), "__restore_rt");
  ModuleSymbols exact = open(elf, {.addresses = CodeAddresses::kExact});
  EXPECT_EQ(frames_at(exact.resolve({{0x100f}}), 0x100f), "before");
}

TEST_F(ModuleSymbolsTest, TheCacheHasWhatWasSaved) {
  ElfBuilder elf = code();
  elf.add_symbol({.name = "one", .value = 0x1000, .size = 16});
  elf.add_symbol({.name = "two", .value = 0x1010, .size = 16});
  {
    ModuleSymbols names = open(elf, {.cache = &cache_});
    names.resolve({{0x1000}});
    names.save();
  }
  ModuleSymbols names = open(elf, {.cache = &cache_});
  const Resolved& resolved = names.resolve({{0x1010}});
  EXPECT_EQ(frames_at(resolved, 0x1000), "one");
  EXPECT_EQ(frames_at(resolved, 0x1010), "two");
}

TEST_F(ModuleSymbolsTest, ListsOfKernelSymbolsAreCachedApart) {
  constexpr std::uint64_t kStart = 0xffffffff81000000;
  const auto name_by = [&](const std::string& list) {
    DebugFiles files({.kallsyms = temporary_.path() + "/" + list});
    ModuleSymbols names(files,
                        {.path = "[kernel.kallsyms]",
                         .build_id = to_hexadecimal(kId),
                         .kind = CodeKind::kKernel},
                        {}, {.kernel_start = kStart, .cache = &cache_});
    std::string name = frames_at(names.resolve({{0x10}}), 0x10);
    names.save();
    return name;
  };
  for (const std::string name : {"one", "two"})
    std::ofstream(temporary_.path() + "/" + name)
        << "ffffffff81000000 T _text\nffffffff81000008 T " << name << "\n";
  EXPECT_EQ(name_by("one"), "one");
  EXPECT_EQ(name_by("two"), "two");
}

TEST_F(ModuleSymbolsTest, ExactAddressesAndThoseOfCallersAreCachedApart) {
  ElfBuilder elf = code();
  elf.add_symbol({.name = "one", .value = 0x1000, .size = 16});
  ModuleSymbols callers = open(elf, {.cache = &cache_});
  callers.resolve({{0x1000}});
  callers.save();
  ModuleSymbols exact =
      open(elf, {.addresses = CodeAddresses::kExact, .cache = &cache_});
  EXPECT_EQ(frames_at(exact.resolve({{0x1001}}), 0x1000), "-");
}

}  // namespace
}  // namespace wick
