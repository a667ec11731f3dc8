// SPDX-License-Identifier: Apache-2.0
#include "format/text/text_stacks.h"

#include <gtest/gtest.h>

#include <set>

#include "builders/stored_inputs.h"
#include "format/registry.h"

namespace wick {
namespace {

TEST(TextStacks, CutOffsetsThatAreNumbers) {
  EXPECT_EQ(without_offset("f+0x1a"), "f");
  EXPECT_EQ(without_offset("f+0x1a/0x30"), "f");
  EXPECT_EQ(without_offset("f+26"), "f");
  EXPECT_EQ(without_offset("operator+"), "operator+");
  EXPECT_EQ(without_offset("a+b"), "a+b");
  EXPECT_EQ(without_offset("+26"), "+26");
}

TEST(TextStacks, NameSymbolsLikePerfScript) {
  EXPECT_EQ(symbol_name("f(int)+0x1", {}), "f");
  EXPECT_EQ(symbol_name("a;b", {}), "a:b");
  EXPECT_EQ(symbol_name("S::operator()(int) const", {}), "S::operator()");
  EXPECT_EQ(symbol_name("f(int)+0x1", {.full_names = true}), "f(int)");
  EXPECT_EQ(symbol_name("f(int)+0x1", {.compat = Compat::kPerl}), "f(int)+0x1");
}

// Every stored input of the formats that build on this is recognised as what
// it is, and by no format that is tried before.
TEST(TextStacks, AreRecognisedByTheirOwnReader) {
  const std::set<std::string> formats = {
      "aix",    "bcc",    "bpftrace",        "eu-stack", "faulthandler", "gdb",
      "ljp",    "go-raw", "java-exceptions", "ibmjava",  "pmcstat",      "stap",
      "jstack", "wcp",    "xdebug"};
  std::set<std::string> seen;
  for (const StoredInput& input : golden_inputs()) {
    if (!formats.contains(input.format)) continue;
    seen.insert(input.format);
    const InputFormat* found = detect(input.bytes());
    ASSERT_NE(found, nullptr) << input.path;
    EXPECT_EQ(found->name, input.format) << input.path;
  }
  EXPECT_EQ(seen, formats);
}

// And they take no input of another format for one of theirs.
TEST(TextStacks, LeaveOtherInputsAlone) {
  for (const StoredInput& input : golden_inputs()) {
    const InputFormat& own = input_format(input.format);
    if (!own.sniff(input.bytes())) continue;
    const InputFormat* found = detect(input.bytes());
    ASSERT_NE(found, nullptr) << input.path;
    EXPECT_EQ(found->name, input.format) << input.path;
  }
}

}  // namespace
}  // namespace wick
