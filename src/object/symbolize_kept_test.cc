// SPDX-License-Identifier: Apache-2.0
// symbolize() with names that the recording keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "builders/elf_builder.h"
#include "builders/test_folder.h"
#include "object/kept_names.h"
#include "object/symbolize.h"

namespace wick {
namespace {

class SymbolizeKept : public testing::Test {
 protected:
  SymbolizeKept() { options_.symbols.use_cache = false; }

  static KeptModule shop(const std::string& path) {
    KeptModule module{.file = {.path = path}};
    const ResolvedFrame frames[] = {
        {module.names.text("kept"), module.names.text("kept.c"), 5, false},
        {module.names.text("inner"), module.names.text("kept.h"), 6, true}};
    module.names.add(0x1000, frames);
    return module;
  }

  // "function file:line" of the frames of one sample at `address`, outermost
  // first.
  std::string named(const std::string& path, std::uint64_t address) const {
    DebugFiles files({.symfs = options_.symbols.symfs});
    Images images(files);
    images.use_kept(&kept_);
    Profile profile;
    const ModuleId module = profile.module_id(path);
    const FrameId frame =
        profile.frames.intern({.module = module, .address = address});
    profile.samples.push_back(
        {.weight = 1,
         .stack = profile.stacks.push(StackId::kRoot, frame),
         .event = profile.event_id("cycles")});
    CodeLocations code;
    code.images.resize(profile.modules.size(), ImageId::kNone);
    code.kernel_starts.resize(profile.modules.size());
    code.images[module] = images.intern({.path = path});
    const Profile result =
        symbolize(std::move(profile), code, images, files, options_);
    std::string text;
    for (StackId at = result.samples.front().stack; at != StackId::kRoot;
         at = result.stacks.parent(at)) {
      const Frame& f = result.frames[result.stacks.frame(at)];
      text = std::string(result.strings[f.function]) + " " +
             std::string(result.strings[f.file]) + ":" +
             std::to_string(f.line) + "\n" + text;
    }
    return text;
  }

  // With the function "found" at 0x1000.
  void write_library(const std::string& path) const {
    ElfBuilder elf;
    elf.add_section({.name = ".text",
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .address = 0x1000,
                     .content = std::string(64, '\x90')});
    elf.add_symbol({.name = "found", .value = 0x1000, .size = 64});
    std::ofstream(path, std::ios::binary) << elf.bytes();
  }

  TestFolder folder_;
  KeptNames kept_;
  ReadOptions options_;
};

TEST_F(SymbolizeKept, TheFileIsNotNeeded) {
  kept_.add(shop("/gone/shop.so"));
  EXPECT_EQ(named("/gone/shop.so", 0x1000), "kept kept.c:5\ninner kept.h:6\n");
}

TEST_F(SymbolizeKept, TheyComeBeforeTheFile) {
  const std::string path = folder_.path() + "/shop.so";
  write_library(path);
  kept_.add(shop(path));
  EXPECT_EQ(named(path, 0x1000), "kept kept.c:5\ninner kept.h:6\n");
}

TEST_F(SymbolizeKept, AnAddressThatIsNotKeptIsLookedUp) {
  const std::string path = folder_.path() + "/shop.so";
  write_library(path);
  kept_.add(shop(path));
  EXPECT_EQ(named(path, 0x1008), "found :0\n");
}

TEST_F(SymbolizeKept, FilesThatTheUserNamesComeFirst) {
  write_library(folder_.path() + "/shop.so");
  kept_.add(shop("/shop.so"));
  options_.symbols.symfs = folder_.path();
  EXPECT_EQ(named("/shop.so", 0x1000), "found :0\n");
}

TEST_F(SymbolizeKept, TheyStayIfTheUsersDirectoryLacksTheFile) {
  kept_.add(shop("/shop.so"));
  options_.symbols.symfs = folder_.path();
  EXPECT_EQ(named("/shop.so", 0x1000), "kept kept.c:5\ninner kept.h:6\n");
}

TEST_F(SymbolizeKept, WithoutInliningTheyAreFunctionsAlone) {
  kept_.add(shop("/gone/shop.so"));
  options_.symbols.inlines = false;
  EXPECT_EQ(named("/gone/shop.so", 0x1000), "kept :0\n");
}

TEST_F(SymbolizeKept, AFileThatHasSymbolsByNowIsLookedAtAgain) {
  const std::string path = folder_.path() + "/shop.so";
  write_library(path);
  KeptModule module{.file = {.path = path},
                    .why_no_names = NoNames::kFileUnreadable};
  module.names.add(0x1000, {});
  kept_.add(std::move(module));
  EXPECT_EQ(named(path, 0x1000), "found :0\n");
}

}  // namespace
}  // namespace wick
