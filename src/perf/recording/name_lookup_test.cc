// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/name_lookup.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/text.h"
#include "builders/elf_builder.h"
#include "builders/test_folder.h"
#include "object/kept_names.h"

namespace wick {
namespace {

constexpr std::uint64_t kFunctionSize = 16;

// A library of functions whose names, of random digits, do not compress.
class NameLookup : public testing::Test {
 protected:
  void write_library(int functions, int name_size, char first_letter = 'f',
                     std::string_view build_id = "") {
    std::mt19937 random(1);
    ElfBuilder elf;
    if (!build_id.empty()) elf.add_build_id(build_id);
    elf.add_section(
        {.name = ".text",
         .flags = SHF_ALLOC | SHF_EXECINSTR,
         .address = 0x1000,
         .content = std::string(
             static_cast<std::size_t>(functions) * kFunctionSize, '\x90')});
    for (int i = 0; i < functions; ++i) {
      std::string name = first_letter + std::to_string(i) + "_";
      while (static_cast<int>(name.size()) < name_size)
        name += "0123456789abcdefghijklmnopqrstuvwxyz"[random() % 36];
      elf.add_symbol(
          {.name = name,
           .value = 0x1000 + static_cast<std::uint64_t>(i) * kFunctionSize,
           .size = kFunctionSize});
    }
    std::ofstream(path_, std::ios::binary) << elf.bytes();
  }

  // Offsets in the file; which function is there, the file decides.
  static std::uint64_t offset_of(int place) {
    return 0x1000 + static_cast<std::uint64_t>(place) * kFunctionSize;
  }
  void sample(int place) { sample(place, {.path = path_}); }
  void sample(int place, const CodeFile& file) {
    code_.files().add(images_.intern(file), offset_of(place));
  }
  // The library as the kernel describes a mapping of it.
  CodeFile mapped() const {
    struct stat status {};
    EXPECT_EQ(::stat(path_.c_str(), &status), 0);
    return {.path = path_,
            .inode = {.dev_major = gnu_dev_major(status.st_dev),
                      .dev_minor = gnu_dev_minor(status.st_dev),
                      .number = status.st_ino}};
  }

  // As if samples had found the functions, the first ones most often.
  std::string look_up(int functions) {
    for (int i = 0; i < functions; ++i)
      for (int times = 0; times < (i < 10 ? 5 : 1); ++times) sample(i);
    return look_up_names(code_, "", {.memory = std::uint64_t{64} << 20},
                         diagnostics_);
  }

  // Whether the function at a place has its name.
  static bool has_name(const KeptNames& names, int place) {
    return has_name(names.modules().front(), place, 'f');
  }
  static bool has_name(const KeptModule& module, int place, char first_letter) {
    const std::uint64_t address = module.elf_addr(offset_of(place));
    const Resolved::Row* row = module.names.find(address);
    if (row == nullptr || row->count == 0) return false;
    const std::uint64_t function = (address - 0x1000) / kFunctionSize;
    return module.names[module.names.frames(*row).front().function].starts_with(
        first_letter + std::to_string(function) + "_");
  }

  TestFolder folder_;
  std::string path_ = folder_.path() + "/library.so";
  DebugFiles files_{{}};
  Images images_{files_};
  SampledCode code_{images_, std::make_shared<MemoryBudget>(1 << 20),
                    std::make_shared<MemoryBudget>(1 << 20)};
  Diagnostics diagnostics_;
};

TEST_F(NameLookup, FindsTheFunctionsOfSamples) {
  write_library(20, 20);
  const auto names = KeptNames::decode(look_up(10));
  ASSERT_TRUE(names);
  EXPECT_TRUE(has_name(*names, 0));
  EXPECT_TRUE(has_name(*names, 9));
  EXPECT_FALSE(has_name(*names, 10));
  EXPECT_EQ(diagnostics_.count(Problem::kNamesNotKept), 0u);
}

TEST_F(NameLookup, FindsThemInAFileThatWasDeletedMeanwhile) {
  write_library(1, 20);
  sample(0);
  std::filesystem::remove(path_);
  const auto names = KeptNames::decode(look_up(0));
  ASSERT_TRUE(names);
  EXPECT_TRUE(has_name(*names, 0));
}

TEST_F(NameLookup, FindsNoneInAFileThatWasOverwrittenByAnotherBuild) {
  const CodeFile recorded{.path = path_, .build_id = to_hexadecimal("build1")};
  write_library(1, 20, 'f', "build1");
  sample(0, recorded);
  write_library(1, 20, 'g', "build2");
  const auto names = KeptNames::decode(look_up(0));
  ASSERT_TRUE(names);
  EXPECT_FALSE(has_name(names->modules().front(), 0, 'f'));
  EXPECT_FALSE(has_name(names->modules().front(), 0, 'g'));
  EXPECT_EQ(names->modules().front().why_no_names, NoNames::kFileReplaced);
}

TEST_F(NameLookup, FindsNoneInAFileWithoutABuildIdThatWasOverwritten) {
  write_library(1, 20, 'f');
  sample(0, mapped());
  write_library(1, 30, 'g');
  const auto names = KeptNames::decode(look_up(0));
  ASSERT_TRUE(names);
  EXPECT_FALSE(has_name(names->modules().front(), 0, 'g'));
  EXPECT_EQ(names->modules().front().why_no_names, NoNames::kFileChanged);
}

TEST_F(NameLookup, FindsThoseOfEachFileThatHadAPath) {
  write_library(1, 20, 'f');
  const CodeFile before = mapped();
  sample(0, before);
  std::filesystem::remove(path_);  // it stays open, and keeps its inode
  write_library(1, 20, 'g');
  const CodeFile after = mapped();
  sample(0, after);
  const auto names = KeptNames::decode(look_up(0));
  ASSERT_TRUE(names && names->module(before) && names->module(after));
  EXPECT_TRUE(has_name(*names->module(before), 0, 'f'));
  EXPECT_TRUE(has_name(*names->module(after), 0, 'g'));
}

TEST_F(NameLookup, FindsNoneInTheSuccessorOfAFileThatIsGone) {
  write_library(1, 20, 'f');
  const CodeFile before = mapped();
  std::filesystem::rename(path_, path_ + ".old");
  write_library(1, 20, 'g');
  sample(0, before);
  const auto names = KeptNames::decode(look_up(0));
  ASSERT_TRUE(names && names->module(before));
  EXPECT_FALSE(has_name(*names->module(before), 0, 'g'));
}

TEST_F(NameLookup, KeepsTheMostFrequentOnesThatThereIsRoomFor) {
  write_library(2000, 200);
  const std::string bytes = look_up(1000);
  EXPECT_LE(bytes.size(), NameRoom::kLeast);
  const auto names = KeptNames::decode(bytes);
  ASSERT_TRUE(names);
  EXPECT_TRUE(has_name(*names, 0));
  EXPECT_FALSE(has_name(*names, 999));
  EXPECT_GT(diagnostics_.count(Problem::kNamesNotKept), 500u);
}

}  // namespace
}  // namespace wick
