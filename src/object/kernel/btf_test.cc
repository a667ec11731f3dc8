// SPDX-License-Identifier: Apache-2.0
#include "object/kernel/btf.h"

#include <gtest/gtest.h>

#include <string>

#include "base/bytes.h"

namespace wick {
namespace {

// struct inner { int a, b; };
// struct outer { int first; union { int x; const inner in; }; int flag : 3; };
std::string example() {
  std::string strings(1, '\0');
  for (const char* text :
       {"inner", "a", "b", "outer", "first", "x", "in", "flag", "call"})
    strings += std::string(text) + '\0';
  const auto name = [&](const char* text) {
    return static_cast<std::uint32_t>(
        strings.find(std::string("\0", 1) + text + '\0') + 1);
  };
  std::string types;
  const auto put = [&](std::uint32_t word) { append_raw(types, word); };
  const auto type = [&](std::uint32_t text, std::uint32_t info,
                        std::uint32_t size) {
    put(text);
    put(info);
    put(size);
  };
  const auto member = [&](std::uint32_t text, std::uint32_t of,
                          std::uint32_t bits) { type(text, of, bits); };
  type(0, 1u << 24, 4);  // 1: int
  put(32);
  type(name("inner"), 4u << 24 | 2, 8);  // 2
  member(name("a"), 1, 0);
  member(name("b"), 1, 32);
  type(0, 10u << 24, 2);     // 3: const inner
  type(0, 5u << 24 | 2, 8);  // 4: union
  member(name("x"), 1, 0);
  member(name("in"), 3, 0);
  type(name("outer"), 1u << 31 | 4u << 24 | 3, 16);  // 5, with bit fields
  member(name("first"), 1, 0);
  member(0, 4, 64);
  member(name("flag"), 1, 3u << 24 | 128);
  type(0, 13u << 24, 1);             // 6: int ()
  type(name("call"), 12u << 24, 6);  // 7

  std::string bytes("\x9f\xeb\x01\0\x18\0\0\0", 8);
  append_raw(bytes, std::uint32_t{0});
  append_raw(bytes, static_cast<std::uint32_t>(types.size()));
  append_raw(bytes, static_cast<std::uint32_t>(types.size()));
  append_raw(bytes, static_cast<std::uint32_t>(strings.size()));
  return bytes + types + strings;
}

TEST(Btf, FindsMembersInUnnamedUnionsAndInnerStructures) {
  const std::string bytes = example();
  const auto btf = Btf::parse(bytes);
  ASSERT_TRUE(btf);
  EXPECT_EQ(btf->offset("outer", "first"), 0u);
  EXPECT_EQ(btf->offset("outer", "x"), 8u);
  EXPECT_EQ(btf->offset("outer", "in.b"), 12u);
  EXPECT_EQ(btf->offset("inner", "b"), 4u);
}

TEST(Btf, FunctionsHaveIds) {
  const std::string bytes = example();
  const auto btf = Btf::parse(bytes);
  ASSERT_TRUE(btf);
  EXPECT_EQ(btf->function("call"), 7u);
  EXPECT_EQ(btf->function("inner"), std::nullopt);
}

TEST(Btf, HasNoOffsetForMissingMembersAndBitFields) {
  const std::string bytes = example();
  const auto btf = Btf::parse(bytes);
  ASSERT_TRUE(btf);
  EXPECT_FALSE(btf->offset("outer", "second"));
  EXPECT_FALSE(btf->offset("outer", "first.a"));
  EXPECT_FALSE(btf->offset("nothing", "first"));
  EXPECT_FALSE(btf->offset("outer", "flag"));
}

// The search in members without a name ends: 200^8 of them would never.
TEST(Btf, AStructureOfItselfManyTimesHasNoOtherMember) {
  std::string bytes("\x9f\xeb\x01\0\x18\0\0\0", 8);
  constexpr std::uint32_t kMembers = 200, kSize = 12 + 12 * kMembers;
  for (const std::uint32_t word : {0u, kSize, kSize, 4u,          // the parts
                                   1u, 4u << 24 | kMembers, 8u})  // struct "s"
    append_raw(bytes, word);
  for (std::uint32_t i = 0; i < kMembers; ++i)
    for (const std::uint32_t word : {0u, 1u, 0u}) append_raw(bytes, word);
  bytes.append("\0s\0x", 4);
  const auto btf = Btf::parse(bytes);
  ASSERT_TRUE(btf);
  EXPECT_TRUE(btf->has_struct("s"));
  EXPECT_FALSE(btf->offset("s", "x"));
}

TEST(Btf, IsFoundInAnImage) {
  const std::string image = std::string(1000, 'x') +
                            std::string("\x9f\xeb\x01\0\x18\0\0\0xxxx", 12) +
                            example() + "more";
  EXPECT_TRUE(Btf::find(image, "outer"));
  EXPECT_FALSE(Btf::find(image, "task_struct"));
}

TEST(Btf, EveryPrefixAndChangedByteIsReadOrRefused) {
  const std::string bytes = example();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(Btf::parse(bytes.substr(0, size))) << size;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0xff);
    if (const auto btf = Btf::parse(changed)) btf->offset("outer", "in.b");
  }
}

}  // namespace
}  // namespace wick
