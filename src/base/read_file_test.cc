// SPDX-License-Identifier: Apache-2.0
#include "base/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace wick {
namespace {

class ReadFile : public testing::Test {
 protected:
  ReadFile() : folder_(testing::TempDir() + "wick-read-file") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/file") << "content";
  }
  ~ReadFile() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(ReadFile, GivesTheWholeContent) {
  EXPECT_EQ(read_small_file(folder_ + "/file", 7), "content");
}

TEST_F(ReadFile, GivesNothingOfAFileThatIsTooLarge) {
  EXPECT_FALSE(read_small_file(folder_ + "/file", 6));
}

TEST_F(ReadFile, ReadsFilesThatDoNotSayTheirSize) {
  EXPECT_NE(read_small_file("/proc/self/maps", 1 << 20).value_or(""), "");
}

TEST_F(ReadFile, DoesNotWaitForAFifo) {
  ASSERT_EQ(::mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(read_small_file(folder_ + "/fifo", 100));
}

TEST_F(ReadFile, FollowsLinksOnlyWhenAllowed) {
  ASSERT_EQ(::symlink("file", (folder_ + "/link").c_str()), 0);
  EXPECT_EQ(read_small_file(folder_ + "/link", 100), "content");
  EXPECT_FALSE(read_small_file(folder_ + "/link", 100, false));
}

}  // namespace
}  // namespace wick
