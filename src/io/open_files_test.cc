// SPDX-License-Identifier: Apache-2.0
#include "io/open_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace wick {
namespace {

class OpenFilesTest : public testing::Test {
 protected:
  OpenFilesTest()
      : folder_(std::filesystem::path(testing::TempDir()) / "open_files") {
    std::filesystem::create_directories(folder_);
  }
  ~OpenFilesTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::unique_ptr<OpenFile> open(const std::string& path) {
    const auto reopen = [this, path] {
      ++opened_;
      return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    };
    return std::make_unique<OpenFile>(all_, reopen(), reopen);
  }
  static std::string content(OpenFile& file) {
    const auto fd = file.fd();
    if (!fd) return "closed";
    char text[16] = "";
    const ssize_t size = ::pread(fd->get(), text, sizeof text, 0);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  std::filesystem::path folder_;
  std::shared_ptr<OpenFiles> all_ = std::make_shared<OpenFiles>(2);
  int opened_ = 0;
};

TEST_F(OpenFilesTest, TheMostRecentlyUsedStayOpen) {
  const auto a = open(write("a", "A")), b = open(write("b", "B"));
  EXPECT_EQ(content(*a), "A");
  const auto c = open(write("c", "C"));  // closes b
  EXPECT_EQ(content(*a), "A");
  EXPECT_EQ(opened_, 3);
}

TEST_F(OpenFilesTest, OthersAreReopenedWhenTheyAreUsed) {
  const auto a = open(write("a", "A")), b = open(write("b", "B")),
             c = open(write("c", "C"));
  EXPECT_EQ(content(*a), "A");
  EXPECT_EQ(opened_, 4);
}

TEST_F(OpenFilesTest, AFileThatWasReplacedMeanwhileIsNotUsed) {
  const auto a = open(write("a", "A")), b = open(write("b", "B")),
             c = open(write("c", "C"));
  std::filesystem::rename(write("new", "X"), folder_ / "a");
  EXPECT_EQ(content(*a), "closed");
}

TEST_F(OpenFilesTest, AFileIsNotClosedWhileItIsRead) {
  const auto a = open(write("a", "A"));
  const auto fd = a->fd();
  const auto b = open(write("b", "B")), c = open(write("c", "C"));
  char byte = 0;
  EXPECT_EQ(::pread(fd->get(), &byte, 1, 0), 1);
}

TEST_F(OpenFilesTest, AFileThatIsNoLongerWantedMakesRoom) {
  auto a = open(write("a", "A"));
  const auto b = open(write("b", "B"));
  a = nullptr;
  const auto c = open(write("c", "C"));
  EXPECT_EQ(content(*b), "B");
  EXPECT_EQ(opened_, 3);
}

}  // namespace
}  // namespace wick
