// SPDX-License-Identifier: Apache-2.0
#include "render/source_roots.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

// project/a.c, project/.env and secret, with project/ as the current directory.
class Sources : public testing::Test {
 protected:
  Sources() {
    fs::create_directory(path("project"));
    std::ofstream(path("project/a.c")) << "int a;";
    std::ofstream(path("project/.env")) << "hidden";
    std::ofstream(path("secret")) << "secret";
    fs::current_path(path("project"));
  }
  ~Sources() override { fs::current_path(before_); }
  std::string path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  // What is read: the text, "outside" or "nothing".
  static std::string read(const std::string& name,
                          const std::vector<std::string>& roots = {}) {
    const auto answer = SourceRoots(roots).read(name, 100);
    return answer.text         ? *answer.text
           : answer.is_outside ? "outside"
                               : "nothing";
  }

  fs::path before_ = fs::current_path();
  TestFolder temporary_;
  std::string folder_ = fs::canonical(temporary_.path()).string();
};

TEST_F(Sources, AreReadFromTheCurrentDirectory) {
  EXPECT_EQ(read("a.c"), "int a;");
  EXPECT_EQ(read("./a.c"), "int a;");
  EXPECT_EQ(read(path("project/a.c")), "int a;");
}

TEST_F(Sources, AreNotReadFromElsewhere) {
  EXPECT_EQ(read(path("secret")), "outside");
  EXPECT_EQ(read("/etc/passwd"), "outside");
}

TEST_F(Sources, AreReadFromTheDirectoriesGiven) {
  EXPECT_EQ(read(path("secret"), {folder_}), "secret");
  EXPECT_EQ(read("secret", {folder_}), "secret");
  EXPECT_EQ(read(path("secret"), {"/"}), "secret");
}

TEST_F(Sources, DoNotLeadOutByDots) {
  EXPECT_EQ(read("../secret"), "outside");
  EXPECT_EQ(read(path("project/../secret")), "outside");
}

TEST_F(Sources, DoNotLeadOutByLinks) {
  fs::create_symlink("../secret", "b.c");
  fs::create_directory_symlink("..", "up");
  EXPECT_EQ(read("b.c"), "outside");
  EXPECT_EQ(read("up/secret"), "outside");
}

TEST_F(Sources, MayBeNamedThroughALinkFromElsewhere) {
  fs::create_directory_symlink("project", path("link"));
  EXPECT_EQ(read(path("link/a.c")), "int a;");
  EXPECT_EQ(read("a.c", {path("link")}), "int a;");
}

TEST_F(Sources, AreNotInADirectoryWhoseNameOnlyBeginsAlike) {
  fs::create_directory(path("project2"));
  std::ofstream(path("project2/a.c")) << "int b;";
  EXPECT_EQ(read(path("project2/a.c")), "outside");
}

TEST_F(Sources, AreNotHiddenFiles) {
  EXPECT_EQ(read(".env"), "outside");
  fs::create_directory(".cargo");
  std::ofstream(".cargo/lib.rs") << "fn f() {}";
  EXPECT_EQ(read(".cargo/lib.rs"), "outside");
  EXPECT_EQ(read(".cargo/lib.rs", {".cargo"}), "fn f() {}");
}

TEST_F(Sources, AreNotReadIfMissingOrTooLarge) {
  EXPECT_EQ(read("none.c"), "nothing");
  std::ofstream("large.c") << std::string(101, 'x');
  EXPECT_EQ(read("large.c"), "nothing");
}

TEST_F(Sources, AreNotDevices) {
  EXPECT_EQ(read("/dev/zero", {"/"}), "nothing");
}

TEST_F(Sources, AreNotAllFilesInTheRootDirectory) {
  fs::current_path("/");
  EXPECT_EQ(read("etc/passwd"), "outside");
}

TEST_F(Sources, NeedDirectories) {
  EXPECT_THROW(SourceRoots({path("none")}), UsageError);
  EXPECT_THROW(SourceRoots({path("secret")}), UsageError);
}

}  // namespace
}  // namespace wick
