// SPDX-License-Identifier: Apache-2.0
// What simulations of a processor in Verilator or VCS print: commit logs
// of Rocket and BOOM.
#include <gtest/gtest.h>

#include "builders/trace_builder.h"

namespace wick {
namespace {

std::uint64_t bad_lines(const ReadTrace& read) {
  return read.diagnostics.count(Problem::kBadLine);
}

// The privileges of all instructions: "3310".
std::string privileges(const ReadTrace& read) {
  std::string out;
  for (const Step& step : read.steps()) out += std::to_string(step.privilege);
  return out;
}

TEST(CommitLog, NeedsNoCore) {
  const ReadTrace read = read_trace(
      "3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000\n"
      "1 0xffffffff80002a20 (0x4501) x10 0x0000000000000000\n"
      "0 0x0000000000010040 (0x00002007) f 0 0x3ff0000000000000\n"
      "0 0x0000000000010044 (0x00000013)\n");
  EXPECT_EQ(read.text(), "0:80000000 1:ffffffff80002a20 2:10040 3:10044");
  EXPECT_EQ(privileges(read), "3100");
  EXPECT_EQ(read.steps().at(1).bits, 0x4501u);
  EXPECT_EQ(read.info.unit, "instructions");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(CommitLog, TakesTheThreadPointerAlsoIfWrittenLater) {
  const ReadTrace read = read_trace(
      "1 0xffffffff80002a20 (0x00000213) x 4 0x0000000000000007\n"
      "1 0xffffffff80002a24 (0x00053203) x 4 p 4 0xXXXXXXXXXXXXXXXX\n"
      "x 4 p 4 0x0000000000000009\n"
      "1 0xffffffff80002a28 (0x00000013)\n"
      "f 4 p36 0x0000000000000000\n");
  const auto& rows = read.blocks.at(0).contexts;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].thread_pointer, 7u);
  EXPECT_EQ(rows[2].thread_pointer, 9u);
  EXPECT_EQ(rows[2].from, 2u);
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(CommitLog, ExtendsTheSignOfShortPcs) {
  EXPECT_EQ(read_trace("1 0xff80002a20 (0x00000013)\n").text(),
            "0:ffffffff80002a20");
}

TEST(CommitLog, SkipsOtherOutput) {
  const ReadTrace read = read_trace(
      "using random seed 1700000000\n"
      "3 0x0000000080000000 (0x00000013)\n"
      "Hello world!\n"
      "2 tests left3 0x0000000080000004 (0x00000013)\n"
      "*** PASSED ***\n");
  EXPECT_EQ(read.text(), "0:80000000 1:80000004");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(CommitLog, NotesBrokenLines) {
  const ReadTrace read = read_trace(
      "3 0x0000000080000000 (0x00000013)\n"
      "3 0x00000000800000\n"
      "3 0x0000000080000000 (0x000\n"
      "0x0000000080000000 (0x00000013)\n"
      "9 0x0000000080000000 (0x00000013)\n");
  EXPECT_EQ(read.text(), "0:80000000");
  EXPECT_EQ(bad_lines(read), 4u);
}

// One of two logs in a file, such as that of the core and that of the Spike
// that checks it.
TEST(CommitLog, IsEitherWithCoresOrWithout) {
  const std::string without = "3 0x0000000080000000 (0x00000013)\n";
  const std::string with = "core   0: 3 0x0000000080000000 (0x00000013)\n";
  for (const std::string& log : {without + with, with + without}) {
    const ReadTrace read = read_trace(log);
    EXPECT_EQ(read.text(), "0:80000000");
    EXPECT_EQ(bad_lines(read), 1u);
  }
}

TEST(Spike, SkipsTheOutputOfTheProgram) {
  const ReadTrace read = read_trace(
      "core   0: 3 0x0000000080000000 (0x00000013)\n"
      "Hello world!\n"
      "core   0: 3 0x0000000080\n");
  EXPECT_EQ(read.text(), "0:80000000");
  EXPECT_EQ(bad_lines(read), 1u);
}

}  // namespace
}  // namespace wick
