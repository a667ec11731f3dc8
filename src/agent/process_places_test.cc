// SPDX-License-Identifier: Apache-2.0
#include "agent/process_places.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace wick {
namespace {

const std::string kId =
    "4f5e6d7c8b9a4f5e6d7c8b9a4f5e6d7c8b9a4f5e6d7c8b9a4f5e6d7c8b9a0123";

TEST(ProcessPlaces, ContainersAreFoundByTheNamesOfTheirGroups) {
  EXPECT_EQ(container_of("/system.slice/docker-" + kId + ".scope"),
            "4f5e6d7c8b9a");
  EXPECT_EQ(container_of("/docker/" + kId), "4f5e6d7c8b9a");
  EXPECT_EQ(container_of("/kubepods.slice/kubepods-pod1.slice/cri-containerd-" +
                         kId + ".scope"),
            "4f5e6d7c8b9a");
  EXPECT_EQ(
      container_of("/machine.slice/libpod-" + kId + ".scope/container/init"),
      "4f5e6d7c8b9a");
  EXPECT_EQ(container_of("/machine.slice/machine-web.scope/payload"), "web");
  EXPECT_EQ(container_of("/lxc.payload.build/system.slice"), "build");
}

TEST(ProcessPlaces, OtherGroupsAreNoContainers) {
  EXPECT_EQ(container_of(""), "");
  EXPECT_EQ(container_of("/"), "");
  EXPECT_EQ(container_of("/user.slice/user-1000.slice/session-2.scope"), "");
  EXPECT_EQ(container_of("/system.slice/" + kId.substr(1) + ".scope"), "");
  EXPECT_EQ(container_of("/system.slice/x" + kId), "");
}

TEST(ProcessPlaces, TheGroupOfVersionTwoCounts) {
  EXPECT_EQ(cgroup_of("4:memory:/a\n0::/b\n"), "/b");
  EXPECT_EQ(cgroup_of("0::/with:colon\n"), "/with:colon");
}

TEST(ProcessPlaces, WithoutVersionTwoTheFirstGroupCounts) {
  EXPECT_EQ(cgroup_of("12:pids:/\n4:memory:/docker/x\n0::/\n"), "/docker/x");
  EXPECT_EQ(cgroup_of("0::/\n"), "/");
  EXPECT_EQ(cgroup_of(""), "");
  EXPECT_EQ(cgroup_of("nonsense"), "");
}

class ProcessesOfAHost : public testing::Test {
 protected:
  ProcessesOfAHost()
      : proc_(testing::TempDir() + "places" + std::to_string(::getpid())) {}
  ~ProcessesOfAHost() override { std::filesystem::remove_all(proc_); }

  void run(int pid, const std::string& name, const std::string& cgroup) {
    const std::string folder = proc_ + "/" + std::to_string(pid);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/comm") << name << "\n";
    std::ofstream(folder + "/cgroup") << "0::" << cgroup << "\n";
  }
  void end(int pid) {
    std::filesystem::remove_all(proc_ + "/" + std::to_string(pid));
  }
  static Profile sampled(int pid, int tid, std::string_view comm) {
    Profile profile;
    profile.event_id("cpu-clock");
    const ThreadId thread = profile.thread_id(
        {.pid = pid, .tid = tid, .comm = profile.strings.intern(comm)});
    profile.samples.push_back({.weight = 1, .thread = thread});
    return profile;
  }

  std::string proc_;
};

TEST_F(ProcessesOfAHost, AreWhatProcSays) {
  run(7, "server", "/docker/" + kId);
  ProcessPlaces places(proc_);
  EXPECT_EQ(places.of(sampled(7, 8, "worker")),
            (std::vector<BatchProcess>{
                {7, "server", "/docker/" + kId, "4f5e6d7c8b9a"}}));
}

TEST_F(ProcessesOfAHost, AreRememberedWhenTheyHaveEnded) {
  run(7, "server", "/a");
  ProcessPlaces places(proc_);
  places.of(sampled(7, 7, "server"));
  end(7);
  EXPECT_EQ(places.of(sampled(7, 7, "server")),
            (std::vector<BatchProcess>{{7, "server", "/a", ""}}));
}

TEST_F(ProcessesOfAHost, AreNamedByTheirThreadsIfNothingElseIsKnown) {
  ProcessPlaces places(proc_);
  EXPECT_EQ(places.of(sampled(7, 7, "short")),
            (std::vector<BatchProcess>{{7, "short", "", ""}}));
}

TEST_F(ProcessesOfAHost, BeginWhereTheirParentIs) {
  run(5, "make", "/build");
  ProcessPlaces places(proc_);
  places.on_fork(5, 7);
  end(5);
  places.on_fork(7, 9);
  EXPECT_EQ(places.of(sampled(9, 9, "cc1")),
            (std::vector<BatchProcess>{{9, "cc1", "/build", ""}}));
}

TEST_F(ProcessesOfAHost, AreNotConfusedWithEarlierOnesOfThePid) {
  run(7, "server", "/a");
  ProcessPlaces places(proc_);
  places.of(sampled(7, 7, "server"));
  end(7);
  run(5, "make", "/build");
  places.on_fork(5, 7);
  EXPECT_EQ(places.of(sampled(7, 7, "other")),
            (std::vector<BatchProcess>{{7, "other", "/build", ""}}));
}

TEST_F(ProcessesOfAHost, ThatFindNoRoomAreForgotten) {
  ProcessPlaces places(proc_);
  run(1, "init", "/init");
  for (int pid = 2; pid < 20'000; ++pid) places.on_fork(pid - 1, pid);
  EXPECT_EQ(places.of(sampled(19'999, 19'999, "x")),
            (std::vector<BatchProcess>{{19'999, "x", "/init", ""}}));
  EXPECT_EQ(places.of(sampled(2, 2, "x")),
            (std::vector<BatchProcess>{{2, "x", "", ""}}));
}

}  // namespace
}  // namespace wick
