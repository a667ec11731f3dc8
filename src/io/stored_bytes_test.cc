// SPDX-License-Identifier: Apache-2.0
#include "io/stored_bytes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "io/unique_fd.h"

namespace wick {
namespace {

UniqueFd temporary_file() {
  std::string path = testing::TempDir() + "/stored_bytes_XXXXXX";
  UniqueFd fd(::mkstemp(path.data()));
  ::unlink(path.c_str());
  return fd;
}

TEST(StoredBytes, OfAPlainFileAreItsSize) {
  const UniqueFd fd = temporary_file();
  ASSERT_EQ(::write(fd.get(), "hello", 5), 5);
  EXPECT_EQ(stored_bytes(fd.get()), 5u);
}

TEST(StoredBytes, DoNotIncludeHoles) {
  const UniqueFd fd = temporary_file();
  ASSERT_EQ(::pwrite(fd.get(), "first", 5, 0), 5);
  ASSERT_EQ(::pwrite(fd.get(), "last", 4, off_t{1} << 30), 4);
  EXPECT_GE(stored_bytes(fd.get()), 9u);
  EXPECT_LT(stored_bytes(fd.get()), 1'000'000u);
}

TEST(StoredBytes, OfAHoleAreNone) {
  const UniqueFd fd = temporary_file();
  ASSERT_EQ(::ftruncate(fd.get(), off_t{1} << 30), 0);
  EXPECT_EQ(stored_bytes(fd.get()), 0u);
}

}  // namespace
}  // namespace wick
