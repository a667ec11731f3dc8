// SPDX-License-Identifier: Apache-2.0
#include "integration/firesim_results.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class FireSimResultsTest : public testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& content = "x") {
    const std::filesystem::path path = folder_.path() + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
    return path.string();
  }
  FireSimResults find(const std::string& results = "results/run-linux-uniform",
                      const std::string& workload = "linux-uniform") const {
    return find_firesim_results(folder_.path() + "/" + results,
                                folder_.path() + "/" + workload);
  }

  const TestFolder folder_;
  const std::string elf_ = "\177ELF...";
};

TEST_F(FireSimResultsTest, FindsTheFilesOfEveryJob) {
  const std::string run = "results/run-linux-uniform/";
  const auto trace0 = put(run + "job0/TRACEFILE-C0");
  const auto trace1 = put(run + "job0/TRACEFILE-C1");
  put(run + "job0/TRACEFILE-C0.svg");
  put(run + "job0/TRACEFILE-C0.folded");
  put(run + "job0/memory_stats.csv");
  const auto console = put(run + "job0/uartlog");
  const auto counters = put(run + "job0/AUTOCOUNTERFILE0.csv");
  const auto other = put(run + "job1/TRACEFILE-C0");
  put(run + "no-traces/uartlog");
  const FireSimResults results = find();
  ASSERT_EQ(results.jobs.size(), 2u);
  EXPECT_EQ(results.jobs[0].name, "job0");
  EXPECT_THAT(results.jobs[0].traces, ElementsAre(trace0, trace1));
  EXPECT_EQ(results.jobs[0].uartlog, console);
  EXPECT_THAT(results.jobs[0].counters, ElementsAre(counters));
  EXPECT_THAT(results.jobs[1].traces, ElementsAre(other));
  EXPECT_TRUE(results.jobs[0].elfs.empty());
  EXPECT_TRUE(results.jobs[1].elfs.empty());
}

TEST_F(FireSimResultsTest, FindsTheRootFileSystemThatTheWorkloadNames) {
  put("results/run-linux-uniform/job0/TRACEFILE-C0");
  put("results/run-linux-uniform/job1/TRACEFILE-C0");
  put("results/run-linux-uniform/job2/TRACEFILE-C0");
  put("linux-uniform.json",
      R"({"benchmark_name": "linux-uniform", "common_rootfs": "common.img",
          "workloads": [{"name": "job1", "rootfs": "../images/own.img"},
                        {"name": "job2", "rootfs": null}]})");
  const auto common = put("linux-uniform/common.img");
  const auto own = put("images/own.img");
  const FireSimResults results = find();
  ASSERT_EQ(results.jobs.size(), 3u);
  EXPECT_EQ(results.jobs[0].rootfs, common);
  EXPECT_EQ(results.jobs[1].rootfs, own);
  EXPECT_EQ(results.jobs[2].rootfs, "");
  EXPECT_EQ(results.jobs[2].named_rootfs, "");
}

TEST_F(FireSimResultsTest, ARootFileSystemHasTheJobsNameUnlessItIsNamed) {
  put("results/run-linux-uniform/job0/TRACEFILE-C0");
  put("results/run-linux-uniform/job1/TRACEFILE-C0");
  put("linux-uniform.json", R"({"benchmark_name": "linux-uniform"})");
  const auto image = put("linux-uniform/job0.ext2");
  const FireSimResults results = find();
  ASSERT_EQ(results.jobs.size(), 2u);
  EXPECT_EQ(results.jobs[0].rootfs, image);
  EXPECT_EQ(results.jobs[1].rootfs, "");
  EXPECT_EQ(results.jobs[1].named_rootfs, "job1.ext2");
}

TEST_F(FireSimResultsTest, TakesTheCodeThatTheWorkloadNames) {
  put("results/run-linux-uniform/linux-uniform0/TRACEFILE-C0");
  const auto json = put("linux-uniform.json",
                        R"({"benchmark_name": "linux-uniform",
                            "common_bootbinary": "br-base-bin"})");
  put("other.json", R"({"benchmark_name": "linux"})");
  put("linux-uniform/zephyr-dwarf", elf_);
  const auto kernel = put("linux-uniform/br-base-bin-dwarf", elf_);
  const auto sbi = put("linux-uniform/br-base-bin", elf_);
  const FireSimResults results = find();
  EXPECT_EQ(results.workload, json);
  EXPECT_EQ(results.benchmark, "linux-uniform");
  EXPECT_THAT(results.jobs[0].elfs, ElementsAre(kernel, sbi));
}

TEST_F(FireSimResultsTest, TakesTheBootBinaryOfAWorkloadWithoutAKernel) {
  put("results/run-bare/bare0/TRACEFILE-C0");
  put("bare.json",
      R"({"benchmark_name": "bare", "common_bootbinary": "hello.riscv"})");
  const auto program = put("bare/hello.riscv", elf_);
  EXPECT_THAT(find("results/run-bare").jobs.at(0).elfs, ElementsAre(program));
}

TEST_F(FireSimResultsTest, LooksBesideTheFolderThatAHookIsRunIn) {
  put("results/run-linux-uniform/linux-uniform0/TRACEFILE-C0");
  put("linux-uniform/notes.txt");
  const auto json =
      put("linux-uniform.json", R"({"benchmark_name": "linux-uniform"})");
  // As "." is when it is made absolute.
  EXPECT_EQ(find("results/run-linux-uniform", "linux-uniform/.").workload,
            json);
}

TEST_F(FireSimResultsTest, FindsTheWorkloadOfAFireSimFromAnywhere) {
  const std::string run = "deploy/results-workload/2026-br-base/";
  put(run + "br-base0/TRACEFILE-C0");
  put("deploy/workloads/br-base/notes.txt");
  const auto json = put("deploy/workloads/flames.json",
                        R"({"benchmark_name": "br-base",
              "common_bootbinary": "../../../target-design/br/base-bin"})");
  const auto config = put("deploy/config_runtime.yaml");
  put("target-design/br/base-bin-dwarf", elf_);
  put("target-design/br/base-bin", elf_);
  for (const std::string from :
       {"deploy/workloads/br-base/.", "deploy/workloads", "deploy", "."})
    for (const std::string& given :
         {run, run + "br-base0", run + "br-base0/TRACEFILE-C0"}) {
      SCOPED_TRACE(from + " " + given);
      const FireSimResults results = find(given, from);
      EXPECT_EQ(results.workload, json);
      EXPECT_EQ(results.runtime_config, config);
      EXPECT_THAT(results.jobs.at(0).elfs, testing::SizeIs(2));
    }
}

TEST_F(FireSimResultsTest, TakesNoWorkloadForTheNameOfAFolderAbove) {
  put("linux/deploy/results-workload/2026-boom/boom0/TRACEFILE-C0");
  put("linux/deploy/workloads/linux.json", R"({"benchmark_name": "linux"})");
  EXPECT_EQ(find("linux/deploy/results-workload/2026-boom").workload, "");
}

TEST_F(FireSimResultsTest, TakesNoKernelOfFoldersAboveThatNobodyNames) {
  put("other/a/b/run1/TRACEFILE-C0");
  put("other/workloads/notes.txt");
  const std::string hook = "other/workloads/mine";
  for (const std::string stranger :
       {"other/workloads/foo-dwarf", "other/vmlinux"}) {
    SCOPED_TRACE(stranger);
    const auto path = put(stranger, elf_);
    for (const std::string& from : {std::string("elsewhere"), hook}) {
      const FireSimResults results = find("other/a/b/run1", from);
      EXPECT_TRUE(results.jobs.at(0).elfs.empty());
    }
    std::filesystem::remove(path);
  }
}

TEST_F(FireSimResultsTest, TakesAnyOneKernelOfTheWorkloadsFolder) {
  put("deploy/results-workload/2026-iperf/iperf0/TRACEFILE-C0");
  put("deploy/workloads/iperf.json", R"({"benchmark_name": "iperf"})");
  const auto kernel = put("deploy/workloads/iperf/vmlinux", elf_);
  put("deploy/workloads/foo-dwarf", elf_);
  EXPECT_THAT(find("deploy/results-workload/2026-iperf").jobs.at(0).elfs,
              ElementsAre(kernel));
}

TEST_F(FireSimResultsTest, TakesTheWorkloadsKernelInAnotherWorkloadsFolder) {
  put("deploy/results-workload/2026-linux-uniform/job0/TRACEFILE-C0");
  put("deploy/workloads/linux.json", R"({"benchmark_name": "linux",
      "common_bootbinary": "br-base-bin"})");
  put("deploy/workloads/linux-uniform.json",
      R"({"benchmark_name": "linux-uniform",
          "common_bootbinary": "br-base-bin"})");
  put("deploy/workloads/linux/br-base-bin-dwarf", elf_);
  const auto kernel =
      put("deploy/workloads/linux-uniform/br-base-bin-dwarf", elf_);
  EXPECT_THAT(find("deploy/results-workload/2026-linux-uniform",
                   "deploy/workloads/linux/.")
                  .jobs.at(0)
                  .elfs,
              ElementsAre(kernel));
}

TEST_F(FireSimResultsTest, TakesTheKernelBesideTheFileOfTheWorkload) {
  put("deploy/results-workload/2026-iperf/job0/TRACEFILE-C0");
  const std::string json =
      R"({"benchmark_name": "iperf", "common_bootbinary": "iperf-bin"})";
  put("deploy/workloads/iperf.json", json);
  put("deploy/workloads/iperf/iperf-bin-dwarf", elf_);
  put("mine/iperf.json", json);
  const auto kernel = put("mine/iperf/iperf-bin-dwarf", elf_);
  EXPECT_THAT(
      find("deploy/results-workload/2026-iperf", "mine").jobs.at(0).elfs,
      ElementsAre(kernel));
}

TEST_F(FireSimResultsTest, TakesTheJobsOwnCodeFirst) {
  const std::string run = "results/run-linux-uniform/job0/";
  put(run + "TRACEFILE-C0");
  put("linux-uniform.json", R"({"benchmark_name": "linux-uniform",
      "workloads": [{"name": "job0", "bootbinary": "../marshal/iperf-bin"}]})");
  put("linux-uniform/iperf-bin-dwarf", elf_);
  const auto kernel = put(run + "job0-iperf-bin-dwarf", elf_);
  EXPECT_THAT(find().jobs[0].elfs, ElementsAre(kernel));
}

TEST_F(FireSimResultsTest, TakesNoneOfSeveralKernels) {
  put("results/run/TRACEFILE0");
  put("results/run/a-dwarf", elf_);
  put("results/run/b-dwarf", elf_);
  const FireSimResults results = find("results/run/");
  EXPECT_TRUE(results.jobs.at(0).elfs.empty());
  EXPECT_EQ(results.jobs[0].name, "run");
}

TEST_F(FireSimResultsTest, TakesOneTraceAlone) {
  const auto trace = put("results/run/TRACEFILE-C1");
  put("results/run/TRACEFILE-C0");
  const auto kernel = put("results/run/x-dwarf", elf_);
  const FireSimResults results = find("results/run/TRACEFILE-C1");
  EXPECT_THAT(results.jobs.at(0).traces, ElementsAre(trace));
  EXPECT_THAT(results.jobs[0].elfs, ElementsAre(kernel));
}

TEST_F(FireSimResultsTest, LinksAreListedAndNotFollowed) {
  const auto secret = put("private/trace");
  put("results/run/job/TRACEFILE-C0");
  for (const std::string name : {"TRACEFILE-C1", "AUTOCOUNTERFILE0", "uartlog"})
    std::filesystem::create_symlink(
        secret, folder_.path() + "/results/run/job/" + name);
  const FireSimResults results = find("results/run");
  const FireSimJob& job = results.jobs.at(0);
  EXPECT_EQ(job.traces.size(), 1u);
  EXPECT_TRUE(job.counters.empty());
  EXPECT_EQ(job.uartlog, "");
  EXPECT_EQ(job.links.size(), 3u);
}

TEST_F(FireSimResultsTest, ReportsWhatToDoWhereThereIsNoTrace) {
  put("results/run/job/uartlog");
  EXPECT_THAT([&] { find("results/run"); },
              ThrowsMessage<Error>(HasSubstr("was tracing enabled")));
  EXPECT_THROW(find("nowhere"), Error);
}

TEST(FireSimWorkload, NamesTheBootBinaryOfEachJob) {
  const FireSimWorkload workload = parse_firesim_workload(
      R"({"benchmark_name": "a", "common_bootbinary": "b",
          "workloads": [{"name": "j", "bootbinary": "c"}, {"name": "k"}]})");
  EXPECT_EQ(workload.bootbinary_of("j"), "c");
  EXPECT_EQ(workload.bootbinary_of("k"), "b");
  EXPECT_EQ(parse_firesim_workload("no json").benchmark, "");
}

}  // namespace
}  // namespace wick
