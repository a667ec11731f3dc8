// SPDX-License-Identifier: Apache-2.0
#include "perf/events/ring_buffer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>

#include "base/bytes.h"
#include "builders/child.h"
#include "perf/events/event_open.h"
#include "perf/recording/stop_request.h"
#include "perf/records/record.h"

namespace wick {
namespace {

using namespace std::chrono_literals;

// Memory as the kernel shares it, and the kernel's side of it.
class FakeRing {
 public:
  explicit FakeRing(std::size_t size)
      : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
        size_(size),
        memory_(static_cast<std::byte*>(std::aligned_alloc(page_, page_ * 64)),
                std::free) {
    std::memset(memory_.get(), 0, page_ * 64);
  }

  std::span<std::byte> mapped() { return {memory_.get(), page_ + size_}; }

  // False if there is no space for it.
  bool write(std::string_view record) {
    const std::uint64_t head = position(1024).load(std::memory_order_relaxed);
    const std::uint64_t tail = position(1032).load(std::memory_order_acquire);
    if (head + record.size() - tail > size_) return false;
    for (std::size_t i = 0; i < record.size(); ++i)
      memory_[page_ + (head + i) % size_] = static_cast<std::byte>(record[i]);
    position(1024).store(head + record.size(), std::memory_order_release);
    return true;
  }
  std::uint64_t tail() { return position(1032).load(); }

 private:
  std::atomic_ref<std::uint64_t> position(std::size_t offset) {
    return std::atomic_ref<std::uint64_t>(
        *reinterpret_cast<std::uint64_t*>(memory_.get() + offset));
  }

  std::size_t page_, size_;
  std::unique_ptr<std::byte[], void (*)(void*)> memory_;
};

std::string record(char letter, std::size_t size) {
  std::string bytes;
  append_raw(bytes, std::uint32_t{9});
  append_raw(bytes, std::uint16_t{0});
  append_raw(bytes, static_cast<std::uint16_t>(size));
  bytes.append(size - bytes.size(), letter);
  return bytes;
}

std::vector<std::string> read_all(RingBuffer& ring) {
  std::vector<std::string> records;
  ring.read([&](std::string_view bytes) { records.emplace_back(bytes); });
  return records;
}

using Records = std::vector<std::string>;

TEST(RingBuffer, GivesWholeRecordsOldestFirst) {
  FakeRing kernel(256);
  RingBuffer ring(kernel.mapped());
  EXPECT_EQ(read_all(ring), Records());
  kernel.write(record('a', 16));
  kernel.write(record('b', 40));
  EXPECT_EQ(ring.unread(), 56u);
  EXPECT_EQ(read_all(ring), Records({record('a', 16), record('b', 40)}));
  EXPECT_EQ(read_all(ring), Records());
  EXPECT_EQ(ring.unread(), 0u);
}

TEST(RingBuffer, PutsARecordTogetherThatGoesOverTheEnd) {
  FakeRing kernel(64);
  RingBuffer ring(kernel.mapped());
  kernel.write(record('a', 40));
  EXPECT_EQ(read_all(ring), Records({record('a', 40)}));
  kernel.write(record('b', 48));  // 24 bytes before the end, 24 after it
  EXPECT_EQ(read_all(ring), Records({record('b', 48)}));
  kernel.write(record('c', 40));  // the header alone before the end
  kernel.write(record('d', 16));
  EXPECT_EQ(read_all(ring), Records({record('c', 40), record('d', 16)}));
}

TEST(RingBuffer, MayBeFullToTheLastByte) {
  FakeRing kernel(64);
  RingBuffer ring(kernel.mapped());
  ASSERT_TRUE(kernel.write(record('a', 64)));
  ASSERT_FALSE(kernel.write(record('b', 8)));
  EXPECT_EQ(read_all(ring), Records({record('a', 64)}));
  ASSERT_TRUE(kernel.write(record('b', 24)));
  ASSERT_TRUE(kernel.write(record('c', 40)));
  EXPECT_EQ(read_all(ring), Records({record('b', 24), record('c', 40)}));
}

TEST(RingBuffer, GivesSpaceBackWhileItIsRead) {
  FakeRing kernel(256);
  RingBuffer ring(kernel.mapped());
  for (int i = 0; i < 4; ++i) kernel.write(record('a', 64));
  std::vector<std::uint64_t> tails;
  ring.read([&](std::string_view) { tails.push_back(kernel.tail()); });
  EXPECT_EQ(tails, (std::vector<std::uint64_t>{0, 64, 128, 192}));
}

TEST(RingBuffer, SkipsWhatIsNoRecord) {
  FakeRing kernel(64);
  RingBuffer ring(kernel.mapped());
  kernel.write(record('a', 16));
  kernel.write(std::string(16, '\0'));  // size 0 would never end
  EXPECT_EQ(read_all(ring), Records({record('a', 16)}));
  EXPECT_EQ(ring.damaged_bytes(), 16u);
  kernel.write(record('b', 16));
  EXPECT_EQ(read_all(ring), Records({record('b', 16)}));
}

TEST(RingBuffer, IsReadWhileTheOtherSideWrites) {
  constexpr std::uint64_t kRecords = 20'000;
  FakeRing kernel(1024);
  RingBuffer ring(kernel.mapped());
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < kRecords;) {
      std::string bytes = record('x', 16 + 8 * (i % 9));
      std::memcpy(bytes.data() + 8, &i, sizeof(i));
      if (kernel.write(bytes))
        ++i;
      else
        std::this_thread::yield();
    }
  });
  std::uint64_t next = 0, wrong = 0;
  while (next < kRecords) {
    const std::size_t count = ring.read([&](std::string_view bytes) {
      ByteReader in(bytes.substr(8));
      if (in.read<std::uint64_t>() != next ||
          bytes.size() != 16 + 8 * (next % 9))
        ++wrong;
      ++next;
    });
    if (count == 0) std::this_thread::yield();
  }
  writer.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(ring.damaged_bytes(), 0u);
}

// --- With the kernel ---------------------------------------------------------

EventAttr cpu_clock() {
  EventAttr attr;
  attr.type = event_type::kSoftware;
  attr.sample_period = 2000;
  attr.sample_type = sample_type::kIp | sample_type::kTid | sample_type::kTime |
                     sample_type::kIdentifier;
  attr.flags = attr_flag::kFreq | attr_flag::kSampleIdAll |
               attr_flag::kUseClockid | attr_flag::kDisabled |
               attr_flag::kWatermark;
  attr.wakeup_events = 1;
  attr.clockid = CLOCK_MONOTONIC;
  return attr;
}

PerfRecord as_record(std::string_view bytes, const PerfEvent& event) {
  ByteReader in(bytes);
  PerfRecord record;
  record.type = static_cast<RecordType>(in.read<std::uint32_t>());
  record.misc = in.read<std::uint16_t>();
  record.body = bytes.substr(kRecordHeaderSize);
  record.event = &event;
  return record;
}

class RealRing : public testing::Test {
 protected:
  UniqueFd open(EventAttr attr, pid_t pid, int cpu = -1) {
    std::uint32_t lost = 0;
    OpenResult result =
        try_open_event(attr, {.pid = pid, .cpu = cpu}, limits_, lost);
    return std::move(result.fd);
  }
  KernelLimits limits_ = read_kernel_limits();
};

#define SKIP_UNLESS(fd) \
  if (!(fd)) GTEST_SKIP() << "the kernel does not open cpu-clock here"

TEST_F(RealRing, HasSamplesOfAChildThatComputes) {
  SpinningChild child;
  const EventAttr attr = cpu_clock();
  const UniqueFd fd = open(attr, child.pid());
  SKIP_UNLESS(fd);
  RingBuffers rings(std::vector<int>{fd.get()}, 8);
  enable_event(fd.get());
  const PerfEvent event{.attr = attr, .layout = id_layout(attr)};
  PerfSample sample;
  std::size_t samples = 0;
  std::uint64_t last = 0;
  for (int rounds = 0; samples < 50 && rounds < 500; ++rounds) {
    rings.wait(100ms);
    rings.drain([&](std::size_t, std::string_view bytes) {
      const PerfRecord record = as_record(bytes, event);
      if (record.type != RecordType::kSample) return;
      ASSERT_TRUE(decode_sample(record, sample));
      EXPECT_EQ(sample.pid, static_cast<std::uint32_t>(child.pid()));
      EXPECT_EQ(sample.id, event_id(fd.get()));
      EXPECT_GE(sample.time, last);
      last = sample.time;
      ++samples;
    });
  }
  EXPECT_GE(samples, 50u);
}

TEST_F(RealRing, ReportsThatAllThreadsHaveEnded) {
  SpinningChild child;
  const UniqueFd fd = open(cpu_clock(), child.pid());
  SKIP_UNLESS(fd);
  RingBuffers rings(std::vector<int>{fd.get()}, 1);
  EXPECT_EQ(rings.live_events(), 1u);
  child.end();
  for (int i = 0; i < 100 && rings.live_events() != 0; ++i) rings.wait(50ms);
  EXPECT_EQ(rings.live_events(), 0u);
  EXPECT_FALSE(rings.wait(1ms));  // and does not say so for ever
}

TEST_F(RealRing, TakesTheRecordsOfASecondEvent) {
  SpinningChild child;
  const EventAttr attr = cpu_clock();
  EventAttr second = attr;
  second.config = 1;  // task-clock
  const UniqueFd fd = open(attr, child.pid());
  SKIP_UNLESS(fd);
  const UniqueFd other = open(second, child.pid());
  ASSERT_TRUE(other);
  RingBuffers rings(std::vector<int>{fd.get()}, 8);
  rings.redirect(other.get(), fd.get());
  enable_event(fd.get());
  enable_event(other.get());
  const PerfEvent event{.attr = attr, .layout = id_layout(attr)};
  PerfSample sample;
  std::set<std::uint64_t> ids;
  for (int rounds = 0; ids.size() < 2 && rounds < 500; ++rounds) {
    rings.wait(100ms);
    rings.drain([&](std::size_t, std::string_view bytes) {
      const PerfRecord record = as_record(bytes, event);
      if (record.type == RecordType::kSample && decode_sample(record, sample))
        ids.insert(sample.id);
    });
  }
  EXPECT_EQ(ids, (std::set{event_id(fd.get()), event_id(other.get())}));
}

TEST_F(RealRing, CountsLostRecordsWhileItIsNotRead) {
  SpinningChild child;
  EventAttr attr = cpu_clock();
  attr.sample_type |= sample_type::kRegsUser | sample_type::kStackUser;
  attr.sample_regs_user = 0xff;
  attr.sample_stack_user = 2048;
  attr.read_format = read_format::kLost;
  std::uint32_t lost_features = 0;
  const OpenResult opened =
      try_open_event(attr, {.pid = child.pid()}, limits_, lost_features);
  SKIP_UNLESS(opened.fd);
  RingBuffers rings(std::vector<int>{opened.fd.get()}, 1);
  enable_event(opened.fd.get());
  std::this_thread::sleep_for(100ms);
  rings.drain([](std::size_t, std::string_view) {});
  std::this_thread::sleep_for(50ms);  // LOST stands before the next record
  const PerfEvent event{.attr = attr, .layout = id_layout(attr)};
  std::uint64_t lost = 0;
  for (int rounds = 0; lost == 0 && rounds < 100; ++rounds) {
    rings.drain([&](std::size_t, std::string_view bytes) {
      const PerfRecord record = as_record(bytes, event);
      if (record.type != RecordType::kLost) return;
      const auto decoded = decode_lost(record);
      ASSERT_TRUE(decoded);
      lost += decoded->lost;
    });
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_GT(lost, 0u);
  if ((lost_features & given_up::kReadLost) == 0) {
    EXPECT_GE(read_event(opened.fd.get(), attr).lost, lost);
  }
}

TEST_F(RealRing, FollowsChildrenOnEveryCpu) {
  int gate[2];
  ASSERT_EQ(::pipe2(gate, O_CLOEXEC), 0);
  const UniqueFd closed(gate[0]), open_end(gate[1]);
  const pid_t child = ::fork();
  if (child == 0) {  // waits, forks; the grandchild computes for a while
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    char c = 0;
    [[maybe_unused]] const auto got = ::read(gate[0], &c, 1);
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 5;
      while (std::clock() < end) {
      }
      ::_exit(0);
    }
    ::waitpid(grandchild, nullptr, 0);
    ::_exit(0);
  }
  EventAttr attr = cpu_clock();
  attr.flags |= attr_flag::kInherit | attr_flag::kTask | attr_flag::kComm;
  std::vector<UniqueFd> fds;
  std::vector<int> numbers;
  for (const int cpu : limits_.online_cpus) {
    fds.push_back(open(attr, child, cpu));
    numbers.push_back(fds.back().get());
  }
  if (!fds.back()) ::kill(child, SIGKILL);
  SKIP_UNLESS(fds.back());
  RingBuffers rings(numbers, 8);
  for (const int fd : numbers) enable_event(fd);
  ASSERT_EQ(::write(gate[1], "x", 1), 1);
  const PerfEvent event{.attr = attr, .layout = id_layout(attr)};
  PerfSample sample;
  std::set<std::uint32_t> pids, forked;
  const auto take = [&](std::size_t, std::string_view bytes) {
    const PerfRecord record = as_record(bytes, event);
    if (record.type == RecordType::kSample && decode_sample(record, sample))
      pids.insert(sample.pid);
    if (record.type == RecordType::kFork)
      forked.insert(decode_task(record)->pid);
  };
  const auto late = std::chrono::steady_clock::now() + 50s;
  while (rings.live_events() != 0 && std::chrono::steady_clock::now() < late) {
    rings.wait(100ms);
    rings.drain(take);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(rings.live_events(), 0u);  // both have ended
  ASSERT_EQ(forked.size(), 1u);
  EXPECT_TRUE(pids.contains(*forked.begin()));
}

// In a process without capabilities, with this limit of locked memory.
TEST_F(RealRing, TakesLessMemoryWhereItIsLimited) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_MEMLOCK, &none);
    // The kernel counts the memory of a user's buffers in all of its
    // processes, so this one has no others.
    const uid_t user = 2'000'000'000 + static_cast<uid_t>(::getpid());
    if (::geteuid() == 0 && ::setresuid(user, user, user) != 0) ::_exit(77);
    const KernelLimits limits = read_kernel_limits();
    std::uint32_t lost = 0;
    EventAttr attr = cpu_clock();
    const OpenResult first = try_open_event(attr, {.pid = 0}, limits, lost);
    const OpenResult second = try_open_event(attr, {.pid = 0}, limits, lost);
    if (!first.fd || !second.fd ||
        limits.buffer_memory() == KernelLimits::kUnlimited)
      ::_exit(77);
    try {
      const RingBuffers rings(std::vector<int>{first.fd.get(), second.fd.get()},
                              1 << 14);
      if (rings.pages() == 1 << 14) ::_exit(77);
      ::_exit(rings.refusal() == EPERM ? 0 : 3);
    } catch (const Error&) {
      ::_exit(2);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "the kernel does not limit memory, or opens no event";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(RealRing, WakesUpWhenTheRecordingIsStopped) {
  SpinningChild child;
  const UniqueFd fd = open(cpu_clock(), child.pid());  // not enabled
  SKIP_UNLESS(fd);
  RingBuffers rings(std::vector<int>{fd.get()}, 1);
  StopRequest stop;
  rings.wake_for(stop.fd());
  EXPECT_FALSE(rings.wait(1ms));
  stop.stop();
  EXPECT_TRUE(rings.wait(10s));
}

}  // namespace
}  // namespace wick
