// SPDX-License-Identifier: Apache-2.0
#include "object/live_names.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "builders/elf_builder.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

constexpr std::string_view kLiveId = "abcdefgh";

// A library of two functions, the second with a mangled name.
std::string small_library() {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(64, '\x90')});
  elf.add_symbol({.name = "main", .value = 0x1000, .size = 16});
  elf.add_symbol({.name = "_ZN4shop4takeEi", .value = 0x1010, .size = 16});
  elf.add_build_id(kLiveId);
  return elf.bytes();
}

class LiveNamesTest : public testing::Test {
 protected:
  LiveNamesTest() {
    std::filesystem::create_directories(folder_.path() + "/lib");
    std::ofstream(folder_.path() + "/lib/shop.so", std::ios::binary)
        << small_library();
  }

  // Frames at these addresses of /lib/shop.so, with names.
  Profile named(const std::vector<std::uint64_t>& addresses) {
    Profile profile;
    const ModuleId module = profile.module_id("/lib/shop.so");
    for (const std::uint64_t address : addresses)
      profile.stacks.push(
          StackId::kRoot,
          profile.frames.intern({.module = module, .address = address}));
    CodeLocations code;
    code.images.resize(profile.modules.size(), ImageId::kNone);
    code.kernel_starts.resize(profile.modules.size());
    code.images[module] = images_.intern(
        {.path = "/lib/shop.so", .build_id = to_hexadecimal(kLiveId)});
    return names_.name(std::move(profile), code);
  }
  static std::vector<std::string> functions(const Profile& profile) {
    std::vector<std::string> functions;
    for (const FrameId id : profile.frames.ids())
      functions.emplace_back(profile.function(id));
    return functions;
  }

  TestFolder folder_;
  std::shared_ptr<MemoryBudget> memory_ = std::make_shared<MemoryBudget>(4096);
  DebugFiles files_{{.symfs = folder_.path()}};
  Images images_{files_};
  LiveNames names_{images_, files_, memory_};
};

using Functions = std::vector<std::string>;

TEST_F(LiveNamesTest, FramesGetTheNamesOfSymbolsAndKeepTheirAddresses) {
  const Profile profile = named({0x1004, 0x1014});
  EXPECT_EQ(functions(profile), (Functions{"main", "shop::take"}));
  EXPECT_EQ(profile.frames[FrameId{0}].address, 0x1004);
}

TEST_F(LiveNamesTest, SymbolsAreReadOnlyForWhatIsNew) {
  named({0x1004, 0x1014});
  EXPECT_EQ(names_.lookups(), 1);
  EXPECT_EQ(functions(named({0x1014})), Functions{"shop::take"});
  EXPECT_EQ(names_.lookups(), 1);
  named({0x1005});
  EXPECT_EQ(names_.lookups(), 2);
}

TEST_F(LiveNamesTest, ThatThereIsNoNameIsKnownToo) {
  EXPECT_EQ(functions(named({0x1038})), Functions{""});
  EXPECT_EQ(functions(named({0x1038})), Functions{""});
  EXPECT_EQ(names_.lookups(), 1);
}

TEST_F(LiveNamesTest, WhatUnwindingHoldsLeavesNamesTheirMemory) {
  const auto full = std::make_shared<MemoryBudget>(8192);
  DebugFiles files({.symfs = folder_.path(), .memory = full});
  Images images(files, {.files = full});
  const ImageId image = images.intern(
      {.path = "/lib/shop.so", .build_id = to_hexadecimal(kLiveId)});
  ASSERT_NE(images.elf(image), nullptr);
  while (full->take(1)) {
  }
  LiveNames names(images, files, memory_);
  Profile profile;
  const ModuleId module = profile.module_id("/lib/shop.so");
  profile.frames.intern({.module = module, .address = 0x1004});
  CodeLocations code;
  code.images.resize(profile.modules.size(), ImageId::kNone);
  code.kernel_starts.resize(profile.modules.size());
  code.images[module] = image;
  EXPECT_EQ(functions(names.name(std::move(profile), code)), Functions{"main"});
}

TEST_F(LiveNamesTest, NamesOutliveTheirFile) {
  named({0x1004});
  std::filesystem::remove(folder_.path() + "/lib/shop.so");
  EXPECT_EQ(functions(named({0x1004})), Functions{"main"});
}

TEST_F(LiveNamesTest, TheBudgetIsKeptAndNamesAreFoundAgain) {
  for (std::uint64_t address = 0x1000; address < 0x1020; ++address)
    named({address});
  EXPECT_LE(memory_->used(), memory_->limit());
  EXPECT_EQ(functions(named({0x1004})), Functions{"main"});
}

}  // namespace
}  // namespace wick
