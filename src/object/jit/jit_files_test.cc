// SPDX-License-Identifier: Apache-2.0
#include "object/jit/jit_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace wick {
namespace {

class JitFiles : public testing::Test {
 protected:
  JitFiles()
      : folder_(std::filesystem::path(testing::TempDir()) / "jit_files") {
    std::filesystem::create_directories(folder_ / "tmp");
    write("map", "1000 10 f\n");
  }
  ~JitFiles() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string path(const std::string& name) const { return folder_ / name; }

  std::filesystem::path folder_;
};

TEST_F(JitFiles, OnesOwnAreRead) {
  EXPECT_EQ(read_owned_file(path("map"), geteuid()), "1000 10 f\n");
}

TEST_F(JitFiles, OfSomebodyElseAreNot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(chown(path("map").c_str(), 4711, 4711), 0);
  EXPECT_FALSE(read_owned_file(path("map"), 1000));
  EXPECT_TRUE(read_owned_file(path("map"), 4711));
}

TEST_F(JitFiles, OfRootAreReadForEverybody) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has files of root";
  EXPECT_TRUE(read_owned_file(path("map"), 1000));
}

TEST_F(JitFiles, ThatAreLinksAreNotFollowed) {
  std::filesystem::create_symlink(path("map"), path("link"));
  EXPECT_FALSE(read_owned_file(path("link"), geteuid()));
}

TEST_F(JitFiles, ThatAreFifosDoNotBlock) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(read_owned_file(path("fifo"), geteuid()));
}

TEST_F(JitFiles, ThatAreTooLargeAreNotRead) {
  EXPECT_FALSE(read_owned_file(path("map"), geteuid(), 5));
}

TEST_F(JitFiles, LinksWithinARootStayInIt) {
  write("tmp/perf-1.map", "1000 10 inside\n");
  // As the container sees it, /var is the absolute link /tmp.
  std::filesystem::create_symlink("/tmp", path("var"));
  EXPECT_EQ(read_owned_file_in(folder_, "/var/perf-1.map", geteuid()),
            "1000 10 inside\n");
  std::filesystem::create_symlink("../../../../../../etc", path("out"));
  EXPECT_FALSE(read_owned_file_in(folder_, "/out/passwd", geteuid()));
}

TEST_F(JitFiles, OfARunningProcessAreFoundByItsOwnNumbers) {
  const auto ids = process_ids(static_cast<std::uint32_t>(getpid()));
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->uid, getuid());
  EXPECT_GT(ids->namespace_pid, 0u);
  EXPECT_FALSE(process_ids(0x7fff'ffff));
}

TEST_F(JitFiles, PerfMapOfThisProcessIsRead) {
  const auto pid = static_cast<std::uint32_t>(getpid());
  const std::string file = "/tmp/perf-" + std::to_string(pid) + ".map";
  std::ofstream(file) << "1000 10 mine\n";
  const auto map = read_perf_map(pid);
  std::filesystem::remove(file);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->find(0x1004)->name, "mine");
}

}  // namespace
}  // namespace wick
