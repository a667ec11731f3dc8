// SPDX-License-Identifier: Apache-2.0
#include "object/symbolize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "builders/cfi_builder.h"
#include "builders/elf_builder.h"
#include "builders/read.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

using testing::HasSubstr;

constexpr std::string_view kModuleId = "abcdefgh";

// A library of two functions, the second with a mangled name.
ElfBuilder library() {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(64, '\x90')});
  elf.add_symbol({.name = "main", .value = 0x1000, .size = 16});
  elf.add_symbol({.name = "_ZN4shop4takeEi", .value = 0x1010, .size = 16});
  elf.add_build_id(kModuleId);
  return elf;
}

// A root with the files of the recorded machine, and a cache of its own.
class SymbolizeTest : public testing::Test {
 protected:
  SymbolizeTest() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME")) cache_ = cache;
    ::setenv("XDG_CACHE_HOME", (folder_.path() + "/cache").c_str(), 1);
  }
  ~SymbolizeTest() override {
    if (cache_)
      ::setenv("XDG_CACHE_HOME", cache_->c_str(), 1);
    else
      ::unsetenv("XDG_CACHE_HOME");
  }

  void put(const std::string& path, std::string_view content) const {
    const std::string file = folder_.path() + path;
    std::filesystem::create_directories(
        std::filesystem::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }

  // One sample at each of the addresses in /lib/shop.so, with its name.
  Profile named(const std::vector<std::uint64_t>& addresses,
                bool use_cache = false) const {
    ReadOptions options;
    options.symbols.use_cache = use_cache;
    DebugFiles files({.symfs = folder_.path()});
    Images images(files);
    Profile profile;
    const ModuleId module = profile.module_id("/lib/shop.so");
    const EventId event = profile.event_id("cycles");
    for (const std::uint64_t address : addresses) {
      const FrameId frame =
          profile.frames.intern({.module = module, .address = address});
      profile.samples.push_back(
          {.weight = 1,
           .stack = profile.stacks.push(StackId::kRoot, frame),
           .event = event});
    }
    CodeLocations code;
    code.images.resize(profile.modules.size(), ImageId::kNone);
    code.kernel_starts.resize(profile.modules.size());
    code.images[module] = images.intern(
        {.path = "/lib/shop.so", .build_id = to_hexadecimal(kModuleId)});
    return symbolize(std::move(profile), code, images, files, options);
  }

  static std::string function_of(const Profile& profile, std::size_t sample) {
    const StackId stack = profile.samples[sample].stack;
    return std::string(profile.function(profile.stacks.frame(stack)));
  }

  // Why the code of /lib/shop.so has no names.
  static std::string why_no_names(const Profile& profile) {
    for (const ModuleId id : profile.modules.ids())
      if (profile.strings[profile.modules[id].path] == "/lib/shop.so")
        return std::string(profile.strings[profile.modules[id].no_names]);
    return "there is no such module";
  }

  TestFolder folder_;
  std::optional<std::string> cache_;
};

TEST_F(SymbolizeTest, AnAddressGetsTheNameOfItsFunction) {
  put("/lib/shop.so", library().bytes());
  const Profile profile = named({0x1004, 0x1018});
  EXPECT_EQ(function_of(profile, 0), "main");
  EXPECT_THAT(function_of(profile, 1), HasSubstr("shop::take"));
  EXPECT_EQ(why_no_names(profile), "");
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST_F(SymbolizeTest, CodeOfAMissingFileHasNoNamesAndReportsWhy) {
  const Profile profile = named({0x1004, 0x1018});
  EXPECT_EQ(function_of(profile, 0), "");
  EXPECT_THAT(why_no_names(profile), HasSubstr("the file does not exist"));
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoSymbol), 2);
}

TEST_F(SymbolizeTest, CodeOfAReplacedFileIsNotNamedByTheOther) {
  ElfBuilder other;
  other.add_section({.name = ".text",
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .address = 0x1000,
                     .content = std::string(64, '\x90')});
  other.add_symbol({.name = "wrong", .value = 0x1000, .size = 64});
  other.add_build_id("another1");
  put("/lib/shop.so", other.bytes());
  const Profile profile = named({0x1004});
  EXPECT_EQ(function_of(profile, 0), "");
  EXPECT_THAT(why_no_names(profile), HasSubstr("the file was replaced"));
}

TEST_F(SymbolizeTest, AStrippedFileReportsItWhereANameIsMissing) {
  ElfBuilder stripped;
  stripped.add_section({.name = ".text",
                        .flags = SHF_ALLOC | SHF_EXECINSTR,
                        .address = 0x1000,
                        .content = std::string(64, '\x90')});
  stripped.add_symbol(
      {.name = "exported", .value = 0x1000, .size = 16, .dynamic = true});
  stripped.add_build_id(kModuleId);
  put("/lib/shop.so", stripped.bytes());
  const Profile profile = named({0x1004, 0x1030});
  EXPECT_EQ(function_of(profile, 0), "exported");
  EXPECT_EQ(function_of(profile, 1), "");
  EXPECT_THAT(why_no_names(profile), HasSubstr("stripped"));
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoSymbol), 1);
}

// Code of 64 bytes at 0x1000, of which the second half is a function by its
// unwind rules.
ElfBuilder stripped_library() {
  CfiBuilder cfi(0x2000);
  cfi.add_fde(cfi.add_cie({.program = cfa::def_cfa(7, 8)}), 0x1020, 32, "");
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(64, '\x90')});
  elf.add_section({.name = ".eh_frame",
                   .flags = SHF_ALLOC,
                   .address = 0x2000,
                   .content = cfi.bytes()});
  elf.add_build_id(kModuleId);
  return elf;
}

TEST_F(SymbolizeTest, UnwindRulesTellFunctionsWithoutNamesApart) {
  put("/lib/shop.so", stripped_library().bytes());
  EXPECT_EQ(folded(named({0x1004, 0x1024, 0x1030})),
            "[shop.so+0x1020] 2\n[shop.so] 1\n");
}

TEST_F(SymbolizeTest, SuchFunctionsStillCountAsWithoutNames) {
  put("/lib/shop.so", stripped_library().bytes());
  const Profile profile = named({0x1004, 0x1024});
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoSymbol), 2u);
  EXPECT_THAT(why_no_names(profile), HasSubstr("stripped"));
}

TEST_F(SymbolizeTest, TheCacheKeepsWhereSuchFunctionsBegin) {
  put("/lib/shop.so", stripped_library().bytes());
  const std::string first = folded(named({0x1024}, true));
  EXPECT_EQ(folded(named({0x1024}, true)), first);
}

TEST_F(SymbolizeTest, WithACacheASecondRunGivesTheSame) {
  put("/lib/shop.so", library().bytes());
  const std::string first = function_of(named({0x1004}, true), 0);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/cache/wick"));
  EXPECT_EQ(function_of(named({0x1004}, true), 0), first);
  // An address that the first run did not ask for.
  EXPECT_THAT(function_of(named({0x1018}, true), 0), HasSubstr("shop::take"));
}

TEST_F(SymbolizeTest, WithoutACacheNothingIsStored) {
  put("/lib/shop.so", library().bytes());
  named({0x1004}, false);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/cache"));
}

}  // namespace
}  // namespace wick
