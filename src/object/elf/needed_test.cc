// SPDX-License-Identifier: Apache-2.0
#include "object/elf/needed.h"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace wick
