// SPDX-License-Identifier: Apache-2.0
#include "host/host_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "builders/test_folder.h"
#include "host/file_readers.h"
#include "host/tcp_sockets.h"

namespace wick {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Not;

std::vector<MetricValue> read(void (*reader)(std::string_view, HostMetrics&),
                              std::string_view text) {
  HostMetrics metrics;
  reader(text, metrics);
  return metrics.values;
}

std::vector<MetricValue> read_pressure_of_memory(std::string_view text) {
  HostMetrics metrics;
  read_pressure("memory", text, metrics);
  return metrics.values;
}

TEST(HostFiles, TimesOfACpuAreHundredthsOfASecondAndUserTimeHasNoGuests) {
  const auto read_now = read(read_stat,
                             "cpu  9 9 9 9 9 9 9 9 9 9\n"
                             "cpu3 10 5 3 100 2 1 4 6 7 2\n");
  EXPECT_THAT(read_now, ElementsAre(MetricValue{Metric::kCpuUser, "3", 3e7},
                                    MetricValue{Metric::kCpuNice, "3", 3e7},
                                    MetricValue{Metric::kCpuSystem, "3", 3e7},
                                    MetricValue{Metric::kCpuIdle, "3", 100e7},
                                    MetricValue{Metric::kCpuIowait, "3", 2e7},
                                    MetricValue{Metric::kCpuIrq, "3", 1e7},
                                    MetricValue{Metric::kCpuSoftirq, "3", 4e7},
                                    MetricValue{Metric::kCpuSteal, "3", 6e7},
                                    MetricValue{Metric::kCpuGuest, "3", 9e7}));
}

TEST(HostFiles, WhatStatCountsBesidesTimes) {
  EXPECT_THAT(read(read_stat,
                   "intr 1234 0 9 0\n"
                   "ctxt 5678\n"
                   "btime 1700000000\n"
                   "processes 90\n"
                   "procs_running 2\n"
                   "procs_blocked 1\n"),
              ElementsAre(MetricValue{Metric::kInterrupts, "", 1234},
                          MetricValue{Metric::kContextSwitches, "", 5678},
                          MetricValue{Metric::kForks, "", 90},
                          MetricValue{Metric::kThreadsRunning, "", 2},
                          MetricValue{Metric::kThreadsBlocked, "", 1}));
}

TEST(HostFiles, SoftirqsOfAllCpusAreAddedUpByType) {
  EXPECT_THAT(read(read_softirqs,
                   "                    CPU0       CPU1\n"
                   "          HI:          1          2\n"
                   "      NET_RX:         30         12\n"),
              ElementsAre(MetricValue{Metric::kSoftirqs, "HI", 3},
                          MetricValue{Metric::kSoftirqs, "NET_RX", 42}));
}

TEST(HostFiles, LoadAveragesAndTheNumberOfThreads) {
  EXPECT_THAT(read(read_loadavg, "0.42 1.30 12.25 3/421 12345\n"),
              ElementsAre(MetricValue{Metric::kLoad1, "", 0.42},
                          MetricValue{Metric::kLoad5, "", 1.3},
                          MetricValue{Metric::kLoad15, "", 12.25},
                          MetricValue{Metric::kThreads, "", 421}));
}

TEST(HostFiles, PressureIsInMicroseconds) {
  EXPECT_THAT(read_pressure_of_memory(
                  "some avg10=1.00 avg60=0.50 avg300=0.00 total=7\n"
                  "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"),
              ElementsAre(MetricValue{Metric::kPressureSome, "memory", 7000},
                          MetricValue{Metric::kPressureFull, "memory", 5000}));
}

TEST(HostFiles, MemoryIsInKilobytesOf1024) {
  EXPECT_THAT(read(read_meminfo,
                   "MemTotal:       24 kB\n"
                   "MemFree:         3 kB\n"
                   "Cached:          2 kB\n"
                   "SwapCached:      9 kB\n"),
              ElementsAre(MetricValue{Metric::kMemoryTotal, "", 24 * 1024},
                          MetricValue{Metric::kMemoryFree, "", 3 * 1024},
                          MetricValue{Metric::kMemoryCached, "", 2 * 1024}));
}

TEST(HostFiles, StallsOfAllZonesAreAddedUp) {
  EXPECT_THAT(read(read_vmstat,
                   "allocstall_normal 4\n"
                   "allocstall_movable 3\n"
                   "oom_kill 1\n"),
              ElementsAre(MetricValue{Metric::kAllocationStalls, "", 7},
                          MetricValue{Metric::kOomKills, "", 1}));
}

TEST(HostFiles, DiskSectorsHave512BytesAndTimesAreMilliseconds) {
  EXPECT_THAT(
      read(read_diskstats, "   8  0 sda 10 1 80 5 20 2 160 7 3 11 12 0 0\n"),
      ElementsAre(MetricValue{Metric::kDiskReads, "sda", 10},
                  MetricValue{Metric::kDiskReadBytes, "sda", 40960},
                  MetricValue{Metric::kDiskReadTime, "sda", 5e6},
                  MetricValue{Metric::kDiskWrites, "sda", 20},
                  MetricValue{Metric::kDiskWrittenBytes, "sda", 81920},
                  MetricValue{Metric::kDiskWriteTime, "sda", 7e6},
                  MetricValue{Metric::kDiskInFlight, "sda", 3},
                  MetricValue{Metric::kDiskBusyTime, "sda", 11e6},
                  MetricValue{Metric::kDiskQueueTime, "sda", 12e6}));
}

TEST(HostFiles, DisksThatWereNeverUsedAreLeftOut) {
  EXPECT_THAT(read(read_diskstats, "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n"),
              IsEmpty());
}

constexpr std::string_view kNetDev =
    "Inter-|   Receive                  |  Transmit\n"
    " face |bytes packets errs drop fifo frame compressed multicast|bytes\n"
    "  eth0: 100 2 3 4 0 0 0 0 500 6 7 8 0 0 0 0\n"
    "eth0:1:  11 1 0 0 0 0 0 0  22 1 0 0 0 0 0 0\n";

TEST(HostFiles, BytesPacketsErrorsAndDropsOfAnInterface) {
  std::vector<MetricValue> eth0 = read(read_net_dev, kNetDev);
  std::erase_if(eth0, [](const MetricValue& r) { return r.label != "eth0"; });
  EXPECT_THAT(
      eth0, ElementsAre(MetricValue{Metric::kNetworkReceivedBytes, "eth0", 100},
                        MetricValue{Metric::kNetworkReceivedPackets, "eth0", 2},
                        MetricValue{Metric::kNetworkReceiveErrors, "eth0", 3},
                        MetricValue{Metric::kNetworkReceiveDrops, "eth0", 4},
                        MetricValue{Metric::kNetworkSentBytes, "eth0", 500},
                        MetricValue{Metric::kNetworkSentPackets, "eth0", 6},
                        MetricValue{Metric::kNetworkSendErrors, "eth0", 7},
                        MetricValue{Metric::kNetworkSendDrops, "eth0", 8}));
}

TEST(HostFiles, AnInterfaceMayHaveAColonInItsName) {
  EXPECT_THAT(read(read_net_dev, kNetDev),
              Contains(MetricValue{Metric::kNetworkSentBytes, "eth0:1", 22}));
}

TEST(HostFiles, CountsOfTcpAreFoundByTheirNames) {
  EXPECT_THAT(read(read_net_snmp,
                   "Ip: Forwarding DefaultTTL\n"
                   "Ip: 1 64\n"
                   "Tcp: MaxConn CurrEstab OutSegs RetransSegs\n"
                   "Tcp: -1 5 100 2\n"),
              ElementsAre(MetricValue{Metric::kTcpConnections, "", 5},
                          MetricValue{Metric::kTcpSegmentsSent, "", 100},
                          MetricValue{Metric::kTcpSegmentsResent, "", 2}));
}

TEST(HostFiles, ConnectionsThatWereNotAccepted) {
  EXPECT_THAT(read(read_net_netstat,
                   "TcpExt: SyncookiesSent ListenOverflows ListenDrops\n"
                   "TcpExt: 0 3 4\n"),
              ElementsAre(MetricValue{Metric::kListenOverflows, "", 3},
                          MetricValue{Metric::kListenDrops, "", 4}));
}

TEST(HostFiles, BacklogsOfAllCpusAreAddedUp) {
  EXPECT_THAT(read(read_softnet_stat,
                   "0000ffff 00000001 00000010 00000000\n"
                   "0000ffff 00000002 00000001 00000000\n"),
              ElementsAre(MetricValue{Metric::kBacklogDrops, "", 3},
                          MetricValue{Metric::kBacklogSqueezes, "", 17}));
}

TEST(HostFiles, OpenFilesAndTheirLimit) {
  EXPECT_THAT(
      read(read_file_nr, "1056\t0\t9223372036854775807\n"),
      ElementsAre(MetricValue{Metric::kFilesOpen, "", 1056},
                  MetricValue{Metric::kFilesLimit, "", 9223372036854775807.0}));
}

TEST(HostFiles, TimeThatThreadsWaitedForACpu) {
  EXPECT_THAT(read(read_schedstat,
                   "version 17\n"
                   "cpu0 0 0 1 2 3 4 5000 6000 7\n"
                   "domain0 MC 3 1 2\n"),
              ElementsAre(MetricValue{Metric::kCpuWait, "0", 6000}));
}

TEST(HostFiles, MachineChecksOfAllCpus) {
  EXPECT_THAT(read(read_interrupts,
                   "           CPU0       CPU1\n"
                   "  1:          9          9   IO-APIC   1-edge  i8042\n"
                   "THR:          0          1   Threshold APIC interrupts\n"
                   "MCE:          1          2   Machine check exceptions\n"),
              ElementsAre(MetricValue{Metric::kThresholdInterrupts, "", 1},
                          MetricValue{Metric::kMachineChecks, "", 3}));
}

TEST(HostFiles, FollowedConnectionsThatFailedOnAnyCpu) {
  EXPECT_THAT(read(read_conntrack_stat,
                   "entries  insert insert_failed drop early_drop\n"
                   "00000010 000000 00000001      000a 00000001\n"
                   "00000010 000000 00000002      0000 00000000\n"),
              ElementsAre(MetricValue{Metric::kConntrackInsertFailures, "", 3},
                          MetricValue{Metric::kConntrackDrops, "", 11}));
}

TEST(HostFiles, ACgroupsTimesAreMicroseconds) {
  EXPECT_THAT(read(read_cgroup_cpu_stat,
                   "usage_usec 30\n"
                   "user_usec 10\n"
                   "system_usec 20\n"
                   "nr_periods 5\n"
                   "nr_throttled 2\n"
                   "throttled_usec 7\n"),
              ElementsAre(MetricValue{Metric::kCgroupCpuUser, "", 10'000},
                          MetricValue{Metric::kCgroupCpuSystem, "", 20'000},
                          MetricValue{Metric::kCgroupThrottles, "", 2},
                          MetricValue{Metric::kCgroupThrottledTime, "", 7000}));
}

TEST(HostFiles, ALimitOfCpusIsAQuotaInAPeriod) {
  EXPECT_THAT(read(read_cgroup_cpu_max, "150000 100000\n"),
              ElementsAre(MetricValue{Metric::kCgroupCpuLimit, "", 1.5}));
}

TEST(HostFiles, NoLimitIsNoValue) {
  EXPECT_THAT(read(read_cgroup_cpu_max, "max 100000\n"), IsEmpty());
  EXPECT_THAT(read(read_cgroup_memory_max, "max\n"), IsEmpty());
  EXPECT_THAT(read(read_cgroup_pids_max, "max\n"), IsEmpty());
}

TEST(HostFiles, ACgroupsDisksAreAddedUp) {
  EXPECT_THAT(read(read_cgroup_io_stat,
                   "8:0 rbytes=10 wbytes=20 rios=1 wios=2 dbytes=0 dios=0\n"
                   "8:16 rbytes=1 wbytes=2 rios=1 wios=2 dbytes=0 dios=0\n"),
              ElementsAre(MetricValue{Metric::kCgroupReadBytes, "", 11},
                          MetricValue{Metric::kCgroupWrittenBytes, "", 22}));
}

TEST(HostFiles, CutAnywhereGiveNoNegativeValue) {
  for (const auto files : {proc_files(), seldom_files()})
    for (const HostFile& file : files) {
      std::ifstream in("/proc/" + std::string(file.path));
      std::string text(std::istreambuf_iterator<char>(in), {});
      text.resize(std::min<std::size_t>(text.size(), 3000));
      for (std::size_t size = 0; size <= text.size(); ++size)
        EXPECT_THAT(read(file.read, std::string_view(text).substr(0, size)),
                    Each(Field(&MetricValue::value, testing::Ge(0))))
            << file.path << " cut to " << size;
    }
}

// --- a directory in place of /proc and /sys

class HostReaderTest : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) {
    const fs::path path = fs::path(folder_.path()) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  HostReader reader() {
    return HostReader(folder_.path() + "/proc", folder_.path() + "/sys");
  }

  TestFolder folder_;
};

TEST_F(HostReaderTest, PartitionsAreNotDisks) {
  write("proc/diskstats",
        "8 0 sda 1 0 8 0 0 0 0 0 0 0 0\n"
        "8 1 sda1 1 0 8 0 0 0 0 0 0 0 0\n");
  write("sys/block/sda/size", "0");
  const auto values = reader().read().values;
  EXPECT_THAT(values, Contains(MetricValue{Metric::kDiskReads, "sda", 1}));
  EXPECT_THAT(values, Not(Contains(Field(&MetricValue::label, "sda1"))));
}

TEST_F(HostReaderTest, ASlashInADisksNameIsAnExclamationMarkInSys) {
  write("proc/diskstats", "104 0 cciss/c0d0 1 0 8 0 0 0 0 0 0 0 0\n");
  write("sys/block/cciss!c0d0/size", "0");
  EXPECT_THAT(reader().read().values,
              Contains(MetricValue{Metric::kDiskReads, "cciss/c0d0", 1}));
}

TEST_F(HostReaderTest, FilesThatAreNotThereAreNamed) {
  write("proc/loadavg", "0 0 0 1/2 3\n");
  HostReader here = reader();
  EXPECT_THAT(here.missing(), Contains(folder_.path() + "/proc/stat"));
  EXPECT_THAT(here.missing(), Not(Contains(folder_.path() + "/proc/loadavg")));
}

TEST_F(HostReaderTest, AFileIsReadAgainEachTime) {
  write("proc/loadavg", "1 0 0 1/2 3\n");
  HostReader here = reader();
  here.read();
  write("proc/loadavg", "2 0 0 1/2 3\n");
  EXPECT_THAT(here.read().values, Contains(MetricValue{Metric::kLoad1, "", 2}));
}

TEST_F(HostReaderTest, LimitsAreReadSeldomAndRepeatedInBetween) {
  write("proc/sys/kernel/threads-max", "100\n");
  HostReader here = reader();
  here.read();
  write("proc/sys/kernel/threads-max", "200\n");
  EXPECT_THAT(here.read().values,
              Contains(MetricValue{Metric::kThreadsLimit, "", 100}));
  for (int i = 0; i < HostReader::kSeldom; ++i) here.read();
  EXPECT_THAT(here.read().values,
              Contains(MetricValue{Metric::kThreadsLimit, "", 200}));
}

TEST_F(HostReaderTest, AFileMayBeLargerThanOneRead) {
  std::string text;
  for (int cpu = 0; cpu < 4000; ++cpu)
    text += "cpu" + std::to_string(cpu) + " 1 1 1 1 1 1 1 1 1 1\n";
  write("proc/stat", text);
  EXPECT_THAT(reader().read().values,
              Contains(MetricValue{Metric::kCpuSystem, "3999", 1e7}));
}

TEST_F(HostReaderTest, NumbersOfSysHaveTheirFoldersNameAsLabel) {
  write("sys/class/net/eth0/speed", "1000\n");
  write("sys/class/net/lo/speed", "-1\n");
  write("sys/block/sda/device/ioerr_cnt", "0x1f\n");
  write("sys/devices/system/edac/mc/mc0/ue_count", "2\n");
  const auto values = reader().read().values;
  EXPECT_THAT(values,
              Contains(MetricValue{Metric::kNetworkSpeed, "eth0", 125e6}));
  EXPECT_THAT(values, Not(Contains(Field(&MetricValue::label, "lo"))));
  EXPECT_THAT(values, Contains(MetricValue{Metric::kDiskErrors, "sda", 31}));
  EXPECT_THAT(values,
              Contains(MetricValue{Metric::kUncorrectedErrors, "mc0", 2}));
}

TEST_F(HostReaderTest, TheOwnGroupIsFoundBesideOlderHierarchies) {
  write("proc/self/cgroup", "4:memory:/a\n0::/system.slice/wick.service\n");
  const std::string root = "sys/fs/cgroup/unified/";
  write(root + "cgroup.controllers", "\n");
  write(root + "system.slice/wick.service/pids.current", "7\n");
  EXPECT_THAT(reader().read().values,
              Contains(MetricValue{Metric::kCgroupThreads, "", 7}));
}

// --- this machine

TEST(HostReader, AgreesWithASeparateReadOfProc) {
  const auto context_switches = [] {
    std::ifstream in("/proc/stat");
    std::string word;
    std::uint64_t value = 0;
    while (in >> word)
      if (word == "ctxt" && in >> value) break;
    return static_cast<double>(value);
  };
  HostReader reader;
  const double first = context_switches();
  const HostMetrics before = reader.read();
  for (int i = 0; i < 100; ++i) ::usleep(1000);
  const HostMetrics now = reader.read();
  const double last = context_switches();

  for (const MetricValue& rate : rates(before, now)) {
    if (rate.metric != Metric::kContextSwitches) continue;
    // A rate is a quotient: its product is a whole number but for rounding.
    const double growth =
        rate.value * static_cast<double>(now.boot_ns - before.boot_ns) / 1e9;
    EXPECT_GE(growth, 100 - 0.5);
    EXPECT_LE(growth, last - first + 0.5);
    return;
  }
  FAIL() << "no context switches";
}

TEST(HostReader, CpusAreNeitherBusyNorIdleForLongerThanTheTimeThatPassed) {
  HostReader reader;
  const HostMetrics before = reader.read();
  ::usleep(200'000);
  const HostMetrics now = reader.read();
  std::map<std::string, double> shares;  // of all modes, by CPU
  for (const MetricValue& rate : rates(before, now))
    if (rate.metric <= Metric::kCpuGuest)
      shares[rate.label] += rate.value / 1e9;
  EXPECT_THAT(shares, Not(IsEmpty()));
  // A clock of ten milliseconds is read at two moments, in nine modes.
  for (const auto& [cpu, share] : shares)
    EXPECT_LE(share, 1 + 0.02 * 9 / 0.2) << cpu;
}

TEST(HostReader, KnowsItsListeningSockets) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::listen(socket.get(), 8), 0) << last_system_error();
  HostMetrics metrics;
  TcpSocketReader reader;
  reader.read_states(metrics);
  reader.read_queues(metrics);
  if (metrics.values.empty()) GTEST_SKIP() << "the kernel has no sock_diag";
  EXPECT_THAT(
      metrics.values,
      Contains(testing::AllOf(Field(&MetricValue::metric, Metric::kTcpSockets),
                              Field(&MetricValue::label, "LISTEN"),
                              Field(&MetricValue::value, testing::Ge(1)))));
  EXPECT_THAT(metrics.values,
              Contains(Field(&MetricValue::metric, Metric::kTcpAcceptQueue)));
}

}  // namespace
}  // namespace wick
