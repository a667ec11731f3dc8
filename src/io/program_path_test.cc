// SPDX-License-Identifier: Apache-2.0
#include "io/program_path.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace wick {
namespace {

struct ProgramFile : testing::Test {
  std::string path = testing::TempDir() + "wick_program_path";
  void SetUp() override {
    std::ofstream(path) << "#!/bin/sh\n";
    ::chmod(path.c_str(), 0755);
  }
  void TearDown() override { ::unlink(path.c_str()); }
};

TEST_F(ProgramFile, OfOnesOwnIsNotProtected) {
  ::chmod(path.c_str(), 04755);
  EXPECT_FALSE(is_protected_program(path));
}

TEST_F(ProgramFile, OfAnotherUserIsProtectedIfItIsSetuid) {
  if (::chown(path.c_str(), 1, 1) != 0) GTEST_SKIP() << "not root";
  EXPECT_FALSE(is_protected_program(path));
  ::chmod(path.c_str(), 04755);
  EXPECT_TRUE(is_protected_program(path));
}

TEST_F(ProgramFile, IsFoundByItsPathOrInPath) {
  EXPECT_EQ(find_program(path), path);
  EXPECT_TRUE(find_program("sh"));
  EXPECT_FALSE(find_program("no-such-program-of-this-name"));
  EXPECT_FALSE(find_program("/"));
}

}  // namespace
}  // namespace wick
