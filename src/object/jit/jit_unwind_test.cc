// SPDX-License-Identifier: Apache-2.0
#include "object/jit/jit_unwind.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "builders/cfi_builder.h"
#include "builders/perf_data_builder.h"  // Bytes
#include "builders/test_folder.h"
#include "io/open_regular.h"

namespace wick {
namespace {

constexpr std::uint64_t kStart = 0x7f0000001000;
constexpr std::uint64_t kCodeSize = 15;
constexpr std::uint64_t kBehind = kStart + 16;

struct Frames {
  std::string bytes;
  std::uint64_t header_size = 0;
};

// A function that pushes eight bytes at once and pops them before its last
// byte; `claimed` is where its FDE says that it starts.
Frames frames(std::uint64_t claimed = kStart, bool header_last = true) {
  constexpr std::uint64_t kHeaderSize = 20;
  CfiBuilder cfi(kBehind + (header_last ? 0 : kHeaderSize));
  const auto cie =
      cfi.add_cie({.program = cfa::def_cfa(7, 8) + cfa::offset(16, 1)});
  const auto fde = cfi.add_fde(cie, claimed, kCodeSize,
                               cfa::advance(4) + cfa::def_cfa_offset(16) +
                                   cfa::advance(10) + cfa::def_cfa_offset(8));
  const std::string header = cfi.header(
      kBehind + (header_last ? cfi.bytes().size() : 0), {{claimed, fde}});
  return {header_last ? cfi.bytes() + header : header + cfi.bytes(),
          header.size()};
}

std::string rule_at(const Frames& frames, std::uint64_t offset) {
  const auto rule = rule_of_jit_code(Machine::kX86_64,
                                     {.start = kStart,
                                      .size = kCodeSize,
                                      .bytes = frames.bytes,
                                      .eh_frame_hdr_size = frames.header_size},
                                     kStart + offset);
  return rule ? rule_text(*rule) : "-";
}

TEST(JitUnwind, AFunctionHasTheRulesOfItsFrames) {
  EXPECT_EQ(rule_at(frames(), 0), "r7+8 r16=c-8");
  EXPECT_EQ(rule_at(frames(), 4), "r7+16 r16=c-8");
  EXPECT_EQ(rule_at(frames(), 13), "r7+16 r16=c-8");
  EXPECT_EQ(rule_at(frames(), 14), "r7+8 r16=c-8");
  EXPECT_EQ(rule_at(frames(), 15), "-");
}

TEST(JitUnwind, TheHeaderMayComeFirst) {
  const Frames first = frames(kStart, false);
  ASSERT_EQ(first.header_size, 20u);
  EXPECT_EQ(rule_at(first, 4), "r7+16 r16=c-8");
}

TEST(JitUnwind, ASingleFdeCountsWhereverItClaimsToBe) {
  EXPECT_EQ(rule_at(frames(kStart - 0x4000), 3), "r7+8 r16=c-8");
  EXPECT_EQ(rule_at(frames(kStart - 0x4000), 4), "r7+16 r16=c-8");
}

TEST(JitUnwind, EveryPrefixIsReadWithoutHarm) {
  const Frames whole = frames();
  for (std::size_t size = 0; size < whole.bytes.size(); ++size)
    for (const std::uint64_t header : {std::uint64_t{0}, whole.header_size})
      rule_at({whole.bytes.substr(0, size), header}, 4);
}

class JitUnwindFileTest : public testing::Test {
 protected:
  JitUnwindFileTest() {
    append(Bytes()
               .u32(0x4a695444)
               .u32(1)
               .u32(40)
               .u32(62)
               .u32(0)
               .u32(77)
               .u64(1)
               .u64(0)
               .str());
  }

  void append(std::string_view bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::app) << bytes;
  }
  static std::string record(std::uint32_t id, const Bytes& body) {
    return Bytes().u32(id).u32(16 + body.size()).u64(5).bytes(body.str()).str();
  }
  static std::string load(std::uint64_t start) {
    return record(0, Bytes()
                         .u32(77)
                         .u32(77)
                         .u64(start)
                         .u64(start)
                         .u64(kCodeSize)
                         .u64(0)
                         .bytes("py::f")
                         .u8(0)
                         .bytes("0123456789abcde"));
  }
  static std::string unwind_info(const Frames& frames) {
    return record(4, Bytes()
                         .u64(frames.bytes.size())
                         .u64(frames.header_size)
                         .u64(4096)
                         .bytes(frames.bytes)
                         .pad());
  }
  JitUnwindFile open(std::shared_ptr<MemoryBudget> memory = nullptr) {
    return JitUnwindFile(Machine::kX86_64, open_regular(path_),
                         std::move(memory));
  }
  static std::string rule_at(JitUnwindFile& file, std::uint64_t address) {
    const auto rule = file.find(address);
    return rule ? rule_text(*rule) : "-";
  }

  TestFolder folder_;
  std::string path_ = folder_.path() + "/jit-77.dump";
};

TEST_F(JitUnwindFileTest, InformationBelongsToTheNextFunction) {
  append(unwind_info(frames()) + load(kStart) + load(kStart + 0x100));
  JitUnwindFile file = open();
  EXPECT_EQ(rule_at(file, kStart + 4), "r7+16 r16=c-8");
  EXPECT_EQ(rule_at(file, kStart + 0x104), "-");
  EXPECT_EQ(file.size(), 2u);
}

TEST_F(JitUnwindFileTest, FunctionsThatAreWrittenLaterAreFound) {
  JitUnwindFile file = open();
  EXPECT_EQ(rule_at(file, kStart), "-");
  const std::string both = unwind_info(frames()) + load(kStart);
  append(both.substr(0, both.size() - 20));
  EXPECT_EQ(rule_at(file, kStart), "-");
  append(both.substr(both.size() - 20));
  EXPECT_EQ(rule_at(file, kStart), "r7+8 r16=c-8");
}

TEST_F(JitUnwindFileTest, EveryPrefixIsReadWithoutHarm) {
  const std::string both = unwind_info(frames()) + load(kStart);
  append(both);
  for (std::size_t size = 40 + both.size(); size-- > 0;) {
    ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(size)), 0);
    JitUnwindFile file = open();
    EXPECT_EQ(rule_at(file, kStart), "-") << size;
  }
}

TEST_F(JitUnwindFileTest, EveryChangedByteIsReadWithoutHarm) {
  const std::string both = unwind_info(frames()) + load(kStart);
  append(both);
  for (std::size_t at = 0; at < 40 + both.size(); ++at) {
    std::fstream out(path_, std::ios::binary | std::ios::in | std::ios::out);
    out.seekg(static_cast<std::streamoff>(at));
    const auto old = static_cast<char>(out.get());
    out.seekp(static_cast<std::streamoff>(at));
    out.put(static_cast<char>(old ^ 0xff)).flush();
    JitUnwindFile file = open();
    rule_at(file, kStart + 4);
    out.seekp(static_cast<std::streamoff>(at));
    out.put(old);
  }
}

TEST_F(JitUnwindFileTest, FunctionsTakeFromTheMemoryGiven) {
  for (std::uint64_t i = 0; i < 100; ++i) append(load(kStart + i * 16));
  const auto memory = std::make_shared<MemoryBudget>(1000);
  JitUnwindFile file = open(memory);
  file.find(kStart);
  EXPECT_GT(file.size(), 0u);
  EXPECT_LE(file.size(), 10u);
}

}  // namespace
}  // namespace wick
