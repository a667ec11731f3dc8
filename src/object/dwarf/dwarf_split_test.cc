// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_split.h"

#include <gtest/gtest.h>

#include "builders/debug_info_text.h"
#include "object/dwarf/dwarf_constants.h"

namespace wick {
namespace {

constexpr std::uint64_t kId = 0x1122334455667788;

// The unit in the main file: code, lines, and where the rest is.
DwarfBuilder skeleton() {
  DwarfBuilder dwarf({.version = 5});
  dwarf.addr.assign(8, '\0');
  dwarf.put_address(dwarf.addr, 0x1000);
  const auto lines = dwarf.lines({{0x1000, 1, 10}, {0x2000}});
  dwarf.begin_unit(DW_UT_skeleton, kId);
  dwarf.leaf(DW_TAG_skeleton_unit,
             {text(DW_AT_comp_dir, "/src"), text(DW_AT_dwo_name, "a.dwo"),
              address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x1000),
              offset(DW_AT_stmt_list, lines), offset(DW_AT_addr_base, 8)});
  dwarf.end_unit();
  return dwarf;
}

// What it stands for. Nothing here says where its tables begin.
DwarfBuilder split_unit(std::uint64_t id) {
  DwarfBuilder dwo({.version = 5});
  dwo.suffix = ".dwo";
  dwo.str = std::string("other\0inlined\0main\0", 19);
  dwo.str_offsets.assign(8, '\0');
  for (const std::uint64_t text : {0, 6, 14})
    dwo.put_offset(dwo.str_offsets, text);
  dwo.rnglists.assign(12, '\0');
  dwo.put_offset(dwo.rnglists, 4);
  dwo.rnglists += std::string("\x04\x10\x20\x00", 4);
  dwo.begin_unit(DW_UT_split_compile, id);
  dwo.open(DW_TAG_compile_unit, {});
  const auto inlined =
      dwo.leaf(DW_TAG_subprogram, {{DW_AT_name, DW_FORM_strx1, 1}});
  dwo.open(DW_TAG_subprogram, {{DW_AT_name, DW_FORM_strx1, 2},
                               {DW_AT_low_pc, DW_FORM_addrx, 0},
                               number(DW_AT_high_pc, 0x100)});
  dwo.leaf(DW_TAG_inlined_subroutine,
           {{DW_AT_abstract_origin, DW_FORM_ref4, dwo.unit_offset(inlined)},
            {DW_AT_ranges, DW_FORM_rnglistx, 0},
            number(DW_AT_call_file, 2),
            number(DW_AT_call_line, 7)});
  dwo.close();
  dwo.close();
  dwo.end_unit();
  return dwo;
}

// A package of one unit, which does not begin where its sections do.
ElfBuilder package() {
  DwarfBuilder dwo = split_unit(kId);
  const auto after = [](std::string& section) {
    const std::size_t size = section.size();
    section.insert(0, "another unit's");
    return std::pair(std::size_t{14}, size);
  };
  const std::pair<std::size_t, std::size_t> parts[] = {{0, dwo.info.size()},
                                                       after(dwo.abbrev),
                                                       after(dwo.str_offsets),
                                                       after(dwo.rnglists)};
  std::string index;
  dwo.put(index, 5, 2);
  dwo.put(index, 0, 2);
  dwo.put(index, 4, 4);  // columns
  dwo.put(index, 1, 4);  // units
  dwo.put(index, 2, 4);  // slots
  dwo.put(index, kId, 8);
  dwo.put(index, 0, 8);
  dwo.put(index, 1, 4);
  dwo.put(index, 0, 4);
  for (const std::uint32_t kind :
       {DW_SECT_INFO, DW_SECT_ABBREV, DW_SECT_STR_OFFSETS, DW_SECT_RNGLISTS})
    dwo.put(index, kind, 4);
  for (const auto& part : parts) dwo.put(index, part.first, 4);
  for (const auto& part : parts) dwo.put(index, part.second, 4);
  ElfBuilder elf = dwo.elf();
  elf.add_section({.name = ".debug_cu_index", .content = index});
  return elf;
}

const std::vector<std::uint64_t> kAddresses = {0x1000, 0x1010, 0x1020};
const char* const kWhole =
    "1000: main /src/a.c:10\n"
    "1010: main /src/inc/b.h:7 > inlined /src/a.c:10\n"
    "1020: main /src/a.c:10\n";
const char* const kLinesOnly =
    "1000: ? /src/a.c:10\n"
    "1010: ? /src/a.c:10\n"
    "1020: ? /src/a.c:10\n";

TEST(DwarfSplit, FunctionsComeFromTheFileThatTheSkeletonNames) {
  std::string asked;
  EXPECT_EQ(resolved({.main = skeleton().file(),
                      .open_dwo =
                          [&](std::string_view name, std::string_view folder) {
                            asked =
                                std::string(folder) + " " + std::string(name);
                            return split_unit(kId).file();
                          }},
                     kAddresses),
            kWhole);
  EXPECT_EQ(asked, "/src a.dwo");
}

TEST(DwarfSplit, FunctionsComeFromAPackage) {
  auto file = package().file();
  EXPECT_EQ(resolved({.main = skeleton().file(),
                      .open_dwo = [&](auto, auto) { return file; }},
                     kAddresses),
            kWhole);
}

TEST(DwarfSplit, WithoutTheFileThereAreLinesOnly) {
  EXPECT_EQ(resolved({.main = skeleton().file()}, kAddresses), kLinesOnly);
}

TEST(DwarfSplit, AFileThatBelongsToAnotherBuildIsNotUsed) {
  EXPECT_EQ(
      resolved(
          {.main = skeleton().file(),
           .open_dwo = [&](auto, auto) { return split_unit(kId + 1).file(); }},
          kAddresses),
      kLinesOnly);
}

TEST(DwarfSplit, EveryChangedByteOfAPackagesIndexIsSurvived) {
  const std::string whole = package().bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = '\xff';
    std::shared_ptr<const ElfFile> file;
    try {
      file = ElfFile::from_memory("changed", changed);
    } catch (const std::runtime_error&) {
      continue;
    }
    resolved({.main = skeleton().file(),
              .open_dwo = [&](auto, auto) { return file; }},
             kAddresses);
  }
}

}  // namespace
}  // namespace wick
