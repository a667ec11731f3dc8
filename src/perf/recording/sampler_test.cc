// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/sampler.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "perf/events/kernel_limits.h"

namespace wick {
namespace {

using namespace std::chrono_literals;

std::int64_t cpu_time() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// Uses the CPU for so many nanoseconds.
[[gnu::noinline]] void spin_for_the_sampler(std::int64_t time) {
  const std::int64_t end = cpu_time() + time;
  while (cpu_time() < end) {
  }
}

// Nanoseconds of this process in stacks that contain `function`; "" for all.
std::int64_t own_time(const Profile& profile, std::string_view function) {
  std::int64_t sum = 0;
  for (const Sample& sample : profile.samples) {
    if (profile.threads[sample.thread].pid != ::getpid()) continue;
    bool has = function.empty();
    for (StackId at = sample.stack; at != StackId::kRoot;
         at = profile.stacks.parent(at))
      has |= profile.function(profile.stacks.frame(at)).find(function) !=
             std::string_view::npos;
    if (has) sum += sample.weight;
  }
  return sum;
}

class SamplerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!read_kernel_limits().may_record_anything())
      GTEST_SKIP() << "the kernel does not allow recording";
    try {
      // This program, with its tests and sanitizers, is larger than most.
      sampler_.emplace(
          SamplerOptions{.frequency = 199, .memory = std::uint64_t{1} << 30});
    } catch (const Error& error) {
      GTEST_SKIP() << "no whole machine: " << error.what();
    }
  }

  // Buffers are small, so what is sampled is taken all the time.
  void spin(std::int64_t time) {
    static constexpr std::int64_t kPiece = 5'000'000;
    for (; time > 0; time -= kPiece) {
      spin_for_the_sampler(kPiece);
      sampler_->take(0ms);
    }
  }

  std::optional<Sampler> sampler_;
};

TEST_F(SamplerTest, EachProfileHasTheTimeSinceTheLast) {
  constexpr std::int64_t kTime = 400'000'000;
  sampler_->cut();
  for (int i = 0; i < 3; ++i) {
    const std::int64_t before = cpu_time();
    spin(kTime);
    const Profile profile = sampler_->cut();
    const std::int64_t used = cpu_time() - before;
    check(profile);
    EXPECT_GT(own_time(profile, "spin_for_the_sampler"), kTime / 10 * 8);
    EXPECT_LT(own_time(profile, ""), used / 10 * 15);
  }
}

TEST_F(SamplerTest, WeightsAreTimeWhateverTheFrequency) {
  constexpr std::int64_t kTime = 400'000'000;
  sampler_->set_frequency(49);
  sampler_->cut();
  spin(kTime);
  const Profile slow = sampler_->cut();
  sampler_->set_frequency(499);
  sampler_->cut();
  spin(kTime);
  const Profile fast = sampler_->cut();
  EXPECT_GT(fast.samples.size(), slow.samples.size() * 3);
  EXPECT_NEAR(static_cast<double>(own_time(slow, "spin_for_the_sampler")),
              kTime, kTime * 0.5);
  EXPECT_NEAR(static_cast<double>(own_time(fast, "spin_for_the_sampler")),
              kTime, kTime * 0.5);
}

// Nanoseconds of this thread.
std::int64_t time_off_the_cpu(const Profile& profile) {
  std::int64_t sum = 0;
  for (const Sample& sample : profile.samples)
    if (profile.events[sample.event].time == TimeKind::kOffCpu &&
        profile.threads[sample.thread].tid == ::gettid())
      sum += sample.weight;
  return sum;
}

TEST_F(SamplerTest, WaitsAreInParts) {
  if (!read_kernel_limits().may_use_tracepoints())
    GTEST_SKIP() << "no tracepoints";
  Sampler sampler({.off_cpu = true, .memory = std::uint64_t{1} << 30});
  sampler.cut();
  constexpr timespec kNap{.tv_sec = 0, .tv_nsec = 20'000'000};
  std::int64_t sum = 0;
  for (int i = 0; i < 5; ++i) {
    ::nanosleep(&kNap, nullptr);
    ::nanosleep(&kNap, nullptr);
    const std::int64_t part = time_off_the_cpu(sampler.cut());
    EXPECT_GE(part, 2 * kNap.tv_nsec);
    sum += part;
  }
  EXPECT_GE(sum, 10 * kNap.tv_nsec);
}

TEST_F(SamplerTest, ForksAreReportedOnce) {
  sampler_->take_forks();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  sampler_->cut();
  const ForkedProcess own{.parent = ::getpid(), .pid = child};
  EXPECT_EQ(std::ranges::count(sampler_->take_forks(), own), 1);
  EXPECT_EQ(std::ranges::count(sampler_->take_forks(), own), 0);
}

TEST_F(SamplerTest, ProcessesThatBeginLaterAreNamed) {
  sampler_->cut();
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("sh", "sh", "-c",
             "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done", nullptr);
    ::_exit(127);
  }
  for (int status; ::waitpid(child, &status, WNOHANG) == 0;)
    sampler_->take(10ms);
  const Profile profile = sampler_->cut();
  std::set<std::string> modules;
  for (const Sample& sample : profile.samples)
    if (profile.threads[sample.thread].pid == child)
      for (StackId at = sample.stack; at != StackId::kRoot;
           at = profile.stacks.parent(at)) {
        const Frame& frame = profile.frames[profile.stacks.frame(at)];
        if (frame.module != ModuleId::kUnknown)
          modules.emplace(profile.strings[profile.modules[frame.module].path]);
      }
  const auto has = [&](std::string_view part) {
    for (const std::string& module : modules)
      if (module.find(part) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(has("sh")) << modules.size();
  EXPECT_TRUE(has("libc"));
}

}  // namespace
}  // namespace wick
