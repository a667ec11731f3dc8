// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/places.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/bytes.h"
#include "builders/elf_builder.h"
#include "builders/inlined_program.h"
#include "builders/test_folder.h"
#include "builders/traced_code.h"
#include "io/compress.h"

namespace wick {
namespace {

// One line for each instruction of inlined_program(): its place, and what is
// there.
std::string told(CodeMap& map, Places::Detail detail) {
  Places places(map, detail);
  CodePage& page = map.page(SpaceId::kNone, 0x10000);
  std::string out;
  for (std::uint64_t pc = 0x10000; pc < 0x10018; pc += 4) {
    const std::size_t slot = CodePage::slot(pc);
    places.fill(page, slot);
    EXPECT_LT(page.place(slot), places.count(page.function(slot)));
    out += fmt::format("{:x} {}:", pc, page.place(slot));
    for (const Places::Frame& frame :
         places.frames(page.function(slot), page.place(slot)))
      out += fmt::format(" {}{} {}:{}", frame.inlined ? "> " : "",
                         frame.function, frame.file, frame.line);
    out += '\n';
  }
  return out;
}

std::string told(Places::Detail detail) {
  CodeMap map({}, {});
  map.add_elf(inlined_program(), "program");
  return told(map, detail);
}

// The text of inlined_program() alone, with a link to `debug`.
std::string stripped_program(std::string debug_name, std::string_view debug) {
  ElfBuilder elf({.machine = EM_RISCV, .type = ET_EXEC});
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x10000,
                   .content = std::string(0x18, '\0')});
  debug_name.resize((debug_name.size() + 4) / 4 * 4);
  append_raw(debug_name, crc32(debug));
  elf.add_section({.name = ".gnu_debuglink", .content = debug_name});
  return elf.bytes();
}

TEST(Places, OfAFunctionAreTheChainsOfItsInlinedCalls) {
  EXPECT_EQ(
      told(Places::Detail::kInlines),
      "10000 0: main /src/a.c:0\n"
      "10004 1: main /src/a.c:0 > mid /src/inc/b.h:0\n"
      "10008 2: main /src/a.c:0 > mid /src/inc/b.h:0 > leaf /src/inc/c.h:0\n"
      "1000c 1: main /src/a.c:0 > mid /src/inc/b.h:0\n"
      "10010 0: main /src/a.c:0\n"
      "10014 0: main /src/a.c:0\n");
}

TEST(Places, AreToldApartByLinesOnRequest) {
  EXPECT_EQ(
      told(Places::Detail::kLines),
      "10000 0: main /src/a.c:5\n"
      "10004 1: main /src/a.c:7 > mid /src/inc/b.h:11\n"
      "10008 2: main /src/a.c:7 > mid /src/inc/b.h:12 > leaf /src/inc/c.h:20\n"
      "1000c 3: main /src/a.c:7 > mid /src/inc/b.h:13\n"
      "10010 4: main /src/a.c:8\n"
      "10014 4: main /src/a.c:8\n");
}

TEST(Places, OfAStrippedFileComeFromItsDebugFile) {
  const TestFolder folder;
  const std::string path = folder.path() + "/program";
  const std::string debug = inlined_program_bytes();
  std::ofstream(path, std::ios::binary)
      << stripped_program("program.debug", debug);
  std::ofstream(path + ".debug", std::ios::binary) << debug;
  CodeMap map({.elfs = {path}}, {}, {.use_cache = false});
  EXPECT_EQ(told(map, Places::Detail::kLines), told(Places::Detail::kLines));
}

// Of the instructions of four bytes, whether each is counted with the one
// before it.
TEST(Places, AreMarkedWhereTheyBegin) {
  CodeMap map({}, {});
  map.add_elf(inlined_program(), "program");
  Places places(map, Places::Detail::kInlines);
  CodePage& page = map.page(SpaceId::kNone, 0x10000);
  places.fill(page, 0);
  std::vector<bool> goes_on;
  for (std::size_t slot = 0; slot < 12; slot += 2)
    goes_on.push_back(page.flow[slot].goes_on());
  EXPECT_EQ(goes_on, (std::vector{false, false, false, false, false, true}));
}

TEST(Places, AreOnePerFunctionOnRequest) {
  EXPECT_EQ(told(Places::Detail::kFunctions),
            "10000 0:\n10004 0:\n10008 0:\n1000c 0:\n10010 0:\n10014 0:\n");
}

TEST(Places, AreOnePerFunctionWithoutDebugInformation) {
  TracedCode code;
  code.function("main", "nop nop");
  CodeMap map({}, {});
  code.add_to(map);
  Places places(map, Places::Detail::kLines);
  const FunctionId main = map.find_function("main");
  EXPECT_EQ(places.count(main), 1);
  EXPECT_TRUE(places.frames(main, 0).empty());
  EXPECT_EQ(places.elf_addr(main, 0), map.function(main).start);
}

}  // namespace
}  // namespace wick
