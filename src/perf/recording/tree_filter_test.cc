// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/tree_filter.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "builders/fake_system.h"
#include "perf/events/event_open.h"
#include "perf/events/ring_buffer.h"
#include "perf/records/abi.h"
#include "perf/records/attr.h"

namespace wick {
namespace {

void use_cpu() {
  volatile unsigned turns = 0;
  for (unsigned i = 0; i < 2'000'000; ++i) turns = turns + 1;
}

// A program that waits for a byte and then uses the CPU together with a thread
// and `children` short-lived processes, one after the other.
class Program {
 public:
  explicit Program(int children) {
    if (::pipe(start_) != 0 || ::pipe(done_) != 0) return;
    pid_ = ::fork();
    if (pid_ != 0) return;
    char byte = 0;
    if (::read(start_[0], &byte, 1) != 1) ::_exit(1);
    for (int i = 0; i < children; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        std::thread(use_cpu).join();
        ::_exit(0);
      }
      ::waitpid(child, nullptr, 0);
    }
    use_cpu();
    const bool is_told = ::write(done_[1], &byte, 1) == 1;
    ::pause();
    ::_exit(is_told ? 0 : 1);
  }
  ~Program() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  void run() {
    char byte = 'x';
    EXPECT_EQ(::write(start_[1], &byte, 1), 1);
    EXPECT_EQ(::read(done_[0], &byte, 1), 1);
  }

 private:
  int start_[2] = {-1, -1}, done_[2] = {-1, -1};
  pid_t pid_ = -1;
};

// Samples of all CPUs, by process.
class Samples {
 public:
  bool open(const TreeFilter& filter) {
    EventAttr attr{.type = event_type::kSoftware,
                   .size = kAttrSize,
                   .config = 0,  // cpu-clock
                   .sample_period = 100'000,
                   .sample_type = sample_type::kTid,
                   .flags = attr_flag::kDisabled};
    std::vector<int> fds;
    for (int cpu = 0; cpu < ::sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
      UniqueFd fd(std::max(-1, raw_open_event(attr, {.cpu = cpu})));
      if (!fd || !filter.apply(fd.get())) return false;
      fds.push_back(fd.get());
      events_.push_back(std::move(fd));
    }
    rings_.emplace(fds, 64);
    for (const int fd : fds) enable_event(fd);
    return true;
  }
  std::set<std::uint32_t> processes() {
    std::set<std::uint32_t> pids;
    rings_->drain([&](std::size_t, std::string_view record) {
      std::uint32_t type = 0, pid = 0;
      std::memcpy(&type, record.data(), sizeof type);
      std::memcpy(&pid, record.data() + 8, sizeof pid);
      if (type == static_cast<std::uint32_t>(RecordType::kSample))
        pids.insert(pid);
    });
    return pids;
  }

 private:
  std::vector<UniqueFd> events_;
  std::optional<RingBuffers> rings_;
};

TEST(TreeFilter, OnlyTheProgramAndWhatItStartsIsSampled) {
  Program program(20);
  const auto filter = TreeFilter::load(program.pid());
  Samples samples;
  if (!filter || !samples.open(*filter))
    GTEST_SKIP() << "no right to BPF, or no tracefs";
  program.run();
  use_cpu();
  const auto pids = samples.processes();
  EXPECT_TRUE(pids.contains(static_cast<std::uint32_t>(program.pid())));
  EXPECT_GT(pids.size(), 10u);
  EXPECT_FALSE(pids.contains(static_cast<std::uint32_t>(::getpid())));
  EXPECT_FALSE(pids.contains(0));
}

TEST(TreeFilter, EverythingIsSampledOnceItsTableIsFull) {
  Program program(1);
  const auto filter = TreeFilter::load(program.pid(), 1);
  Samples samples;
  if (!filter || !samples.open(*filter))
    GTEST_SKIP() << "no right to BPF, or no tracefs";
  program.run();
  use_cpu();
  EXPECT_TRUE(
      samples.processes().contains(static_cast<std::uint32_t>(::getpid())));
}

TEST(TreeFilter, TakesNumbersOfTheInitialPidNamespace) {
  FakeSystem system;
  EXPECT_FALSE(TreeFilter::load(::getpid(), 16, system.paths));
}

}  // namespace
}  // namespace wick
