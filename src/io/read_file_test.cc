// SPDX-License-Identifier: Apache-2.0
#include "io/read_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "builders/test_folder.h"

namespace wick {
namespace {

class ReadFile : public testing::Test {
 protected:
  ReadFile() { std::ofstream(folder_ + "/file") << "content"; }
  TestFolder temporary_;
  std::string folder_ = temporary_.path();
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

TEST_F(ReadFile, ReadsASettingOfTheKernelAsAWhole) {
  // It can be read from its beginning only, so not byte after byte.
  const std::string text =
      read_small_file("/proc/sys/kernel/pid_max", 100).value_or("");
  EXPECT_GT(text.size(), 3u);
  EXPECT_TRUE(text.ends_with('\n'));
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

TEST_F(ReadFile, KnowsWhenAFileWasChanged) {
  const struct timespec times[2] = {{5, 0}, {1700000000, 123456789}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder_ + "/file").c_str(), times, 0), 0);
  EXPECT_EQ(modification_time(folder_ + "/file"), 1700000000123456789);
  EXPECT_EQ(modification_time(folder_ + "/none"), 0);
}

}  // namespace
}  // namespace wick
