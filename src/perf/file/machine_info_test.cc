// SPDX-License-Identifier: Apache-2.0
#include "perf/file/machine_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "builders/test_folder.h"

namespace wick {
namespace {

MachineInfo of_cpuinfo(std::string_view text) {
  MachineInfo info;
  read_cpuinfo(text, info);
  return info;
}

TEST(MachineInfo, HasTheCpuOfX86ByItsFourNumbers) {
  const MachineInfo info = of_cpuinfo(
      "processor\t: 0\n"
      "vendor_id\t: GenuineIntel\n"
      "cpu family\t: 6\n"
      "model\t\t: 143\n"
      "model name\t: Example(R) CPU @ 2.00GHz\n"
      "stepping\t: 8\n"
      "\n"
      "processor\t: 1\n"
      "model name\t: another\n");
  EXPECT_EQ(info.cpu_description, "Example(R) CPU @ 2.00GHz");
  EXPECT_EQ(info.cpuid, "GenuineIntel,6,143,8");
}

TEST(MachineInfo, HasNoCpuidWhereThereIsNone) {
  const MachineInfo info = of_cpuinfo(
      "processor\t: 0\n"
      "BogoMIPS\t: 50.00\n"
      "uarch\t: example,core\n");
  EXPECT_EQ(info.cpu_description, "example,core");
  EXPECT_EQ(info.cpuid, "");
  EXPECT_EQ(of_cpuinfo("").cpu_description, "");
}

TEST(MachineInfo, KnowsThisMachine) {
  const MachineInfo info = machine_info();
  EXPECT_NE(info.hostname, "");
  EXPECT_NE(info.os_release, "");
  EXPECT_NE(info.arch, "");
  EXPECT_GE(info.cpus_available, info.cpus_online);
  EXPECT_GE(info.cpus_online, 1u);
  EXPECT_GT(info.total_memory_kb, 10'000u);
}

TEST(MachineInfo, ListsSourcesOfEventsByTheirType) {
  const TestFolder folder;
  const auto put = [&](const char* name, const char* type) {
    std::filesystem::create_directory(folder.path() + "/" + name);
    std::ofstream(folder.path() + "/" + name + "/type") << type;
  };
  put("software", "1\n");
  put("cpu", "4\n");
  put("broken", "x\n");
  std::filesystem::create_directory(folder.path() + "/without");
  const auto pmus = read_pmus(folder.path());
  ASSERT_EQ(pmus.size(), 2u);
  EXPECT_EQ(pmus[0].name, "software");
  EXPECT_EQ(pmus[1].type, 4u);
  EXPECT_EQ(pmus[1].name, "cpu");
  EXPECT_TRUE(read_pmus(folder.path() + "/nowhere").empty());
}

}  // namespace
}  // namespace wick
