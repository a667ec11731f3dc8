// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"

namespace wick {
namespace {

TEST(OutputFile, LeavesNothingBehindWithoutCommit) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "wick_output_file";
  std::filesystem::create_directories(folder);
  { OutputFile((folder / "x").string()).stream() << "half"; }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(OutputFile, ReplacesTheOldFileAtOnce) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "wick_output_file2";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "x").string();
  std::ofstream(path) << "old";
  OutputFile file(path);
  file.stream() << "new";
  EXPECT_EQ(std::ifstream(path).get(), 'o');
  file.commit();
  EXPECT_EQ(std::ifstream(path).get(), 'n');
  std::filesystem::remove_all(folder);
}

TEST(OutputFile, ReportsWhereItCannotWrite) {
  EXPECT_THROW(OutputFile("/no/such/folder/x"), Error);
  EXPECT_THROW(OutputFile("/tmp"), Error);
}

}  // namespace
}  // namespace wick
