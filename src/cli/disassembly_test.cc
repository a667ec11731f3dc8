// SPDX-License-Identifier: Apache-2.0
#include "cli/disassembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(std::string_view printed, std::uint64_t start,
                               std::uint64_t size) {
  std::vector<std::string> all;
  for (const auto& [offset, text] : parse_instructions(printed, start, size))
    all.push_back(std::to_string(offset) + " " + text);
  return all;
}

TEST(Disassembly, HasTheInstructionsOfOneFunction) {
  EXPECT_THAT(
      texts("/proc/self/fd/0:     file format elf64-x86-64\n"
            "\n"
            "Disassembly of section .text:\n"
            "\n"
            "0000000000001139 <spin>:\n"
            "    1139:\tpush   %rbp\n"
            "    113a:\tcall   1030 <puts@plt>\n"
            "    113f:\tret\n"
            "\n"
            "0000000000001140 <next>:\n"
            "    1140:\tnop\n",
            0x1139, 7),
      ElementsAre("0 push   %rbp", "1 call   1030 <puts@plt>", "6 ret"));
}

TEST(Disassembly, LeavesOutWhatIsNoInstructionInOrder) {
  EXPECT_THAT(texts("    1004:\tsecond\n"
                    "    1000:\tbefore it\n"
                    "    1004:\tsecond again\n"
                    "    1005:\t\n"
                    "    zzzz:\tno address\n"
                    "    ffffffffffffffff1:\ttoo large\n"
                    "    1008:\tthird\n"
                    "    100c:\tcut of",
                    0x1000, 64),
              ElementsAre("4 second", "8 third"));
}

TEST(Disassembly, IsPlainText) {
  EXPECT_THAT(texts("    10:\ta\x1b[31m\xff\tb\n", 0x10, 1),
              ElementsAre("0 a [31m\xef\xbf\xbd b"));
  EXPECT_THAT(texts("    10:\t" + std::string(1000, 'x') + "\n", 0x10, 1),
              ElementsAre("0 " + std::string(200, 'x')));
}

}  // namespace
}  // namespace wick
