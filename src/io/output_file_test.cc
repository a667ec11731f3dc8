// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/error.h"
#include "builders/test_folder.h"
#include "io/read_file.h"

namespace wick {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr uid_t kNobody = 65534;

class OutputFileTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  OutputName typed(const std::string& name) const {
    return OutputName::typed(path(name));
  }
  // Only the test's folder is typed.
  OutputName chosen(const std::string& name) const {
    return OutputName::chosen(path(name), folder_.path());
  }
  std::optional<std::string> content(const std::string& name) const {
    return read_small_file(path(name), 1000);
  }
  void make_file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  void make_link(const std::string& name, const std::string& target) const {
    fs::create_symlink(target, path(name));
  }
  bool is_link(const std::string& name) const {
    return fs::is_symlink(path(name));
  }
  void give_to_nobody(const std::string& name) const {
    ASSERT_EQ(::lchown(path(name).c_str(), kNobody, kNobody), 0);
  }
  static void write(const OutputName& name) {
    OutputFile file(name);
    file.stream() << "new";
    file.commit();
  }
  static std::string error_of(const OutputName& name) {
    try {
      write(name);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  TestFolder folder_;
};

TEST_F(OutputFileTest, LeavesNothingBehindWithoutCommit) {
  { OutputFile(typed("x")).stream() << "half"; }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(OutputFileTest, HasNoNameThatAKilledProcessCouldLeave) {
  if (!UniqueFd(::open(folder_.path().c_str(), O_TMPFILE | O_RDWR, 0600)))
    GTEST_SKIP() << "the file system has no unnamed files";
  OutputFile file(typed("out"));
  file.stream() << "text" << std::flush;
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  file.commit();
  EXPECT_EQ(content("out"), "text");
}

TEST_F(OutputFileTest, HasTheModeOfNewFiles) {
  const mode_t before = ::umask(027);
  write(typed("out"));
  write(typed("out"));
  ::umask(before);
  EXPECT_EQ(fs::status(path("out")).permissions(), fs::perms(0640));
}

TEST_F(OutputFileTest, ReplacesTheOldFileAtOnce) {
  make_file("x", "old");
  OutputFile file(typed("x"));
  file.stream() << "new";
  file.stream().flush();
  EXPECT_EQ(content("x"), "old");
  file.commit();
  EXPECT_EQ(content("x"), "new");
}

TEST_F(OutputFileTest, WritesMoreThanItsBufferHolds) {
  std::string text;
  {
    OutputFile file(typed("x"));
    for (int i = 0; i < 30'000; ++i) {
      file.stream() << i << '\n';
      text += std::to_string(i) + "\n";
    }
    file.stream() << std::string(200'000, '.');
    file.commit();
  }
  EXPECT_EQ(read_small_file(path("x"), 1 << 20),
            text + std::string(200'000, '.'));
}

TEST_F(OutputFileTest, ReportsWhereItCannotWrite) {
  EXPECT_THAT(error_of(OutputName::typed("/no/such/folder/x")),
              HasSubstr("/x: cannot write: No such file or directory"));
  EXPECT_THAT(error_of(OutputName::typed(folder_.path())),
              HasSubstr("is a directory"));
  EXPECT_THAT(error_of(typed("x/")), HasSubstr("is a directory"));
  EXPECT_THAT(error_of(OutputName::typed("/")), HasSubstr("is a directory"));
  EXPECT_THAT(error_of(OutputName::typed("/dev/full")),
              HasSubstr("cannot write: No space left on device"));
  make_file("file", "");
  EXPECT_THAT(error_of(typed("file/x")), HasSubstr("Not a directory"));
}

TEST_F(OutputFileTest, ALongNameHasATemporaryNameThatFits) {
  const std::string longest(255, 'n');
  write(typed(longest));
  EXPECT_EQ(content(longest), "new");
}

TEST_F(OutputFileTest, ATypedNameGoesThroughTheUsersOwnLinks) {
  fs::create_directory(path("data"));
  make_link("link", "second");
  make_link("second", "data/x");
  write(typed("link"));
  EXPECT_EQ(content("data/x"), "new");
  EXPECT_TRUE(is_link("link"));
  EXPECT_TRUE(is_link("second"));
}

TEST_F(OutputFileTest, ATypedNameGoesThroughTheUsersLinkToAnAbsolutePath) {
  make_link("link", path("x"));
  write(typed("./link"));
  EXPECT_EQ(content("x"), "new");
}

TEST_F(OutputFileTest, LinksInACircleAreAnError) {
  make_link("a", "b");
  make_link("b", "a");
  EXPECT_THAT(error_of(typed("a")), HasSubstr("symbolic links"));
}

TEST_F(OutputFileTest, ANameThatWickChoseReplacesALink) {
  make_file("victim", "old");
  make_link("x", "victim");
  write(chosen("x"));
  EXPECT_EQ(content("victim"), "old");
  EXPECT_EQ(content("x"), "new");
  EXPECT_FALSE(is_link("x"));
}

TEST_F(OutputFileTest, ANameThatWickChoseReplacesALinkThatLeadsNowhere) {
  make_link("x", "not-there");
  write(chosen("x"));
  EXPECT_EQ(content("x"), "new");
  EXPECT_FALSE(fs::exists(path("not-there")));
}

TEST_F(OutputFileTest, ANameThatWickChoseReplacesALinkToADirectory) {
  make_link("x", "/");
  write(chosen("x"));
  EXPECT_EQ(content("x"), "new");
}

TEST_F(OutputFileTest, AFolderThatWickChoseIsNoLink) {
  fs::create_directory(path("victim"));
  make_link("job", "victim");
  EXPECT_THAT(error_of(chosen("job/x")), HasSubstr("job is a symbolic link"));
  EXPECT_TRUE(fs::is_empty(path("victim")));
}

TEST_F(OutputFileTest, AFolderThatTheUserTypedMayBeTheirLink) {
  fs::create_directory(path("data"));
  make_link("job", "data");
  write(typed("job/x"));
  write(OutputName::chosen(path("job/y"), path("job")));
  EXPECT_EQ(content("data/x"), "new");
  EXPECT_EQ(content("data/y"), "new");
}

TEST_F(OutputFileTest, AFifoThatTheUserTypedIsWrittenDirectly) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const UniqueFd reader(::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK));
  write(typed("fifo"));
  char text[10];
  EXPECT_EQ(::read(reader.get(), text, sizeof text), 3);
  EXPECT_TRUE(fs::is_fifo(path("fifo")));
}

TEST_F(OutputFileTest, AFifoUnderANameThatWickChoseIsReplaced) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  write(chosen("fifo"));
  EXPECT_EQ(content("fifo"), "new");
}

TEST_F(OutputFileTest, NamesOfOpenFilesAreWrittenDirectly) {
  const UniqueFd file(
      ::open(path("x").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  for (const std::string folder :
       {"/dev/fd/", "/proc/self/fd/", "/proc/self/root/proc/self/fd/"}) {
    write(OutputName::typed(folder + std::to_string(file.get())));
    struct stat before {
    }, after{};
    ASSERT_EQ(::fstat(file.get(), &before), 0);
    ASSERT_EQ(::stat(path("x").c_str(), &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino);
    EXPECT_EQ(content("x"), "new");
  }
  EXPECT_EQ(error_of(OutputName::typed("/dev/null")), "");
}

// What another user put there. Only root can pretend to be one.
class ForeignOutputTest : public OutputFileTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    make_file("victim", "old");
    fs::create_directory(path("shared"));
    ASSERT_EQ(::chmod(path("shared").c_str(), 01777), 0);
  }
};

TEST_F(ForeignOutputTest, ALinkOfAnotherUserIsReplaced) {
  make_link("shared/x", path("victim"));
  give_to_nobody("shared/x");
  write(typed("shared/x"));
  EXPECT_EQ(content("victim"), "old");
  EXPECT_EQ(content("shared/x"), "new");
  EXPECT_FALSE(is_link("shared/x"));
}

TEST_F(ForeignOutputTest, AnOwnLinkInAnotherUsersDirectoryIsReplaced) {
  give_to_nobody("shared");
  make_link("shared/x", path("victim"));
  write(typed("shared/x"));
  EXPECT_EQ(content("victim"), "old");
  EXPECT_EQ(content("shared/x"), "new");
}

// Others may have moved it there.
TEST_F(ForeignOutputTest, AnOwnLinkInASharedDirectoryIsReplaced) {
  make_link("shared/x", path("victim"));
  write(typed("shared/x"));
  EXPECT_EQ(content("victim"), "old");
  EXPECT_EQ(content("shared/x"), "new");
}

TEST_F(ForeignOutputTest, AnOwnLinkInASharedDirectoryIsNoWay) {
  fs::create_directory(path("private"));
  make_link("shared/way", path("private"));
  EXPECT_THAT(error_of(typed("shared/way/x")), HasSubstr("symbolic link"));
  EXPECT_TRUE(fs::is_empty(path("private")));
}

TEST_F(ForeignOutputTest, ASecondNameOfAnOwnLinkInASharedDirectoryIsReplaced) {
  make_link("own", path("victim"));
  ASSERT_EQ(::link(path("own").c_str(), path("shared/x").c_str()), 0);
  write(typed("shared/x"));
  EXPECT_EQ(content("victim"), "old");
  EXPECT_EQ(content("shared/x"), "new");
}

TEST_F(ForeignOutputTest, ALinkOfAnotherUserOnTheWayIsAnError) {
  fs::create_directory(path("private"));
  make_link("shared/way", path("private"));
  give_to_nobody("shared/way");
  EXPECT_THAT(error_of(typed("shared/way/x")),
              HasSubstr("shared/way/x: way is a symbolic link that somebody "
                        "else may have made; name the directory it leads to"));
  EXPECT_TRUE(fs::is_empty(path("private")));
}

TEST_F(ForeignOutputTest, TheSecondOfTwoLinksIsNotTrustedForTheFirst) {
  make_link("shared/theirs", path("victim"));
  give_to_nobody("shared/theirs");
  make_link("own", "shared/theirs");
  write(typed("own"));
  EXPECT_EQ(content("victim"), "old");
  EXPECT_EQ(content("shared/theirs"), "new");
}

TEST_F(ForeignOutputTest, AFifoOfAnotherUserIsReplaced) {
  ASSERT_EQ(::mkfifo(path("shared/x").c_str(), 0666), 0);
  give_to_nobody("shared/x");
  write(typed("shared/x"));
  EXPECT_EQ(content("shared/x"), "new");
}

TEST_F(ForeignOutputTest, AnEmptyFileOfAnotherUserIsReplaced) {
  make_file("shared/x", "");
  give_to_nobody("shared/x");
  write(typed("shared/x"));
  struct stat info {};
  ASSERT_EQ(::stat(path("shared/x").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 0u);
}

TEST_F(ForeignOutputTest, OnlyAnOwnFolderThatNobodyElseWritesToIsOpened) {
  const auto opens = [&](const std::string& name) {
    return static_cast<bool>(open_own_folder(typed(name), false));
  };
  fs::create_directories(path("own/cache"));
  EXPECT_TRUE(opens("own/cache"));
  for (const mode_t mode : {0720, 0702, 01777}) {
    ASSERT_EQ(::chmod(path("own/cache").c_str(), mode), 0);
    EXPECT_FALSE(opens("own/cache"));
  }
  ASSERT_EQ(::chmod(path("own/cache").c_str(), 0700), 0);
  give_to_nobody("own");
  EXPECT_FALSE(opens("own/cache"));
  EXPECT_FALSE(open_own_folder(typed("own/new"), true));
  EXPECT_FALSE(fs::exists(path("own/new")));
}

TEST_F(OutputFileTest, FoldersAreCreatedForTheUserOnly) {
  EXPECT_TRUE(open_own_folder(chosen("a/b"), true));
  for (const std::string name : {"a", "a/b"}) {
    struct stat info {};
    ASSERT_EQ(::stat(path(name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0077, 0u);
  }
}

TEST_F(OutputFileTest, AFolderIsNotOpenedThroughALinkThatWickMet) {
  fs::create_directory(path("victim"));
  ASSERT_EQ(::chmod(path("victim").c_str(), 0700), 0);
  make_link("cache", "victim");
  EXPECT_FALSE(open_own_folder(chosen("cache"), true));
  EXPECT_TRUE(open_own_folder(typed("cache"), true));
}

TEST_F(OutputFileTest, AFolderIsSafeForOtherProgramsIfOnlyTheUserCanChangeIt) {
  EXPECT_EQ(OutputPlace(typed("x")).safe_folder_path(), folder_.path());
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  EXPECT_EQ(OutputPlace(typed("x")).safe_folder_path(), std::nullopt);
}

}  // namespace
}  // namespace wick
