// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/module_list.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(ModuleList, HasTheNameAndAddressOfEachModule) {
  const auto module = parse_loaded_module(
      "  nf_tables 323584 3 nft_ct,nft_nat, Live 0xffffffff02000000 (OE)\r");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->name, "nf_tables");
  EXPECT_EQ(module->start, 0xffffffff02000000);
}

TEST(ModuleList, SkipsOtherLinesOfTheConsole) {
  for (const char* line :
       {"", "Live", "Live 0x", "a 0x10 Live", "a Live 0x", "a Live 0xg",
        "a 1 0 - Live 0x0000000000000000", "[    0.1] Memory at 0x80000000",
        "a 1 0 - Loading 0xffffffff02000000",
        "a 1 0 - Live 0x10000000000000000"})
    EXPECT_FALSE(parse_loaded_module(line)) << line;
}

}  // namespace
}  // namespace wick
