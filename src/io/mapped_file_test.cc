// SPDX-License-Identifier: Apache-2.0
#include "io/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <vector>

#include "builders/test_folder.h"

namespace wick {
namespace {

constexpr std::size_t kSize = std::size_t{1} << 20;

class Mapped : public testing::Test {
 protected:
  Mapped() { std::ofstream(path_) << std::string(kSize, 'x'); }
  MappedFile map() const {
    return {UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)), kSize};
  }
  void truncate_to(std::size_t size) const {
    ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(size)), 0);
  }

  TestFolder temporary_;
  std::string path_ = temporary_.path() + "/file";
};

std::size_t count_x(std::string_view bytes) {
  return static_cast<std::size_t>(std::ranges::count(bytes, 'x'));
}

TEST_F(Mapped, HasTheBytesOfTheFile) {
  const MappedFile file = map();
  EXPECT_EQ(count_x(file.bytes()), kSize);
  EXPECT_FALSE(file.became_shorter());
  EXPECT_FALSE(file.read_failed());
}

TEST_F(Mapped, HasZerosWhereTheFileEndsMeanwhile) {
  const MappedFile file = map();
  truncate_to(8192);
  EXPECT_EQ(count_x(file.bytes()), 8192u);
  EXPECT_TRUE(file.became_shorter());
}

TEST_F(Mapped, NoticesATruncationInsideOfAPage) {
  const MappedFile file = map();
  truncate_to(kSize - 1);
  EXPECT_EQ(count_x(file.bytes()), kSize - 1);
  EXPECT_TRUE(file.became_shorter());
}

TEST_F(Mapped, RemembersThatTheFileWasShorterForAWhile) {
  const MappedFile file = map();
  truncate_to(0);
  EXPECT_EQ(count_x(file.bytes()), 0u);
  std::ofstream(path_) << std::string(kSize, 'y');
  EXPECT_FALSE(file.became_shorter());
  EXPECT_TRUE(file.read_failed());
}

TEST_F(Mapped, IsReadByThreadsAtOnceWhileItEnds) {
  const MappedFile file = map();
  truncate_to(4096);
  std::vector<std::size_t> counts(4);
  std::vector<std::thread> threads;
  for (std::size_t& count : counts)
    threads.emplace_back([&] { count = count_x(file.bytes()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counts, std::vector<std::size_t>(4, 4096));
}

TEST_F(Mapped, KeepsApartFilesThatAreMappedAtOnce) {
  const std::string other_path = temporary_.path() + "/other";
  std::ofstream(other_path) << std::string(kSize, 'x');
  const MappedFile other(
      UniqueFd(::open(other_path.c_str(), O_RDONLY | O_CLOEXEC)), kSize);
  const MappedFile file = map();
  truncate_to(0);
  EXPECT_EQ(count_x(file.bytes()), 0u);
  EXPECT_EQ(count_x(other.bytes()), kSize);
  EXPECT_FALSE(other.read_failed());
}

TEST_F(Mapped, IsGuardedAfterAMove) {
  MappedFile first = map();
  const MappedFile file = std::move(first);
  truncate_to(0);
  EXPECT_EQ(count_x(file.bytes()), 0u);
  EXPECT_TRUE(file.read_failed());
}

TEST_F(Mapped, LeavesOtherSignalsToTheirHandler) {
  const MappedFile file = map();
  EXPECT_DEATH(::raise(SIGBUS), "");
}

}  // namespace
}  // namespace wick
