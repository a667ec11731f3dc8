// SPDX-License-Identifier: Apache-2.0
#include "perf/events/event_open.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "builders/child.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

EventAttr wishful_attr() {
  EventAttr attr;
  attr.type = event_type::kHardware;
  attr.sample_period = 997;
  attr.sample_type = sample_type::kIp;
  attr.flags = attr_flag::kMmap2 | attr_flag::kBuildId | attr_flag::kKsymbol |
               attr_flag::kBpfEvent | attr_flag::kCgroup |
               attr_flag::kUseClockid;
  attr.clockid = 1;
  return attr;
}

KernelLimits user_limits(int paranoid) {
  KernelLimits limits;
  limits.paranoid = paranoid;
  limits.release = "6.1.0";
  limits.online_cpus = {0, 1};
  return limits;
}

int some_fd() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

// A kernel that refuses attrs with `flags`.
RawOpen kernel_without(std::uint64_t flags, int error = EINVAL) {
  return [=](const EventAttr& attr, const OpenTarget&) {
    return attr.flag(flags) ? -error : some_fd();
  };
}

TEST(OpenEvent, AsksForEverythingFirst) {
  EventAttr attr = wishful_attr(), asked;
  std::uint32_t lost = 0;
  const auto result =
      try_open_event(attr, {.pid = 0}, user_limits(-1), lost,
                     [&](const EventAttr& a, const OpenTarget&) {
                       asked = a;
                       return some_fd();
                     });
  EXPECT_TRUE(result.fd);
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(asked, attr);
  EXPECT_EQ(asked.size, kAttrSize);
}

TEST(OpenEvent, AnOlderKernelGetsNothingNewerThanItself) {
  EventAttr attr = wishful_attr();
  std::uint32_t lost = 0;
  const auto result =
      try_open_event(attr, {.pid = 0}, user_limits(-1), lost,
                     kernel_without(attr_flag::kBuildId | attr_flag::kCgroup));
  EXPECT_TRUE(result.fd);
  EXPECT_EQ(lost, given_up::kBuildIds | given_up::kCgroups);
  EXPECT_EQ(attr.flags, attr_flag::kMmap2 | attr_flag::kKsymbol |
                            attr_flag::kBpfEvent | attr_flag::kUseClockid);
  EXPECT_THAT(describe_given_up(lost),
              ElementsAre("build ids of mapped files", "cgroups"));
}

// As for a user without rights.
int open_without_kernel(const EventAttr& attr, const OpenTarget&) {
  return attr.flag(attr_flag::kExcludeKernel) ? some_fd() : -EACCES;
}

TEST(OpenEvent, WithoutRightsOnlyTheProgramItselfIsRecorded) {
  EventAttr attr = wishful_attr();
  std::uint32_t lost = 0;
  const auto result = try_open_event(attr, {.pid = 7}, user_limits(2), lost,
                                     open_without_kernel);
  EXPECT_TRUE(result.fd);
  EXPECT_EQ(lost, given_up::kKernel);
  EXPECT_TRUE(attr.flag(attr_flag::kExcludeKernel));
}

TEST(OpenEvent, WhatHappensInTheKernelIsNotRecordedWithoutIt) {
  EventAttr attr = wishful_attr();
  attr.type = event_type::kSoftware;
  attr.config = software_event::kContextSwitches;
  std::uint32_t lost = 0;
  const auto result = try_open_event(attr, {.pid = 7}, user_limits(2), lost,
                                     open_without_kernel);
  EXPECT_FALSE(result.fd);
  EXPECT_EQ(result.failure, OpenFailure::kNotAllowed);
}

TEST(OpenEvent, PrecisionGoesDownToWhatTheCounterHas) {
  EventAttr attr = wishful_attr();
  attr.flags |= 3ull << attr_flag::kPreciseShift;
  std::uint32_t lost = 0;
  const auto result =
      try_open_event(attr, {.pid = 0}, user_limits(-1), lost,
                     [](const EventAttr& a, const OpenTarget&) {
                       return a.precise_ip() > 1 ? -EOPNOTSUPP : some_fd();
                     });
  EXPECT_TRUE(result.fd);
  EXPECT_EQ(attr.precise_ip(), 1u);
  EXPECT_EQ(lost, given_up::kPrecise);
}

TEST(OpenEvent, WhatWasGivenUpInVainIsRestored) {
  EventAttr attr = wishful_attr();
  EventAttr before = attr;
  before.size = kAttrSize;
  std::uint32_t lost = 0;
  const auto result = try_open_event(
      attr, {.pid = 0}, user_limits(-1), lost,
      [](const EventAttr&, const OpenTarget&) { return -EINVAL; });
  EXPECT_FALSE(result.fd);
  EXPECT_EQ(result.failure, OpenFailure::kInvalid);
  EXPECT_EQ(attr, before);
  EXPECT_EQ(lost, 0u);
}

TEST(OpenEvent, AKernelWithoutAChoiceOfClocksHasItsOwn) {
  EventAttr attr = wishful_attr();
  std::uint32_t lost = 0;
  const auto result = try_open_event(attr, {.pid = 0}, user_limits(-1), lost,
                                     kernel_without(attr_flag::kUseClockid));
  EXPECT_TRUE(result.fd);
  EXPECT_TRUE(lost & given_up::kClock);
}

TEST(OpenEvent, AClockThatWasAskedForIsNotReplacedByAnother) {
  EventAttr attr = wishful_attr();
  attr.clockid = CLOCK_REALTIME;
  std::uint32_t lost = 0;
  const auto result = try_open_event(attr, {.pid = 0}, user_limits(-1), lost,
                                     kernel_without(attr_flag::kUseClockid));
  EXPECT_FALSE(result.fd);
  EXPECT_EQ(result.failure, OpenFailure::kNoClock);
  EXPECT_EQ(lost, 0u);
}

TEST(OpenEvent, AClockThatWasAskedForIsNotBlamedForWhatTheKernelLacks) {
  EventAttr attr = wishful_attr();
  attr.clockid = CLOCK_REALTIME;
  std::uint32_t lost = 0;
  const auto result = try_open_event(attr, {.pid = 0}, user_limits(-1), lost,
                                     kernel_without(attr_flag::kBuildId));
  EXPECT_TRUE(result.fd);
  EXPECT_EQ(lost, given_up::kBuildIds);
  EXPECT_EQ(attr.clockid, CLOCK_REALTIME);
}

TEST(OpenEvent, KindsOfFailure) {
  const auto failure = [](int error) {
    EventAttr attr = wishful_attr();
    std::uint32_t lost = 0;
    return try_open_event(
               attr, {.pid = 0}, user_limits(-1), lost,
               [=](const EventAttr&, const OpenTarget&) { return -error; })
        .failure;
  };
  EXPECT_EQ(failure(ENOENT), OpenFailure::kNoCounter);
  EXPECT_EQ(failure(EOPNOTSUPP), OpenFailure::kNoCounter);
  EXPECT_EQ(failure(EACCES), OpenFailure::kNotAllowed);
  EXPECT_EQ(failure(EPERM), OpenFailure::kNotAllowed);
  EXPECT_EQ(failure(ESRCH), OpenFailure::kNoProcess);
  EXPECT_EQ(failure(EMFILE), OpenFailure::kTooManyFiles);
  EXPECT_EQ(failure(ENOSYS), OpenFailure::kNoPerfEvents);
  EXPECT_EQ(failure(EBUSY), OpenFailure::kBusy);
}

// --- Messages ---------------------------------------------------------------

std::string explain(int error, OpenFailure failure, const KernelLimits& limits,
                    OpenTarget target = {.pid = 0},
                    EventAttr attr = wishful_attr()) {
  const OpenResult result{.failure = failure, .error = error};
  return open_error(result, "cycles", attr, target, limits).what();
}

TEST(OpenFailureMessage, ParanoidThreeAndFourForbidEverything) {
  EXPECT_THAT(explain(EACCES, OpenFailure::kNotAllowed, user_limits(4)),
              HasSubstr("kernel.perf_event_paranoid is 4, so recording needs "
                        "CAP_PERFMON; as root, allow it for everyone until the "
                        "next boot with 'sysctl kernel.perf_event_paranoid=2', "
                        "or for this program permanently with 'setcap "
                        "cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog=ep /"));
}

TEST(OpenFailureMessage, WholeCpusNeedParanoidZero) {
  EXPECT_THAT(explain(EACCES, OpenFailure::kNotAllowed, user_limits(2),
                      {.pid = -1, .cpu = 0}),
              testing::AllOf(HasSubstr("recording all processes of a CPU"),
                             HasSubstr("perf_event_paranoid=0")));
}

TEST(OpenFailureMessage, TracepointsNeedMinusOne) {
  EventAttr attr;
  attr.type = event_type::kTracepoint;
  EXPECT_THAT(explain(EPERM, OpenFailure::kNotAllowed, user_limits(2),
                      {.pid = 0}, attr),
              HasSubstr("perf_event_paranoid=-1"));
}

TEST(OpenFailureMessage, WhatHappensInTheKernelNeedsParanoidOne) {
  const EventAttr attr{.type = event_type::kSoftware,
                       .config = software_event::kContextSwitches};
  EXPECT_THAT(explain(EACCES, OpenFailure::kNotAllowed, user_limits(2),
                      {.pid = 7}, attr),
              HasSubstr("counts the kernel, which needs CAP_PERFMON"));
}

TEST(OpenFailureMessage, WithAllRightsItIsAContainer) {
  KernelLimits limits = user_limits(2);
  limits.capabilities = 1ull << CAP_PERFMON;
  EXPECT_THAT(explain(EPERM, OpenFailure::kNotAllowed, limits),
              HasSubstr("--cap-add PERFMON"));
}

TEST(OpenFailureMessage, RootOfAUserNamespaceIsReported) {
  KernelLimits limits = user_limits(2);
  limits.capabilities = UINT64_MAX;
  limits.in_user_namespace = true;
  EXPECT_THAT(explain(EACCES, OpenFailure::kNotAllowed, limits, {.cpu = 0}),
              HasSubstr("root in a user namespace has no privileges"));
}

TEST(OpenFailureMessage, AMachineWithoutCountersHasCpuClock) {
  EXPECT_THAT(explain(ENOENT, OpenFailure::kNoCounter, user_limits(2)),
              HasSubstr("no hardware counters, so cycles cannot be recorded"));
}

TEST(OpenFailureMessage, AClockThatATracepointCannotHaveIsNamed) {
  EventAttr attr;
  attr.type = event_type::kTracepoint;
  attr.clockid = CLOCK_TAI;
  EXPECT_EQ(
      explain(EINVAL, OpenFailure::kNoClock, user_limits(-1), {.pid = 0}, attr),
      "the tai clock works only with cpu-clock and other software events, not "
      "with cycles and other tracepoints, which time off the CPU needs; use "
      "monotonic, the default, or monotonic_raw");
}

TEST(OpenFailureMessage, ACpuThatIsOfflineIsReportedFirst) {
  EXPECT_EQ(explain(ENODEV, OpenFailure::kNoCounter, user_limits(2),
                    {.pid = -1, .cpu = 7}),
            "CPU 7 does not exist or is offline");
}

// --- With the kernel ---------------------------------------------------------

EventAttr cpu_clock_attr() {
  EventAttr attr;
  attr.type = event_type::kSoftware;
  attr.sample_period = 997;
  attr.flags = attr_flag::kFreq | attr_flag::kDisabled |
               attr_flag::kExcludeKernel | attr_flag::kExcludeHypervisor;
  attr.sample_type = sample_type::kIp;
  attr.read_format =
      read_format::kTimeEnabled | read_format::kTimeRunning | read_format::kId;
  return attr;
}

class RealOpen : public testing::Test {
 protected:
  void SetUp() override {
    EventAttr attr = cpu_clock_attr();
    std::uint32_t lost = 0;
    if (!try_open_event(attr, {.pid = 0}, limits_, lost).fd)
      GTEST_SKIP() << "the kernel does not open cpu-clock here";
  }
  KernelLimits limits_ = read_kernel_limits();
};

TEST_F(RealOpen, CountsAndNamesAnEvent) {
  SpinningChild child;
  EventAttr attr = cpu_clock_attr();
  std::uint32_t lost = 0;
  const UniqueFd fd =
      open_event("cpu-clock", attr, {.pid = child.pid()}, limits_, lost);
  EXPECT_EQ(read_event(fd.get(), attr).value, 0u);
  enable_event(fd.get());
  ::usleep(50'000);
  disable_event(fd.get());
  const EventCount count = read_event(fd.get(), attr);
  EXPECT_GT(count.value, 0u);
  EXPECT_GT(count.enabled, 0u);
  EXPECT_EQ(count.id, event_id(fd.get()));
}

TEST_F(RealOpen, TakesEverythingTheRecorderAsksFor) {
  EventAttr attr = cpu_clock_attr();
  attr.flags |= attr_flag::kInherit | attr_flag::kMmap | attr_flag::kMmap2 |
                attr_flag::kComm | attr_flag::kCommExec | attr_flag::kTask |
                attr_flag::kSampleIdAll | attr_flag::kContextSwitch |
                attr_flag::kKsymbol | attr_flag::kBpfEvent |
                attr_flag::kCgroup | attr_flag::kNamespaces |
                attr_flag::kBuildId | attr_flag::kUseClockid |
                attr_flag::kEnableOnExec | attr_flag::kWatermark |
                attr_flag::kExcludeCallchainUser;
  attr.clockid = 1;
  attr.wakeup_events = 4096;
  attr.sample_max_stack = 64;
  attr.sample_type |= sample_type::kCallchain | sample_type::kRegsUser |
                      sample_type::kStackUser | sample_type::kCgroup;
  attr.sample_regs_user = 0xff;
  attr.sample_stack_user = 16 << 10;
  attr.read_format |= read_format::kLost;
  std::uint32_t lost = 0;
  const UniqueFd fd =
      open_event("cpu-clock", attr, {.pid = 0, .cpu = 0}, limits_, lost);
  EXPECT_TRUE(fd);
  if (limits_.privileged() && limits_.release >= "6.") {
    EXPECT_EQ(lost, 0u);
  }
}

TEST_F(RealOpen, TheKernelIsLeftOutWhereItIsForbidden) {
  EventAttr attr = cpu_clock_attr();
  attr.flags &= ~(attr_flag::kExcludeKernel | attr_flag::kExcludeHypervisor);
  std::uint32_t lost = 0;
  EXPECT_TRUE(open_event("cpu-clock", attr, {.pid = 0}, limits_, lost));
  EXPECT_EQ(lost, limits_.may_record_kernel() ? 0 : given_up::kKernel);
  EXPECT_EQ(attr.flag(attr_flag::kExcludeKernel), lost != 0);
}

TEST_F(RealOpen, AStackDeeperThanAllowedIsCut) {
  EventAttr attr = cpu_clock_attr();
  attr.sample_type |= sample_type::kCallchain;
  attr.sample_max_stack = 60'000;
  std::uint32_t lost = 0;
  EXPECT_TRUE(open_event("cpu-clock", attr, {.pid = 0}, limits_, lost));
  EXPECT_EQ(lost, given_up::kMaxStack);
}

TEST_F(RealOpen, ARateAboveTheLimitIsLowered) {
  EventAttr attr = cpu_clock_attr();
  attr.sample_period = 1'000'000'000;
  std::uint32_t lost = 0;
  EXPECT_TRUE(open_event("cpu-clock", attr, {.pid = 0}, limits_, lost));
  EXPECT_EQ(lost, given_up::kRate);
  EXPECT_EQ(attr.sample_period, limits_.max_sample_rate);
}

TEST_F(RealOpen, AProcessThatHasEndedIsReported) {
  SpinningChild child;
  const pid_t pid = child.pid();
  child.end();
  EventAttr attr = cpu_clock_attr();
  std::uint32_t lost = 0;
  try {
    open_event("cpu-clock", attr, {.pid = pid}, limits_, lost);
    FAIL();
  } catch (const OpenError& error) {
    EXPECT_EQ(error.failure, OpenFailure::kNoProcess);
    EXPECT_EQ(std::string(error.what()),
              fmt::format("there is no process or thread {}", pid));
  }
}

TEST_F(RealOpen, TheSoftLimitOfFilesIsRaisedWhenItIsReached) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const KernelLimits limits = read_kernel_limits();
  std::vector<UniqueFd> fds;
  for (int i = 0; i < 100; ++i) {
    EventAttr attr = cpu_clock_attr();
    std::uint32_t lost = 0;
    fds.push_back(try_open_event(attr, {.pid = 0}, limits, lost).fd);
  }
  EXPECT_TRUE(fds.back());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace wick
