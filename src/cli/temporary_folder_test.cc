// SPDX-License-Identifier: Apache-2.0
#include "cli/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "builders/test_folder.h"
#include "io/output_file.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLeftName = "wick-0123456789abcdef.tmp";

// A place for temporary files.
class Leftovers : public testing::Test {
 protected:
  void SetUp() override {
    fs::permissions(place_.path(), fs::perms::owner_all);
  }

  std::string in_place(const std::string& name) const {
    return place_.path() + "/" + name;
  }
  // A directory as a killed wick leaves it, with a file.
  std::string leave(const std::string& name = kLeftName) const {
    const std::string path = in_place(name);
    fs::create_directories(path);
    fs::permissions(path, fs::perms::owner_all);
    std::ofstream(path + "/perf.data") << "data";
    return path;
  }

  TestFolder place_;
};

TEST_F(Leftovers, AreRemovedWithTheirContent) {
  const std::string left = leave();
  fs::create_directories(left + "/perf.data.dir");
  std::ofstream(left + "/perf.data.dir/data.0") << "data";
  remove_leftovers(place_.path());
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(Leftovers, AreRemovedByTheNextFolder) {
  const std::string left = leave();
  const TemporaryFolder next(place_.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::is_directory(next.path()));
}

TEST_F(Leftovers, AreNotWhatARunningWickHasLocked) {
  const TemporaryFolder running(place_.path());
  std::ofstream(running.path() + "/perf.data") << "data";
  remove_leftovers(place_.path());
  EXPECT_TRUE(fs::exists(running.path() + "/perf.data"));
}

TEST_F(Leftovers, AreKnownByTheirWholeName) {
  for (const char* name :
       {"wick-0123456789abcdef", "wick-0123456789abcde.tmp",
        "wick-0123456789abcdeg.tmp", "wick-master.tmp", "my-0123456789abcdef"})
    leave(name);
  remove_leftovers(place_.path());
  EXPECT_EQ(std::distance(fs::directory_iterator(place_.path()), {}), 5);
}

TEST_F(Leftovers, AreOnlyDirectoriesThatNobodyElseCanEnter) {
  const std::string left = leave();
  ASSERT_EQ(::chmod(left.c_str(), 0750), 0);
  remove_leftovers(place_.path());
  EXPECT_TRUE(fs::exists(left + "/perf.data"));
}

TEST_F(Leftovers, AreNotFilesOrLinks) {
  const std::string target = leave("precious");
  fs::create_directory_symlink(target, in_place(kLeftName));
  std::ofstream(in_place("wick-00000000000000aa.tmp")) << "a file";
  remove_leftovers(place_.path());
  EXPECT_TRUE(fs::is_symlink(in_place(kLeftName)));
  EXPECT_TRUE(fs::exists(target + "/perf.data"));
  EXPECT_TRUE(fs::exists(in_place("wick-00000000000000aa.tmp")));
}

TEST_F(Leftovers, LoseTheirLinksButNotWhatTheseLeadTo) {
  const std::string precious = leave("precious"), left = leave();
  fs::create_directory_symlink(precious, left + "/link");
  remove_leftovers(place_.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(precious + "/perf.data"));
}

TEST_F(Leftovers, StayIfOthersCanRenameThings) {
  const std::string left = leave();
  ASSERT_EQ(::chmod(place_.path().c_str(), 0777), 0);
  remove_leftovers(place_.path());
  EXPECT_TRUE(fs::exists(left + "/perf.data"));
}

TEST_F(Leftovers, AreRemovedFromStickyPlaces) {
  const std::string left = leave();
  ASSERT_EQ(::chmod(place_.path().c_str(), 01777), 0);
  remove_leftovers(place_.path());
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(Leftovers, OfOtherUsersStay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string left = leave();
  ASSERT_EQ(::chown(left.c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(place_.path().c_str(), 01777), 0);
  remove_leftovers(place_.path());
  EXPECT_TRUE(fs::exists(left + "/perf.data"));
}

TEST(TemporaryFolder, IsGoneWithItsContent) {
  const TestFolder place;
  {
    const TemporaryFolder folder(place.path());
    std::ofstream(folder.path() + "/file") << "data";
    EXPECT_EQ(fs::status(folder.path()).permissions(), fs::perms::owner_all);
  }
  EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST(TemporaryFolder, NeedsAPlace) {
  const TestFolder place;
  EXPECT_THROW(TemporaryFolder(place.path() + "/none"), Error);
}

TEST(TemporaryFile, IsWrittenAndReadAgain) {
  const TemporaryFile temporary;
  OutputFile file(temporary.name());
  file.stream() << "text";
  file.commit();
  std::string text;
  std::ifstream(temporary.name().path) >> text;
  EXPECT_EQ(text, "text");
}

}  // namespace
}  // namespace wick
