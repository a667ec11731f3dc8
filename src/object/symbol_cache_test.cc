// SPDX-License-Identifier: Apache-2.0
#include "object/symbol_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "builders/test_folder.h"
#include "io/read_file.h"

namespace wick {
namespace {

constexpr std::string_view kCachedId = "0123456789abcdef", kSources = "/bin/a";

class SymbolCacheTest : public testing::Test {
 protected:
  static Resolved two_addresses() {
    Resolved resolved;
    const std::uint32_t main = resolved.text("main"),
                        file = resolved.text("a.cc"),
                        inner = resolved.text("inner");
    const ResolvedFrame frames[] = {{main, file, 7, false},
                                    {inner, file, 3, true}};
    resolved.add(0x1000, frames);
    resolved.add(0x2000, {});
    resolved.add(0x3004, {}, 0x3000);
    return resolved;
  }

  // "1000 main a.cc:7 inner a.cc:3 (inlined)\n2000\n3004 in 3000\n"
  static std::string text(const Resolved& resolved) {
    std::string out;
    for (const Resolved::Row& row : resolved.rows()) {
      out += fmt::format("{:x}", row.elf_addr);
      if (row.function_start != 0)
        out += fmt::format(" in {:x}", row.function_start);
      for (const ResolvedFrame& f : resolved.frames(row))
        out += " " + std::string(resolved[f.function]) + " " +
               std::string(resolved[f.file]) + ":" + std::to_string(f.line) +
               (f.inlined ? " (inlined)" : "");
      out += "\n";
    }
    return out;
  }

  TestFolder temporary_;
  std::string folder_ = temporary_.path() + "/cache";
};

TEST_F(SymbolCacheTest, LoadsWhatWasStored) {
  const SymbolCache cache(OutputName::typed(folder_));
  cache.store(kCachedId, kSources, two_addresses());
  const auto loaded = cache.load(kCachedId, kSources);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(text(*loaded),
            "1000 main a.cc:7 inner a.cc:3 (inlined)\n2000\n3004 in 3000\n");
}

TEST_F(SymbolCacheTest, KnowsNothingOfAnotherBuildId) {
  const SymbolCache cache(OutputName::typed(folder_));
  cache.store(kCachedId, kSources, two_addresses());
  EXPECT_FALSE(cache.load("fedcba9876543210", kSources));
}

TEST_F(SymbolCacheTest, WhatCameFromOtherSourcesIsNotUsed) {
  const SymbolCache cache(OutputName::typed(folder_));
  cache.store(kCachedId, kSources, two_addresses());
  EXPECT_FALSE(cache.load(kCachedId, "/bin/a /usr/lib/debug/a.debug"));
}

TEST_F(SymbolCacheTest, ABuildIdIsNoPath) {
  const SymbolCache cache(OutputName::typed(folder_ + "/inner"));
  cache.store("../outside", kSources, two_addresses());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/outside"));
}

TEST_F(SymbolCacheTest, ALinkIsNeitherReadNorWrittenThrough) {
  const SymbolCache cache(OutputName::typed(folder_));
  cache.store(kCachedId, kSources, two_addresses());
  const std::string elsewhere = temporary_.path() + "/elsewhere",
                    file = folder_ + "/" + std::string(kCachedId);
  std::filesystem::rename(file, elsewhere);
  std::filesystem::create_symlink(elsewhere, file);
  EXPECT_FALSE(cache.load(kCachedId, kSources));
  std::ofstream(elsewhere) << "victim";
  cache.store(kCachedId, kSources, two_addresses());
  EXPECT_EQ(read_small_file(elsewhere, 100), "victim");
  EXPECT_TRUE(cache.load(kCachedId, kSources));
}

TEST_F(SymbolCacheTest, AFolderThatOthersWriteToIsNotUsed) {
  const SymbolCache cache(OutputName::typed(folder_));
  cache.store(kCachedId, kSources, two_addresses());
  std::filesystem::permissions(folder_, std::filesystem::perms(0777));
  EXPECT_FALSE(cache.load(kCachedId, kSources));
  cache.store("fedcba9876543210", kSources, two_addresses());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/fedcba9876543210"));
}

TEST_F(SymbolCacheTest, OtherFilesAreNotRemovedToMakeRoom) {
  const SymbolCache cache(OutputName::typed(folder_), 1000);
  cache.store(kCachedId, kSources, two_addresses());
  const std::string other = folder_ + "/thesis.txt";
  std::ofstream(other) << std::string(2000, 'x');
  std::filesystem::last_write_time(other, {});
  cache.store(kCachedId, kSources, two_addresses());
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(cache.load(kCachedId, kSources));
}

TEST_F(SymbolCacheTest, EveryPrefixAndEveryChangedByteIsIgnored) {
  const SymbolCache cache(OutputName::typed(folder_));
  cache.store(kCachedId, kSources, two_addresses());
  const std::string path = folder_ + "/" + std::string(kCachedId);
  const std::string whole = *read_small_file(path, 1 << 20);
  const auto loads = [&](const std::string& content) {
    std::ofstream(path, std::ios::trunc | std::ios::binary) << content;
    return cache.load(kCachedId, kSources).has_value();
  };
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(loads(whole.substr(0, size))) << size;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(loads(changed)) << at;
  }
  EXPECT_TRUE(loads(whole));
}

TEST_F(SymbolCacheTest, StaysBelowItsSizeByRemovingTheOldest) {
  const SymbolCache cache(OutputName::typed(folder_), 1000);
  const auto now = std::filesystem::file_time_type::clock::now();
  for (int i = 0; i < 100; ++i) {
    const std::string id = "00000000" + std::to_string(1000 + i);
    cache.store(id, kSources, two_addresses());
    std::filesystem::last_write_time(folder_ + "/" + id,
                                     now - std::chrono::seconds(100 - i));
  }
  std::uint64_t total = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    total += entry.file_size();
  EXPECT_LE(total, 1000u);
  EXPECT_TRUE(cache.load("000000001099", kSources));
  EXPECT_FALSE(cache.load("000000001000", kSources));
}

TEST_F(SymbolCacheTest, ManyWritersAndReadersGetAWholeFileOrNone) {
  const SymbolCache cache(OutputName::typed(folder_));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        cache.store(kCachedId, kSources, two_addresses());
        EXPECT_TRUE(cache.load(kCachedId, kSources));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace wick
