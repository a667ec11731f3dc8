// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recording_plan.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "builders/fake_system.h"

namespace wick {
namespace {

KernelLimits everything_allowed() {
  KernelLimits limits;
  limits.paranoid = -1;
  limits.memlock = KernelLimits::kUnlimited;
  limits.tracefs = "/sys/kernel/tracing";
  limits.online_cpus = {0, 1};
  return limits;
}

// A kernel with the scheduler's tracepoints that allows everything.
class FakeKernel {
 public:
  FakeKernel() {
    int id = 316;
    for (const char* name :
         {"sched_switch", "sched_waking", "sched_process_exit"})
      system_.file(
          std::string("/sys/kernel/tracing/events/sched/") + name + "/id",
          std::to_string(id++));
    limits_.tracefs = system_.paths.tracefs;
  }

  RecordingPlan plan(const RecordOptions& options,
                     const SwitchLoad& load = {}) const {
    return plan_recording(options, limits_, system_.paths, load);
  }

 private:
  FakeSystem system_;
  KernelLimits limits_ = everything_allowed();
};

// Of the event that reports processes.
bool starts_with_exec(const RecordingPlan& plan) {
  const auto reports = [](const PlannedEvent& event) {
    return event.attr.flag(attr_flag::kTask);
  };
  return std::ranges::find_if(plan.events, reports)
      ->attr.flag(attr_flag::kEnableOnExec);
}

TEST(RecordingPlan, AProgramIsRecordedFromItsFirstInstructionOn) {
  const RecordingPlan plan = plan_recording(
      {.program = {"prog"}, .events = "cpu-clock"}, everything_allowed());
  EXPECT_TRUE(plan.begins_with_exec);
  EXPECT_TRUE(starts_with_exec(plan));
}

TEST(RecordingPlan, EventsOfTheWholeMachineDoNotWaitForAProgram) {
  const RecordingPlan plan = plan_recording(
      {.program = {"prog"}, .system_wide = true, .events = "cpu-clock"},
      everything_allowed());
  EXPECT_FALSE(plan.begins_with_exec);
  EXPECT_FALSE(starts_with_exec(plan));
}

TEST(RecordingPlan, ADelayedRecordingWatchesTheProgramFromItsBeginning) {
  const RecordingPlan plan =
      plan_recording({.program = {"prog"}, .events = "cpu-clock", .delay = 1},
                     everything_allowed());
  EXPECT_TRUE(starts_with_exec(plan));
}

// An inherited event reports processes, so that none of others are.
TEST(RecordingPlan, AProgramIsSampledByCpuIfThatIsAllowed) {
  const RecordingPlan plan = plan_recording(
      {.program = {"prog"}, .events = "cpu-clock"}, everything_allowed());
  ASSERT_EQ(plan.events.size(), 2u);
  EXPECT_TRUE(plan.events[0].is_everywhere);
  EXPECT_FALSE(plan.events[0].attr.flag(attr_flag::kInherit));
  EXPECT_FALSE(plan.events[0].attr.flag(attr_flag::kTask));
  EXPECT_TRUE(plan.events[1].is_side_band);
  EXPECT_FALSE(plan.events[1].is_everywhere);
  EXPECT_TRUE(plan.events[1].attr.flag(attr_flag::kInherit));
}

TEST(RecordingPlan, AProgramIsSampledByThreadIfWholeCpusAreNotAllowed) {
  KernelLimits limits = everything_allowed();
  limits.paranoid = 1;
  const RecordingPlan plan =
      plan_recording({.program = {"prog"}, .events = "cpu-clock"}, limits);
  ASSERT_EQ(plan.events.size(), 1u);
  EXPECT_FALSE(plan.events[0].is_everywhere);
}

TEST(RecordingPlan, WhatMissesNothingIsNotSampledByCpu) {
  const auto by_cpu = [](RecordOptions options) {
    options.program = {"prog"};
    return FakeKernel().plan(options).events.front().is_everywhere;
  };
  EXPECT_TRUE(by_cpu({.events = "page-faults"}));
  EXPECT_FALSE(by_cpu({.events = "page-faults", .period = 1}));
  EXPECT_FALSE(by_cpu({.events = "sched:sched_switch"}));
  EXPECT_FALSE(by_cpu({.children = false, .events = "cpu-clock"}));
}

TEST(RecordingPlan, SmallBuffersAreForTheProgramAlone) {
  const auto by_cpu = [](int frequency, std::size_t buffer) {
    return plan_recording({.program = {"prog"},
                           .events = "cpu-clock",
                           .frequency = frequency,
                           .buffer_size = buffer},
                          everything_allowed())
        .events.front()
        .is_everywhere;
  };
  EXPECT_TRUE(by_cpu(997, 2 << 20));
  EXPECT_FALSE(by_cpu(997, 1 << 20));
  EXPECT_FALSE(by_cpu(20'000, 2 << 20));
}

TEST(RecordingPlan, StacksAreAsLargeAsTheBuffersCarryForATenthOfASecond) {
  const RecordingPlan plan =
      plan_recording({.events = "cpu-clock",
                      .frequency = 1000,
                      .buffer_size = std::size_t{4} << 20},
                     everything_allowed());
  EXPECT_EQ(plan.buffer_size, std::size_t{4} << 20);
  EXPECT_EQ(plan.events.front().attr.sample_stack_user, 40912u);
}

TEST(RecordingPlan, ABufferIsAtLeastAsLargeAsRequested) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto size_for = [](std::size_t wish) {
    return plan_recording({.events = "cpu-clock", .buffer_size = wish},
                          everything_allowed())
        .buffer_size;
  };
  EXPECT_EQ(size_for(1), page);
  EXPECT_EQ(size_for(page + 1), 2 * page);
  EXPECT_EQ(size_for(5 * page), 8 * page);
  EXPECT_EQ(size_for(8 * page), 8 * page);
}

TEST(RecordingPlan, ASampleWithItsStackFitsARecordWhateverElseItHas) {
  const RecordingPlan plan = plan_recording(
      {.events = "cpu-clock", .frequency = 99}, everything_allowed());
  EXPECT_EQ(plan.events.front().attr.sample_stack_user, 62u * 1024);
}

TEST(RecordingPlan, HalfOfTheBuffersIsForSwitchesIfTheyAreRecorded) {
  const RecordingPlan plan =
      FakeKernel().plan({.events = "cpu-clock",
                         .frequency = 1000,
                         .off_cpu = true,
                         .buffer_size = std::size_t{4} << 20});
  EXPECT_EQ(plan.events.front().attr.sample_stack_user, 19944u);
}

TEST(RecordingPlan, ManyThreadsThatLeaveTheCpuOftenHaveSmallerCopies) {
  const auto copies = [](const SwitchLoad& load) {
    const RecordingPlan plan =
        FakeKernel().plan({.processes = {7},
                           .events = "cpu-clock",
                           .off_cpu = true,
                           .buffer_size = std::size_t{8} << 20},
                          load);
    return std::pair(plan.events.back().attr.sample_stack_user,
                     plan.limitations.size());
  };
  EXPECT_EQ(copies({}), std::pair(16384u, std::size_t{0}));
  EXPECT_EQ(copies({.threads = 100, .per_second = 2000}),
            std::pair(16384u, std::size_t{0}));
  // 8 MB for 2,000 switches on each of two CPUs, less 512 bytes for the rest.
  EXPECT_EQ(copies({.threads = 100, .per_second = 40'000}),
            std::pair(3680u, std::size_t{1}));
  EXPECT_EQ(copies({.threads = 2000, .per_second = 0}),
            std::pair(3680u, std::size_t{1}));
  EXPECT_EQ(copies({.threads = 2000, .per_second = 1e9}),
            std::pair(1024u, std::size_t{1}));
}

// Its threads would inherit the spare event, so that is one of all CPUs.
TEST(RecordingPlan, AProgramHasASpareEventWithSmallerCopies) {
  const RecordingPlan plan = FakeKernel().plan(
      {.program = {"prog"}, .events = "cpu-clock", .off_cpu = true});
  const PlannedEvent& usual = plan.events[plan.events.size() - 2];
  const PlannedEvent& spare = plan.events.back();
  EXPECT_EQ(usual.spec.name, "sched:sched_switch");
  EXPECT_FALSE(usual.is_spare);
  EXPECT_EQ(spare.spec.name, "sched:sched_switch");
  EXPECT_TRUE(spare.is_spare);
  EXPECT_TRUE(spare.is_everywhere);
  EXPECT_LT(spare.attr.sample_stack_user, usual.attr.sample_stack_user);
  EXPECT_FALSE(spare.attr.flag(attr_flag::kInherit));
  EXPECT_FALSE(spare.attr.flag(attr_flag::kEnableOnExec));
}

TEST(RecordingPlan, WhatHasNoUseForASpareEventHasNone) {
  const auto has_spare = [](RecordOptions options) {
    options.events = "cpu-clock";
    options.off_cpu = true;
    return std::ranges::any_of(FakeKernel().plan(options).events,
                               &PlannedEvent::is_spare);
  };
  EXPECT_TRUE(has_spare({.system_wide = true}));
  EXPECT_TRUE(has_spare({.cgroup = "x"}));
  EXPECT_FALSE(has_spare({.processes = {7}}));
  EXPECT_FALSE(has_spare({.program = {"prog"}, .stack_size = 16384}));
  EXPECT_FALSE(
      has_spare({.program = {"prog"},
                 .call_graph = RecordOptions::CallGraph::kFramePointers}));
}

TEST(RecordingPlan, ThePeriodOfAClockIsARateToo) {
  const auto size_of = [](const char* event) {
    return plan_recording(
               {.events = event, .buffer_size = std::size_t{4} << 20},
               everything_allowed())
        .events.front()
        .attr.sample_stack_user;
  };
  EXPECT_EQ(size_of("cpu-clock/period=1000000/"), 40912u);
  EXPECT_EQ(size_of("cpu-clock/freq=1000/"), 40912u);
  EXPECT_EQ(size_of("cpu-clock/period=100000/"), 16384u);
}

TEST(RecordingPlan, StacksHaveAtLeast16Kilobytes) {
  const RecordingPlan plan = plan_recording(
      {.events = "cpu-clock", .frequency = 100000, .buffer_size = 65536},
      everything_allowed());
  EXPECT_EQ(plan.events.front().attr.sample_stack_user, 16384u);
}

TEST(RecordingPlan, OnOtherCpusThanTheChosenOnesProcessesAreWatchedOnly) {
  const RecordingPlan plan =
      plan_recording({.system_wide = true, .cpus = {1}, .events = "cpu-clock"},
                     everything_allowed());
  EXPECT_EQ(plan.cpus, (std::vector{0, 1}));
  ASSERT_EQ(plan.events.size(), 2u);
  EXPECT_EQ(plan.events[0].spec.cpus, std::vector{1});
  EXPECT_FALSE(plan.events[0].is_side_band);
  const PlannedEvent& other = plan.events[1];
  EXPECT_EQ(other.spec.name, "dummy");
  EXPECT_EQ(other.spec.cpus, std::vector{0});
  EXPECT_TRUE(other.is_side_band);
  for (const std::uint64_t flag :
       {attr_flag::kMmap, attr_flag::kMmap2, attr_flag::kComm, attr_flag::kTask,
        attr_flag::kBuildId})
    EXPECT_TRUE(other.attr.flag(flag)) << flag;
  EXPECT_FALSE(other.attr.samples(sample_type::kStackUser));
}

TEST(RecordingPlan, WhereEveryCpuIsChosenTheEventsTellOfProcesses) {
  const RecordingPlan plan = plan_recording(
      {.cpus = {0, 1}, .events = "cpu-clock"}, everything_allowed());
  EXPECT_EQ(plan.events.size(), 1u);
}

TEST(RecordingPlan, TimeOffTheCpuNeedsEveryCpu) {
  const FakeKernel kernel;
  EXPECT_THROW(
      kernel.plan({.cpus = {1}, .events = "cpu-clock", .off_cpu = true}),
      UsageError);
  EXPECT_NO_THROW(
      kernel.plan({.cpus = {0, 1}, .events = "cpu-clock", .off_cpu = true}));
}

TEST(RecordingPlan, WithoutTheRightToTracepointsTimeOffTheCpuIsRough) {
  KernelLimits limits = everything_allowed();
  limits.paranoid = 2;
  const RecordingPlan plan =
      plan_recording({.events = "cpu-clock", .off_cpu = true}, limits);
  EXPECT_TRUE(plan.events.front().attr.flag(attr_flag::kContextSwitch));
  ASSERT_EQ(plan.events.size(), 2u);
  EXPECT_EQ(plan.events.back().spec.name, "context-switches");
  EXPECT_TRUE(plan.events.back().attr.flag(attr_flag::kExcludeKernel));
  EXPECT_EQ(plan.events.back().attr.sample_period, 1u);
  ASSERT_EQ(plan.limitations.size(), 1u);
  EXPECT_NE(plan.limitations[0].find("perf_event_paranoid=-1"),
            std::string::npos);
}

TEST(RecordingPlan, WhereSwitchesAreNotCopiedFramePointersLeadOn) {
  const FakeKernel kernel;
  const RecordingPlan plan = kernel.plan({.system_wide = true,
                                          .events = "cpu-clock",
                                          .off_cpu = true,
                                          .copies_at_switches = false});
  ASSERT_EQ(plan.events.size(), 2u);
  const EventAttr& switches = plan.events.back().attr;
  EXPECT_TRUE(switches.samples(sample_type::kCallchain));
  EXPECT_FALSE(switches.samples(sample_type::kStackUser));
  EXPECT_FALSE(switches.flag(attr_flag::kExcludeCallchainUser));
  EXPECT_TRUE(plan.events.front().attr.samples(sample_type::kStackUser));
}

// An event that happens in the kernel does not happen at all without it.
TEST(RecordingPlan, WithoutTheKernelSwitchesAreStillSeen) {
  const RecordingPlan plan = plan_recording(
      {.events = "cpu-clock,context-switches", .user_only = true},
      everything_allowed());
  ASSERT_EQ(plan.events.size(), 2);
  EXPECT_TRUE(plan.events[0].attr.flag(attr_flag::kExcludeKernel));
  EXPECT_FALSE(plan.events[1].attr.flag(attr_flag::kExcludeKernel));
  EXPECT_TRUE(plan.events[1].attr.flag(attr_flag::kExcludeCallchainKernel));
}

TEST(RecordingPlan, AnEventThatIsNamedTwiceIsRecordedOnce) {
  const RecordingPlan plan = plan_recording(
      {.events = "cpu-clock,page-faults,cpu-clock"}, everything_allowed());
  ASSERT_EQ(plan.events.size(), 2);
  EXPECT_EQ(plan.events[0].spec.name, "cpu-clock");
  EXPECT_EQ(plan.events[1].spec.name, "page-faults");
}

// With it, the kernel samples each event, whatever the period.
TEST(RecordingPlan, SoftwareEventsWithAPeriodDoNotAskForIt) {
  const auto asks = [](RecordOptions options) {
    options.program = {"prog"};
    return FakeKernel().plan(options).events.front().attr.samples(
        sample_type::kPeriod);
  };
  EXPECT_FALSE(asks({.events = "page-faults", .period = 100}));
  EXPECT_FALSE(asks({.events = "page-faults/period=100/"}));
  EXPECT_TRUE(asks({.events = "page-faults"}));
  EXPECT_TRUE(asks({.events = "sched:sched_switch"}));
}

TEST(RecordingPlan, AFilterIsForTheEventsThatWereAskedFor) {
  const RecordingPlan plan =
      FakeKernel().plan({.events = "sched:sched_process_exit",
                         .filter = "prio == 3",
                         .off_cpu = true});
  ASSERT_EQ(plan.events.size(), 2u);
  EXPECT_NE(plan.events[0].filter, "");
  EXPECT_EQ(plan.events[1].filter, "");
}

TEST(RecordingPlan, WakersAreWatchedEverywhereWithoutCopiesOfStacks) {
  const RecordingPlan plan = FakeKernel().plan({.program = {"prog"},
                                                .events = "cpu-clock",
                                                .off_cpu = true,
                                                .wakers = true});
  const PlannedEvent& last = plan.events.back();
  EXPECT_EQ(last.spec.name, "sched:sched_waking");
  EXPECT_TRUE(last.is_everywhere);
  EXPECT_FALSE(last.attr.samples(sample_type::kStackUser));
  EXPECT_FALSE(last.attr.flag(attr_flag::kInherit));
  EXPECT_EQ(last.attr.sample_max_stack, 127u);
}

}  // namespace
}  // namespace wick
