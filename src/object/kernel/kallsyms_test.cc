// SPDX-License-Identifier: Apache-2.0
#include "object/kernel/kallsyms.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace wick {
namespace {

std::string found(const SymbolTable& table, std::uint64_t addr) {
  const Symbol* symbol = table.find(addr);
  return symbol == nullptr ? "-" : std::string(symbol->name);
}

TEST(Kallsyms, FunctionsReachToTheNext) {
  const Kallsyms list = Kallsyms::from_text(
      "ffffffff81000000 T _stext\n"
      "ffffffff81000010 t do_one_initcall\n"
      "ffffffff81000040 W arch_cpu_idle\n"
      "ffffffff82000000 D jiffies\n");
  EXPECT_EQ(list.kernel().size(), 3U);
  EXPECT_EQ(found(list.kernel(), 0xffffffff8100003f), "do_one_initcall");
  EXPECT_EQ(found(list.kernel(), 0xffffffff81000041), "arch_cpu_idle");
  EXPECT_EQ(found(list.kernel(), 0xffffffff80ffffff), "-");
  EXPECT_EQ(list.kernel_start(), 0xffffffff81000000U);
  EXPECT_EQ(list.damaged_lines(), 0U);
}

TEST(Kallsyms, ModulesHaveTablesOfTheirOwn) {
  const Kallsyms list = Kallsyms::from_text(
      "ffffffff81000000 T _text\n"
      "ffffffffc0002000 t nft_do_chain\t[nf_tables]\n"
      "ffffffffc0001000 t virtio_probe\t[virtio]\n"
      "ffffffffc0002100 t nft_init\t[nf_tables]\n");
  EXPECT_EQ(list.kernel().size(), 1U);
  ASSERT_EQ(list.modules().size(), 2U);
  EXPECT_EQ(list.modules()[0].name, "nf_tables");
  ASSERT_NE(list.module("nf_tables"), nullptr);
  EXPECT_EQ(found(*list.module("nf_tables"), 0xffffffffc0002050),
            "nft_do_chain");
  EXPECT_EQ(found(*list.module("virtio"), 0xffffffffc0001000), "virtio_probe");
  EXPECT_EQ(list.module("nf"), nullptr);
}

// As perf script shows for a kernel with these three.
TEST(Kallsyms, TheLastOfEqualAddressesIsTaken) {
  const Kallsyms list = Kallsyms::from_text(
      "ffffffff81000000 T memcpy\n"
      "ffffffff81000000 T __memcpy\n"
      "ffffffff81000000 T __pi_memcpy\n"
      "ffffffff81000100 T next\n");
  EXPECT_EQ(found(list.kernel(), 0xffffffff81000020), "__pi_memcpy");
}

TEST(Kallsyms, HiddenAddressesAreRecognised) {
  const Kallsyms hidden = Kallsyms::from_text(
      "0000000000000000 T _stext\n"
      "0000000000000000 t virtio_probe\t[virtio]\n");
  EXPECT_TRUE(hidden.addresses_hidden());
  EXPECT_EQ(hidden.kernel().size(), 0U);
  EXPECT_EQ(hidden.module("virtio"), nullptr);
  EXPECT_FALSE(Kallsyms::from_text("").addresses_hidden());
  EXPECT_FALSE(
      Kallsyms::from_text("ffffffff81000000 T _stext\n").addresses_hidden());
}

TEST(Kallsyms, OtherLinesAreCounted) {
  const Kallsyms list = Kallsyms::from_text(
      "hello\n"
      "ffffffff81000000\n"
      "ffffffff81000000 T\n"
      "ffffffff81000000 T \n"
      "ffffffff81000000 T name\tmodule\n"
      "1ffffffff81000000 T too_long\n"
      "\n"
      "ffffffff81000000 T good\r\n"
      "ffffffff81000010 T without_end");
  EXPECT_EQ(list.damaged_lines(), 6U);
  EXPECT_EQ(list.kernel().size(), 2U);
  EXPECT_EQ(found(list.kernel(), 0xffffffff81000000), "good");
}

TEST(Kallsyms, NamesOutliveTheListThatIsMoved) {
  Kallsyms list =
      Kallsyms::from_text("ffffffff81000000 T a\nffffffffc0000000 t b\t[c]\n");
  const Kallsyms moved = std::move(list);
  EXPECT_EQ(found(moved.kernel(), 0xffffffff81000000), "a");
  EXPECT_EQ(moved.modules()[0].name, "c");
}

TEST(Kallsyms, AMissingFileIsAnError) {
  EXPECT_THROW(Kallsyms::open("/does/not/exist"), Error);
  EXPECT_THROW(Kallsyms::open("/dev/zero"), Error);
  EXPECT_THROW(Kallsyms::open("/proc"), Error);
}

TEST(Kallsyms, ReadsThatOfTheRunningKernel) {
  Kallsyms list;
  try {
    list = Kallsyms::open();
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(list.damaged_lines(), 0U);
  EXPECT_TRUE(list.addresses_hidden() || list.kernel().size() > 1000);
}

}  // namespace
}  // namespace wick
