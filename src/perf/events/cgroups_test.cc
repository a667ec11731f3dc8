// SPDX-License-Identifier: Apache-2.0
#include "perf/events/cgroups.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/fake_system.h"

namespace wick {
namespace {

class CgroupsTest : public testing::Test {
 protected:
  CgroupsTest() {
    system_.file("/proc/cgroups",
                 "#subsys_name\thierarchy\tnum_cgroups\tenabled\n"
                 "cpu\t1\t5\t1\n"
                 "perf_event\t0\t5\t1\n");
  }
  std::string folder(const std::string& name) const {
    return system_.paths.sys + "/fs/cgroup" + name;
  }
  void mounted(const std::string& lines) {
    system_.file("/proc/mounts", lines);
  }
  std::string error_of(const std::string& name) {
    try {
      open_cgroup(name, system_.paths);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  FakeSystem system_;
};

TEST_F(CgroupsTest, TheOneHierarchyOfTheSecondVersion) {
  mounted(fmt::format("cgroup2 {} cgroup2 rw,nosuid 0 0\n", folder("")));
  EXPECT_EQ(perf_cgroup_root(system_.paths), folder(""));
}

TEST_F(CgroupsTest, BothVersionsMountedPerfMayBeOfTheSecond) {
  mounted(
      fmt::format("cgroup {} cgroup rw,cpu 0 0\n"
                  "cgroup2 {} cgroup2 rw 0 0\n",
                  folder("/cpu"), folder("/unified")));
  EXPECT_EQ(perf_cgroup_root(system_.paths), folder("/unified"));
}

TEST_F(CgroupsTest, BothVersionsMountedPerfMayBeOfTheFirst) {
  mounted(
      fmt::format("cgroup2 {} cgroup2 rw 0 0\n"
                  "cgroup {} cgroup rw,net_cls,perf_event 0 0\n",
                  folder("/unified"), folder("/perf_event")));
  EXPECT_EQ(perf_cgroup_root(system_.paths), folder("/perf_event"));
}

TEST_F(CgroupsTest, AGroupIsNamedBelowTheRootOrByItsPath) {
  mounted(fmt::format("cgroup2 {} cgroup2 rw 0 0\n", folder("")));
  system_.file("/sys/fs/cgroup/a/b/cgroup.procs", "");
  EXPECT_EQ(error_of("a/b"), "");
  EXPECT_EQ(error_of("/a/b"), "");
  EXPECT_EQ(error_of(folder("/a/b")), "");
}

TEST_F(CgroupsTest, TheThreadsOfAGroupAreThoseBelowItToo) {
  mounted(fmt::format("cgroup2 {} cgroup2 rw 0 0\n", folder("")));
  system_.file("/sys/fs/cgroup/cgroup.threads", "1\n2\n");
  system_.file("/sys/fs/cgroup/a/cgroup.threads", "30\n31\n");
  system_.file("/sys/fs/cgroup/a/b/c/cgroup.threads", "40\n");
  system_.file("/sys/fs/cgroup/ab/cgroup.threads", "50\n");
  EXPECT_THAT(threads_of_cgroup("a", system_.paths),
              testing::UnorderedElementsAre(30, 31, 40));
  EXPECT_THAT(threads_of_cgroup(folder("/a/b"), system_.paths),
              testing::UnorderedElementsAre(40));
}

TEST_F(CgroupsTest, TheFirstVersionCallsThreadsTasks) {
  mounted(fmt::format("cgroup {} cgroup rw,perf_event 0 0\n", folder("")));
  system_.file("/sys/fs/cgroup/a/cgroup.procs", "30\n");
  system_.file("/sys/fs/cgroup/a/tasks", "30\n31\n");
  EXPECT_THAT(threads_of_cgroup("a", system_.paths),
              testing::UnorderedElementsAre(30, 31));
}

TEST_F(CgroupsTest, AnUnknownGroupIsRefusedAndOthersAreNamed) {
  mounted(fmt::format("cgroup2 {} cgroup2 rw 0 0\n", folder("")));
  system_.file("/sys/fs/cgroup/user.slice/cgroup.procs", "");
  system_.file("/sys/fs/cgroup/no_group/file", "");
  EXPECT_EQ(error_of("nosuch"),
            fmt::format("there is no control group nosuch; {} has "
                        "no_group, user.slice",
                        folder("")));
  EXPECT_NE(error_of("no_group"), "");
}

TEST_F(CgroupsTest, AKernelWithoutThemIsReported) {
  system_.file("/proc/cgroups", "cpu\t1\t5\t1\n");
  EXPECT_NE(error_of("a").find("CONFIG_CGROUP_PERF"), std::string::npos);
  system_.file("/proc/cgroups", "perf_event\t0\t5\t0\n");
  EXPECT_NE(error_of("a").find("cgroup_disable="), std::string::npos);
}

TEST_F(CgroupsTest, NoneMountedIsReportedWithTheCommandThatMountsThem) {
  mounted("proc /proc proc rw 0 0\n");
  EXPECT_NE(error_of("a").find("mount -t cgroup2"), std::string::npos);
}

}  // namespace
}  // namespace wick
