// SPDX-License-Identifier: Apache-2.0
#include "object/jit/jit_files.h"

#include <fcntl.h>
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
  EXPECT_TRUE(open_owned_file(path("map"), geteuid()));
}

TEST_F(JitFiles, OfSomebodyElseAreNot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(chown(path("map").c_str(), 4711, 4711), 0);
  EXPECT_FALSE(open_owned_file(path("map"), 1000));
  EXPECT_TRUE(open_owned_file(path("map"), 4711));
}

TEST_F(JitFiles, OfRootAreReadForEverybody) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has files of root";
  EXPECT_TRUE(open_owned_file(path("map"), 1000));
}

TEST_F(JitFiles, ThatAreLinksAreNotFollowed) {
  std::filesystem::create_symlink(path("map"), path("link"));
  EXPECT_FALSE(open_owned_file(path("link"), geteuid()));
}

TEST_F(JitFiles, ThatAreFifosDoNotBlock) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(open_owned_file(path("fifo"), geteuid()));
}

TEST_F(JitFiles, LinksWithinARootStayInIt) {
  write("tmp/perf-1.map", "1000 10 inside\n");
  // As the container sees it, /var is the absolute link /tmp.
  std::filesystem::create_symlink("/tmp", path("var"));
  EXPECT_TRUE(open_owned_file_in(folder_, "/var/perf-1.map", geteuid()));
  std::filesystem::create_symlink("../../../../../../etc", path("out"));
  EXPECT_FALSE(open_owned_file_in(folder_, "/out/passwd", geteuid()));
}

TEST_F(JitFiles, OfARunningProcessAreFoundByItsOwnNumbers) {
  const auto ids = process_ids(static_cast<std::uint32_t>(getpid()));
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->uid, getuid());
  EXPECT_GT(ids->namespace_pid, 0u);
  EXPECT_FALSE(process_ids(0x7fff'ffff));
}

// The perf map of this process, for a moment.
class OwnPerfMap {
 public:
  explicit OwnPerfMap(const std::string& text) { std::ofstream(path_) << text; }
  ~OwnPerfMap() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/perf-" + std::to_string(getpid()) + ".map";
};

std::uint32_t own_pid() { return static_cast<std::uint32_t>(getpid()); }

TEST_F(JitFiles, PerfMapOfThisProcessIsRead) {
  const OwnPerfMap file("1000 10 mine\n");
  MemoryAccount memory(nullptr, 1 << 20);
  const auto read = read_perf_map(own_pid(), memory);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->map.find(0x1004)->name, "mine");
  EXPECT_TRUE(read->is_complete);
  EXPECT_GT(memory.used(), 0u);
}

// Long before this process, or any recording, began.
void make_old(const OwnPerfMap& file) {
  const timespec times[2] = {{.tv_sec = 1'000'000'000},
                             {.tv_sec = 1'000'000'000}};
  ASSERT_EQ(utimensat(AT_FDCWD, file.path().c_str(), times, 0), 0);
}

TEST_F(JitFiles, APerfMapOlderThanItsProcessIsNotRead) {
  const OwnPerfMap file("1000 10 another\n");
  make_old(file);
  MemoryAccount memory(nullptr, 1 << 20);
  EXPECT_FALSE(read_perf_map(own_pid(), memory));
}

TEST_F(JitFiles, APerfMapOlderThanAProcessThatEndedIsNotRead) {
  const OwnPerfMap file("1000 10 another\n");
  make_old(file);
  const std::int64_t written = 1'000'000'000ll * 1'000'000'000;
  EXPECT_TRUE(open_perf_map(own_pid(), {}, {.began = written}));
  EXPECT_FALSE(
      open_perf_map(own_pid(), {}, {.began = written + 2'000'000'000}));
}

TEST_F(JitFiles, APerfMapOfAProcessThatTookOverThePidIsNotRead) {
  const OwnPerfMap file("1000 10 newer\n");
  const ProcessRoot root = ProcessRoot::open(own_pid());
  ASSERT_TRUE(root.is_open());
  const std::int64_t start = root.ids().start;
  EXPECT_TRUE(open_perf_map(own_pid(), root, {.seen_until = start}));
  EXPECT_FALSE(open_perf_map(own_pid(), root, {.seen_until = start - 1}));
}

TEST_F(JitFiles, APerfMapIsReadAsFarAsThereIsMemory) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "1000 10 f\n";
  const OwnPerfMap file(text);
  MemoryAccount memory(nullptr, 50'000);
  const auto read = read_perf_map(own_pid(), memory);
  ASSERT_TRUE(read);
  EXPECT_GT(read->map.size(), 0u);
  EXPECT_FALSE(read->is_complete);
  EXPECT_LE(memory.used(), 50'000u);
  EXPECT_FALSE(memory.was_refused());
}

TEST_F(JitFiles, APerfMapThatIsNotTextIsNotRead) {
  const OwnPerfMap file(std::string("1000 10 f\n\0", 11));
  MemoryAccount memory(nullptr, 1 << 20);
  EXPECT_FALSE(read_perf_map(own_pid(), memory));
}

TEST_F(JitFiles, HolesOfAFileAreNotRead) {
  const OwnPerfMap file(std::string(8192, '\n') + "1000 10 f\n");
  ASSERT_EQ(truncate(file.path().c_str(), off_t{1} << 30), 0);
  MemoryAccount memory(nullptr, MemoryBudget::kNoLimit);
  const auto read = read_perf_map(own_pid(), memory);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->map.find(0x1004)->name, "f");
  EXPECT_LT(memory.used(), 2'000'000u);
}

TEST_F(JitFiles, AJitdumpThatDoesNotBeginAsOneIsNotRead) {
  write("jit-1.dump", std::string(100, 'x'));
  MemoryAccount memory(nullptr, 1 << 20);
  EXPECT_FALSE(read_jitdump(own_pid(), path("jit-1.dump"), memory));
  EXPECT_EQ(memory.used(), 0u);
}

}  // namespace
}  // namespace wick
