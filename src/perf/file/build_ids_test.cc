// SPDX-License-Identifier: Apache-2.0
#include "perf/file/build_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "builders/test_folder.h"
#include "object/elf/elf_file.h"
#include "object/kernel/running_kernel.h"

namespace wick {
namespace {

std::string own_path() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

TEST(BuildIds, AreThoseOfTheFiles) {
  const std::vector<SampledFile> files{{.path = own_path()}};
  const auto ids = read_build_ids(files);
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(ids[0].path, own_path());
  EXPECT_EQ(ids[0].build_id, ElfFile::open("/proc/self/exe")->build_id());
  EXPECT_EQ(ids[0].pid, -1);
  EXPECT_EQ(ids[0].cpu_mode, misc::kUser);
}

TEST(BuildIds, AreReadInTheRootOfTheProcess) {
  const std::vector<SampledFile> files{{.path = own_path(), .pid = ::getpid()}};
  EXPECT_EQ(read_build_ids(files).size(), 1u);
}

TEST(BuildIds, AreListedOnceAPath) {
  const std::vector<SampledFile> files{{.path = own_path()},
                                       {.path = own_path(), .pid = ::getpid()}};
  EXPECT_EQ(read_build_ids(files).size(), 1u);
}

TEST(BuildIds, OfAProcessThatIsGoneAreThoseAtThePath) {
  const std::vector<SampledFile> files{{.path = own_path(), .pid = 0x7fffffff}};
  EXPECT_EQ(read_build_ids(files).size(), 1u);
}

TEST(BuildIds, AreNotMadeUp) {
  const TestFolder folder;
  const std::vector<SampledFile> files{
      {.path = "/nowhere/at/all"},
      {.path = "/etc/passwd"},
      {.path = folder.path()},
      {.path = own_path() + " (deleted)"},
      {.path = "//anon"},
      {.path = "[heap]"},
      {.path = "[no_module]", .in_kernel = true},
      {.path = ""}};
  EXPECT_TRUE(read_build_ids(files).empty());
}

TEST(BuildIds, OfTheKernelAndItsVdsoAreKnown) {
  if (kernel_build_id().empty() || !own_vdso())
    GTEST_SKIP() << "the kernel does not show its build id";
  const std::vector<SampledFile> files{
      {.path = "[kernel.kallsyms]", .in_kernel = true}, {.path = "[vdso]"}};
  const auto ids = read_build_ids(files);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(ids[0].build_id, kernel_build_id());
  EXPECT_EQ(ids[0].cpu_mode, misc::kKernel);
  EXPECT_EQ(ids[1].build_id, own_vdso()->build_id());
}

}  // namespace
}  // namespace wick
