// SPDX-License-Identifier: Apache-2.0
#include "object/kept_names.h"

#include <gtest/gtest.h>

#include "object/jit/jit_map.h"

namespace wick {
namespace {

KeptModule program() {
  KeptModule module{
      .file = {.path = "/bin/p", .build_id = "ab12"},
      .parts = {{.file_off = 0x1000, .size = 0x200, .elf_addr = 0x401000}},
      .why_no_names = NoNames::kStripped,
      .has_lines = true};
  const ResolvedFrame frames[] = {
      {module.names.text("main"), module.names.text("p.c"), 7, false},
      {module.names.text("inner"), module.names.text("p.h"), 3, true}};
  module.names.add(0x401010, frames);
  module.names.add(0x401020, {});
  return module;
}

KeptNames names_of_a_program() {
  KeptNames names;
  names.add(program());
  names.add({.pid = 7, .from = 100, .until = 200, .content = "10 8 f\n"});
  names.add({.pid = 7,
             .from = 100,
             .until = 200,
             .is_jitdump = true,
             .path = "/tmp/jit-7.dump",
             .content = "dump"});
  return names;
}

TEST(KeptNames, KeepsNamesLinesAndInlinedCalls) {
  const auto read = KeptNames::decode(names_of_a_program().encode());
  ASSERT_TRUE(read);
  const KeptModule* module =
      read->module({.path = "/bin/p", .build_id = "ab12", .pid = 5});
  ASSERT_NE(module, nullptr);
  const Resolved::Row* row = module->names.find(0x401010);
  ASSERT_NE(row, nullptr);
  const auto frames = module->names.frames(*row);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(module->names[frames[0].function], "main");
  EXPECT_EQ(module->names[frames[1].function], "inner");
  EXPECT_EQ(module->names[frames[1].file], "p.h");
  EXPECT_EQ(frames[1].line, 3u);
  EXPECT_TRUE(frames[1].inlined);
}

TEST(KeptNames, KeepsWhyNamesAreMissing) {
  const auto read = KeptNames::decode(names_of_a_program().encode());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->modules().front().why_no_names, NoNames::kStripped);
  EXPECT_FALSE(read->modules().front().is_complete());
}

TEST(KeptNames, ConvertsOffsetsAsTheRecordedFileWould) {
  EXPECT_EQ(program().elf_addr(0x1010), 0x401010u);
  EXPECT_EQ(program().elf_addr(0x1200), 0x1200u);
  EXPECT_EQ(program().elf_addr(0xfff), 0xfffu);
}

TEST(KeptNames, AFileOfAnotherBuildHasNoNames) {
  const KeptNames names = names_of_a_program();
  EXPECT_EQ(names.module({.path = "/bin/p", .build_id = "cd34"}), nullptr);
  EXPECT_EQ(names.module({.path = "/bin/q", .build_id = "ab12"}), nullptr);
}

TEST(KeptNames, AMapBelongsToTheProcessThatHadThePidThen) {
  const KeptNames names = names_of_a_program();
  EXPECT_NE(names.perf_map(7, 150), nullptr);
  EXPECT_NE(names.perf_map(7, JitMap::kAnyTime), nullptr);
  EXPECT_EQ(names.perf_map(7, 201), nullptr);
  EXPECT_EQ(names.perf_map(8, 150), nullptr);
}

TEST(KeptNames, FindsAJitdumpByItsPath) {
  const KeptNames names = names_of_a_program();
  ASSERT_NE(names.jitdump(7, "/tmp/jit-7.dump"), nullptr);
  EXPECT_EQ(names.jitdump(7, "/tmp/jit-7.dump")->content, "dump");
  EXPECT_EQ(names.jitdump(7, "/tmp/jit-8.dump"), nullptr);
}

TEST(KeptNames, EveryPrefixIsDamaged) {
  const std::string bytes = names_of_a_program().encode();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(KeptNames::decode(bytes.substr(0, size))) << size;
}

TEST(KeptNames, EveryChangedByteIsNoticed) {
  const std::string bytes = names_of_a_program().encode();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_FALSE(KeptNames::decode(changed)) << at;
  }
}

}  // namespace
}  // namespace wick
