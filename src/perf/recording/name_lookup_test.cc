// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/name_lookup.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "builders/elf_builder.h"
#include "builders/test_folder.h"
#include "object/kept_names.h"

namespace wick {
namespace {

constexpr std::uint64_t kFunctionSize = 16;

// A library of functions whose names, of random digits, do not compress.
class NameLookup : public testing::Test {
 protected:
  void write_library(int functions, int name_size) {
    std::mt19937 random(1);
    ElfBuilder elf;
    elf.add_section(
        {.name = ".text",
         .flags = SHF_ALLOC | SHF_EXECINSTR,
         .address = 0x1000,
         .content = std::string(
             static_cast<std::size_t>(functions) * kFunctionSize, '\x90')});
    for (int i = 0; i < functions; ++i) {
      std::string name = "f" + std::to_string(i) + "_";
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
  void sample(int place) {
    code_.files().add(images_.intern({.path = path_}), offset_of(place));
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
    const KeptModule& module = names.modules().front();
    const std::uint64_t address = module.elf_addr(offset_of(place));
    const Resolved::Row* row = module.names.find(address);
    if (row == nullptr || row->count == 0) return false;
    const std::uint64_t function = (address - 0x1000) / kFunctionSize;
    return module.names[module.names.frames(*row).front().function].starts_with(
        "f" + std::to_string(function) + "_");
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
