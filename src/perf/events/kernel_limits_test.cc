// SPDX-License-Identifier: Apache-2.0
#include "perf/events/kernel_limits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <unistd.h>

#include "builders/fake_system.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KernelLimits, AreReadFromTheKernelsFiles) {
  FakeSystem system;
  system.file("/proc/sys/kernel/perf_event_paranoid", "-1\n");
  system.file("/proc/sys/kernel/kptr_restrict", "1\n");
  system.file("/proc/sys/kernel/perf_event_mlock_kb", "516\n");
  system.file("/proc/sys/kernel/perf_event_max_sample_rate", "50000\n");
  system.file("/proc/sys/kernel/perf_event_max_stack", "255\n");
  system.file("/proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
  system.file("/proc/self/uid_map", "         0          0 4294967295\n");
  system.file("/sys/kernel/btf/vmlinux", "x");
  system.file("/sys/kernel/tracing/events/enable", "0\n");
  system.file("/sys/bus/event_source/devices/software/type", "1\n");
  system.file("/sys/bus/event_source/devices/cpu/type", "4\n");
  system.file("/sys/devices/system/cpu/online", "0-2,5\n");
  const KernelLimits limits = read_kernel_limits(system.paths);
  EXPECT_EQ(limits.paranoid, -1);
  EXPECT_EQ(limits.kptr_restrict, 1);
  EXPECT_EQ(limits.perf_mlock, 516u << 10);
  EXPECT_EQ(limits.max_sample_rate, 50'000u);
  EXPECT_EQ(limits.max_stack, 255u);
  EXPECT_TRUE(limits.may(CAP_PERFMON));
  EXPECT_FALSE(limits.may(CAP_SYS_ADMIN));
  EXPECT_TRUE(limits.has_btf);
  EXPECT_EQ(limits.tracefs, system.paths.tracefs);
  EXPECT_THAT(limits.pmus, ElementsAre("cpu", "software"));
  EXPECT_TRUE(limits.has_hardware_counters());
  EXPECT_THAT(limits.online_cpus, ElementsAre(0, 1, 2, 5));
}

TEST(KernelLimits, TellWhatIsNotMounted) {
  FakeSystem system;
  EXPECT_EQ(read_kernel_limits(system.paths).not_mounted, system.paths.proc);
  system.file("/proc/self/status", "Name:\tx\n");
  const KernelLimits limits = read_kernel_limits(system.paths);
  EXPECT_EQ(limits.not_mounted, system.paths.sys);
  EXPECT_EQ(limits.help_with_mount(),
            "sudo mount -t sysfs sysfs " + system.paths.sys);
  system.file("/sys/devices/system/cpu/online", "0\n");
  EXPECT_EQ(read_kernel_limits(system.paths).not_mounted, "");
}

TEST(KernelLimits, OfAKernelWithoutPerfEventsAllowNothing) {
  const KernelLimits limits = read_kernel_limits(FakeSystem().paths);
  EXPECT_EQ(limits.paranoid, std::nullopt);
  EXPECT_FALSE(limits.may_record_anything());
  EXPECT_FALSE(limits.has_hardware_counters());
  EXPECT_EQ(limits.tracefs, "");
}

TEST(KernelLimits, ParanoidDecidesWithoutCapabilities) {
  KernelLimits limits;
  limits.tracefs = "/t";
  const auto allowed = [&](int paranoid) {
    limits.paranoid = paranoid;
    return std::string(limits.may_record_anything() ? "user " : "") +
           (limits.may_record_kernel() ? "kernel " : "") +
           (limits.may_record_all_cpus() ? "cpus " : "") +
           (limits.may_use_tracepoints() ? "tracepoints" : "");
  };
  EXPECT_EQ(allowed(-1), "user kernel cpus tracepoints");
  EXPECT_EQ(allowed(0), "user kernel cpus ");
  EXPECT_EQ(allowed(1), "user kernel ");
  EXPECT_EQ(allowed(2), "user ");
  EXPECT_EQ(allowed(3), "");
  EXPECT_EQ(allowed(4), "");
  limits.capabilities = 1ull << CAP_PERFMON;
  EXPECT_EQ(allowed(4), "user kernel cpus tracepoints");
  limits.in_user_namespace = true;
  EXPECT_EQ(allowed(4), "");
}

TEST(KernelLimits, TheHintAboutTracefsFitsWhatIsTheCase) {
  KernelLimits limits;
  limits.paranoid = -1;
  limits.tracefs_state = TracefsState::kHidden;
  EXPECT_EQ(limits.help_with_tracepoints(),
            fmt::format("sudo mount -o remount,mode=750,gid={} "
                        "/sys/kernel/tracing",
                        ::getegid()));
  limits.tracefs_state = TracefsState::kNotMounted;
  EXPECT_EQ(limits.help_with_tracepoints(),
            fmt::format("sudo mount -t tracefs -o mode=750,gid={} tracefs "
                        "/sys/kernel/tracing",
                        ::getegid()));
  limits.is_root = true;
  EXPECT_EQ(limits.help_with_tracepoints(),
            "docker run -v /sys/kernel/tracing:/sys/kernel/tracing …");
  limits.tracefs_state = TracefsState::kAbsent;
  EXPECT_EQ(limits.help_with_tracepoints(), "");
}

TEST(KernelLimits, OnlyWhatIsNotMountedIsMounted) {
  KernelLimits limits;
  limits.capabilities = 1ull << CAP_SYS_ADMIN;
  limits.tracefs_state = TracefsState::kNotMounted;
  EXPECT_TRUE(limits.may_mount_tracefs());
  limits.tracefs_state = TracefsState::kHidden;
  EXPECT_FALSE(limits.may_mount_tracefs());
  limits.tracefs_state = TracefsState::kNotMounted;
  limits.in_user_namespace = true;
  EXPECT_FALSE(limits.may_mount_tracefs());
}

TEST(KernelLimits, BufferMemoryIsThatOfAllCpusAndTheUsersOwn) {
  KernelLimits limits;
  limits.paranoid = 2;
  limits.perf_mlock = 516 << 10;
  limits.memlock = 64 << 10;
  limits.online_cpus = {0, 1};
  EXPECT_EQ(limits.buffer_memory(), (2 * 516u + 64) << 10);
  limits.capabilities = 1ull << CAP_IPC_LOCK;
  EXPECT_EQ(limits.buffer_memory(), KernelLimits::kUnlimited);
}

TEST(KernelLimits, KernelAddressesAreShownAsKallsymsShowsThem) {
  KernelLimits limits;
  limits.paranoid = 1;
  EXPECT_TRUE(limits.shows_kernel_addresses());
  limits.paranoid = 2;
  EXPECT_FALSE(limits.shows_kernel_addresses());
  limits.capabilities = 1ull << CAP_SYSLOG;
  EXPECT_TRUE(limits.shows_kernel_addresses());
  limits.kptr_restrict = 2;
  EXPECT_FALSE(limits.shows_kernel_addresses());
}

TEST(CpuList, RangesAndSingleOnes) {
  EXPECT_THAT(parse_cpu_list("3,0-1\n"), ElementsAre(0, 1, 3));
  EXPECT_THAT(parse_cpu_list(""), IsEmpty());
  EXPECT_THAT(parse_cpu_list("x,2-,5-4,-1,999999999"), ElementsAre(2));
  EXPECT_THAT(parse_cpu_list("0-4000000000"), IsEmpty());
}

}  // namespace
}  // namespace wick
