// SPDX-License-Identifier: Apache-2.0
#include "object/elf/needed.h"

#include <elf.h>
#include <gmock/gmock.h>

#include "builders/elf_builder.h"

namespace wick {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Needed, AProgramNeedsItsLibrariesAndTheLoader) {
  const Needed needed = needed_by(*ElfFile::open("/proc/self/exe"));
  EXPECT_THAT(needed.libraries, Contains(StartsWith("libc.")));
  EXPECT_THAT(needed.loader, AllOf(StartsWith("/"), HasSubstr("ld-")));
}

TEST(Needed, AFileWithoutSegmentsNeedsNothing) {
  const std::string header(
      "\x7f"
      "ELF\x02\x01\x01",
      7);
  const auto file =
      ElfFile::from_memory("x", header + std::string(9, '\0') +
                                    std::string("\x03\0\x3e\0\x01\0\0\0", 8) +
                                    std::string(40, '\0'));
  const Needed needed = needed_by(*file);
  EXPECT_THAT(needed.libraries, IsEmpty());
  EXPECT_EQ(needed.loader, "");
}

struct Linked {
  std::uint16_t type = ET_DYN;
  bool has_loader = false, has_name = false, is_pie = false;
};

bool is_main_program(const Linked& how) {
  ElfBuilder elf({.type = how.type});
  const std::string names("\0libc.so.6", 11);
  elf.add_section({.name = ".dynstr",
                   .type = SHT_STRTAB,
                   .flags = SHF_ALLOC,
                   .address = 0x1000,
                   .content = names});
  if (how.has_loader)
    elf.add_section({.name = ".interp",
                     .flags = SHF_ALLOC,
                     .address = 0x2000,
                     .content = "/lib/ld.so"});
  std::string dynamic;
  const auto put = [&](std::uint64_t tag, std::uint64_t value) {
    elf.put_word(dynamic, tag);
    elf.put_word(dynamic, value);
  };
  put(DT_STRTAB, 0x1000);
  put(DT_STRSZ, names.size());
  if (how.has_name) put(DT_SONAME, 1);
  if (how.is_pie) put(DT_FLAGS_1, DF_1_NOW | DF_1_PIE);
  elf.add_section({.name = ".dynamic",
                   .type = SHT_DYNAMIC,
                   .flags = SHF_ALLOC,
                   .address = 0x3000,
                   .content = dynamic});
  return is_main_program(*elf.file());
}

TEST(Needed, ProgramsAreToldFromLibraries) {
  EXPECT_TRUE(is_main_program({.type = ET_EXEC}));
  EXPECT_TRUE(is_main_program({.is_pie = true}));  // also a static one
  EXPECT_TRUE(is_main_program({.has_loader = true}));
  EXPECT_FALSE(is_main_program(Linked{}));
  EXPECT_FALSE(is_main_program({.has_name = true}));
  // libc.so.6 can be executed.
  EXPECT_FALSE(is_main_program({.has_loader = true, .has_name = true}));
  EXPECT_FALSE(is_main_program({.type = ET_REL}));
}

}  // namespace
}  // namespace wick
