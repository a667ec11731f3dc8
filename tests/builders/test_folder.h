// SPDX-License-Identifier: Apache-2.0
// A folder for one test, gone after it. Several runs may go on at once.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace wick {

class TestFolder {
 public:
  TestFolder() {
    static int count = 0;
    path_ = testing::TempDir() + "wick-test-" + std::to_string(::getpid()) +
            "-" + std::to_string(++count);
    std::filesystem::create_directories(path_);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace wick
