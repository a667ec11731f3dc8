// SPDX-License-Identifier: Apache-2.0
#include "host/process_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/append.h"
#include "builders/child.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Optional;

constexpr std::int64_t kSecond = 1'000'000'000;

class BusiestProcesses : public testing::Test {
 protected:
  void stat(int pid, const std::string& name, int user_ticks, int system_ticks,
            int start = 100) {
    write(pid, "stat",
          fmt::format("{} ({}) S 1 2 3 0 -1 0 7 0 8 0 {} {} 0 0 20 0 2 0 {} "
                      "4096 5 0 0 0 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0\n",
                      pid, name, user_ticks, system_ticks, start));
  }
  void write(int pid, const std::string& file, std::string_view text) {
    const fs::path path = fs::path(folder_.path()) / std::to_string(pid) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  TestFolder folder_;
  ProcessReader reader_{folder_.path()};
};

TEST_F(BusiestProcesses, CpuTimeIsThatSinceTheLastPass) {
  stat(7, "cc1plus", 100, 50);
  reader_.read(10 * kSecond);
  stat(7, "cc1plus", 250, 100);
  const auto busiest = reader_.read(12 * kSecond);
  ASSERT_EQ(busiest.size(), 1u);
  EXPECT_EQ(busiest[0].name, "cc1plus");
  EXPECT_THAT(busiest[0].seconds, DoubleEq(2));
  EXPECT_THAT(busiest[0].cpu, DoubleEq(1.0));
  EXPECT_THAT(busiest[0].system_cpu, DoubleEq(0.25));
}

TEST_F(BusiestProcesses, TheBusiestComeFirst) {
  stat(7, "idle", 0, 0);
  stat(8, "busy", 0, 0);
  reader_.read(kSecond);
  stat(8, "busy", 50, 0);
  EXPECT_THAT(reader_.read(2 * kSecond, 1),
              ElementsAre(Field(&ProcessMetrics::name, "busy")));
}

TEST_F(BusiestProcesses, ANewProcessWithAnOldPidBeginsAtZero) {
  stat(7, "old", 1000, 0, 100);
  reader_.read(kSecond);
  stat(7, "new", 20, 0, 200);
  EXPECT_THAT(reader_.read(2 * kSecond),
              ElementsAre(Field(&ProcessMetrics::cpu, DoubleEq(0.2))));
}

TEST_F(BusiestProcesses, MoreIsReadOfTheBusiest) {
  const auto at = [&](int bytes, int switches, int wait_ms) {
    stat(7, "a", 0, 0);
    write(7, "status",
          fmt::format("Name:\ta\nUid:\t1000\t0\t0\t0\nVmSwap:\t   2 kB\n"
                      "voluntary_ctxt_switches:\t{}\n"
                      "nonvoluntary_ctxt_switches:\t3\n",
                      switches));
    write(7, "io", fmt::format("read_bytes: {}\nwrite_bytes: 0\n", bytes));
    write(7, "schedstat", fmt::format("1 {}000000 3\n", wait_ms));
  };
  at(0, 10, 0);
  EXPECT_THAT(reader_.read(kSecond),
              ElementsAre(Field(&ProcessMetrics::read_bytes, std::nullopt)));
  at(4096, 14, 500);
  const auto now = reader_.read(3 * kSecond);
  ASSERT_EQ(now.size(), 1u);
  EXPECT_THAT(now[0].uid, Optional(1000u));
  EXPECT_THAT(now[0].swap_bytes, Optional(2048u));
  EXPECT_THAT(now[0].read_bytes, Optional(2048.0));
  EXPECT_THAT(now[0].switches, Optional(2.0));
  EXPECT_THAT(now[0].forced_switches, Optional(0.0));
  EXPECT_THAT(now[0].wait, Optional(0.25));
}

TEST_F(BusiestProcesses, ThatEndedWhileTheyAreReadAreLeftOut) {
  write(7, "stat", "");
  EXPECT_THAT(reader_.read(kSecond), IsEmpty());
}

TEST_F(BusiestProcesses, ZombiesAreCounted) {
  write(7, "stat",
        "7 (a) Z 1 2 3 0 -1 0 7 0 8 0 1 1 0 0 20 0 2 0 1 "
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0\n");
  stat(8, "b", 0, 0);
  reader_.read(kSecond);
  EXPECT_EQ(reader_.counts().processes, 2u);
  EXPECT_EQ(reader_.counts().zombies, 1u);
}

TEST_F(BusiestProcesses, ProportionalMemoryIsReadInTurns) {
  stat(7, "a", 0, 0);
  write(7, "smaps_rollup", "Rss:  9 kB\nPss:   4 kB\nPss_Dirty: 1 kB\n");
  reader_.read(kSecond);
  reader_.read_some_pss(kSecond);
  reader_.read_some_pss(2 * kSecond);
  EXPECT_THAT(reader_.read(3 * kSecond),
              ElementsAre(Field(&ProcessMetrics::pss_bytes, Optional(4096u))));
}

TEST(ProcessFiles, CutAnywhereAreNoCrash) {
  constexpr std::string_view kStatus =
      "Name:\ta\nUid:\t18446744073709551615\nVmSwap:\t18446744073709551615 kB\n"
      "voluntary_ctxt_switches:\t1\n";
  for (std::size_t size = 0; size <= kStatus.size(); ++size) {
    ProcessMetrics process;
    ProcessCounters counters;
    parse_process_status(kStatus.substr(0, size), process, counters);
    EXPECT_EQ(process.uid.value_or(0) >> 31, 0u) << size;
  }
}

// The kernel counts hundredths of a second, and a busy machine may let the
// child wait for much longer.
TEST(ProcessReader, SeesWhatKeepsThisMachineBusy) {
  const SpinningChild child;
  ProcessReader reader;
  std::int64_t now = 1'000'000'000;
  for (int round = 0; round < 500; ++round) {
    for (const ProcessMetrics& process : reader.read(now, 100'000))
      if (process.pid == child.pid() && process.cpu > 0) {
        EXPECT_EQ(process.parent, ::getpid());
        return;
      }
    ::usleep(20'000);
    now += 20'000'000;
  }
  FAIL() << "the process is not listed as busy";
}

}  // namespace
}  // namespace wick
