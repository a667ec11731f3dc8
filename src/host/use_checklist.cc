// SPDX-License-Identifier: Apache-2.0
#include "host/use_checklist.h"

#include <algorithm>
#include <initializer_list>

namespace wick {
namespace {

using Rates = std::vector<MetricValue>;
using Found = std::optional<UseValue>;
using enum UseAspect;
using enum MetricUnit;

constexpr double kNanosecondsPerSecond = 1e9;

std::optional<double> sum(const Rates& rates,
                          std::initializer_list<Metric> metrics) {
  std::optional<double> total;
  for (const MetricValue& rate : rates)
    if (std::ranges::find(metrics, rate.metric) != metrics.end())
      total = total.value_or(0) + rate.value;
  return total;
}

template <Metric... kMetric>
Found total(const Rates& rates) {
  const auto value = sum(rates, {kMetric...});
  if (!value) return {};
  return UseValue{*value, {}};
}

// Two sums, the first as a part of the second.
Found part(std::optional<double> some, std::optional<double> all) {
  if (!some || !all || !(*all > 0)) return {};
  return UseValue{*some / *all, {}};
}

template <Metric kUsed, Metric kLimit>
Found used(const Rates& rates) {
  return part(sum(rates, {kUsed}), sum(rates, {kLimit}));
}

// Nanoseconds per second as a share; the label with the largest one.
template <Metric kTime>
Found worst_time(const Rates& rates) {
  Found worst;
  for (const MetricValue& rate : rates)
    if (rate.metric == kTime &&
        (!worst || rate.value / kNanosecondsPerSecond > worst->value))
      worst = UseValue{rate.value / kNanosecondsPerSecond, rate.label};
  return worst;
}

std::optional<double> labelled(const Rates& rates, Metric metric,
                               std::string_view label) {
  for (const MetricValue& rate : rates)
    if (rate.metric == metric && rate.label == label) return rate.value;
  return {};
}

Found pressure(const Rates& rates, std::string_view resource) {
  const auto time = labelled(rates, Metric::kPressureSome, resource);
  if (!time) return {};
  return UseValue{*time / kNanosecondsPerSecond, {}};
}

Found cpu_busy(const Rates& rates) {
  const auto all =
      sum(rates, {Metric::kCpuUser, Metric::kCpuNice, Metric::kCpuSystem,
                  Metric::kCpuIdle, Metric::kCpuIowait, Metric::kCpuIrq,
                  Metric::kCpuSoftirq, Metric::kCpuSteal, Metric::kCpuGuest});
  const auto idle =
      part(sum(rates, {Metric::kCpuIdle, Metric::kCpuIowait}), all);
  if (!idle) return {};
  return UseValue{1 - idle->value, {}};
}

double cpus(const Rates& rates) {
  return static_cast<double>(
      std::ranges::count(rates, Metric::kCpuIdle, &MetricValue::metric));
}

Found threads_per_cpu(const Rates& rates) {
  return part(sum(rates, {Metric::kThreadsRunning}), cpus(rates));
}

Found share_of_cpus(const Rates& rates, Metric time) {
  const auto nanoseconds = sum(rates, {time});
  const double all = cpus(rates) * kNanosecondsPerSecond;
  return part(nanoseconds, all);
}

Found memory_used(const Rates& rates) {
  const auto free = part(sum(rates, {Metric::kMemoryAvailable}),
                         sum(rates, {Metric::kMemoryTotal}));
  if (!free) return {};
  return UseValue{1 - free->value, {}};
}

// Of the disk with the longest wait: time of all requests by their number.
Found disk_wait(const Rates& rates) {
  Found worst;
  for (const MetricValue& reads : rates) {
    if (reads.metric != Metric::kDiskReads) continue;
    const auto of_disk = [&](Metric metric) {
      return labelled(rates, metric, reads.label).value_or(0);
    };
    const double requests = reads.value + of_disk(Metric::kDiskWrites);
    if (requests <= 0) continue;
    const double wait =
        (of_disk(Metric::kDiskReadTime) + of_disk(Metric::kDiskWriteTime)) /
        requests;
    if (!worst || wait > worst->value) worst = UseValue{wait, reads.label};
  }
  return worst;
}

Found network_used(const Rates& rates) {
  Found worst;
  for (const MetricValue& speed : rates) {
    if (speed.metric != Metric::kNetworkSpeed || speed.value <= 0) continue;
    const auto bytes = [&](Metric metric) {
      return labelled(rates, metric, speed.label).value_or(0);
    };
    const double used = std::max(bytes(Metric::kNetworkReceivedBytes),
                                 bytes(Metric::kNetworkSentBytes)) /
                        speed.value;
    if (!worst || used > worst->value) worst = UseValue{used, speed.label};
  }
  return worst;
}

// The smallest rate that shows: of what should never happen.
constexpr double kAny = 1e-9;

constexpr UseCheck kChecks[] = {
    {"CPU", kUtilisation, "time in which the CPUs were busy", kShare, 0.9,
     cpu_busy},
    {"CPU", kSaturation, "threads that run or wait for a CPU, per CPU", kCount,
     1.5, threads_per_cpu},
    {"CPU", kSaturation, "time in which a thread waited for a CPU", kShare, 0.2,
     [](const Rates& rates) { return pressure(rates, "cpu"); }},
    {"CPU", kSaturation, "threads that waited for a CPU, on average, per CPU",
     kShare, 0.5,
     [](const Rates& rates) { return share_of_cpus(rates, Metric::kCpuWait); }},
    {"CPU", kSaturation, "time that the hypervisor gave to other machines",
     kShare, 0.05,
     [](const Rates& rates) {
       return share_of_cpus(rates, Metric::kCpuSteal);
     }},
    {"CPU", kSaturation, "time for which the control group was stopped", kShare,
     0.05, worst_time<Metric::kCgroupThrottledTime>},
    {"CPU", kErrors, "errors that the CPUs reported", kCount, kAny,
     total<Metric::kMachineChecks, Metric::kThresholdInterrupts>},
    {"CPU", kErrors, "slowed down because of the temperature", kCount, kAny,
     total<Metric::kThermalThrottles>},
    {"softirqs", kUtilisation, "time of the busiest CPU in softirqs", kShare,
     0.5, worst_time<Metric::kCpuSoftirq>},
    {"memory", kUtilisation, "memory that programs cannot have", kShare, 0.9,
     memory_used},
    {"memory", kUtilisation, "memory of the control group", kShare, 0.9,
     used<Metric::kCgroupMemory, Metric::kCgroupMemoryLimit>},
    {"memory", kSaturation, "time in which a task waited for memory", kShare,
     0.05, [](const Rates& rates) { return pressure(rates, "memory"); }},
    {"memory", kSaturation, "read from and written to swap space", kBytes, 1e6,
     total<Metric::kSwapIn, Metric::kSwapOut>},
    {"memory", kSaturation, "allocations that waited for free memory", kCount,
     1, total<Metric::kAllocationStalls>},
    {"memory", kSaturation, "page faults that read from a disk", kCount, 100,
     total<Metric::kMajorFaults>},
    {"memory", kErrors, "processes killed because memory ran out", kCount, kAny,
     total<Metric::kOomKills, Metric::kCgroupOomKills>},
    {"memory", kErrors, "errors of the memory", kCount, kAny,
     total<Metric::kCorrectedErrors, Metric::kUncorrectedErrors>},
    {"disk", kUtilisation, "time in which the busiest disk had requests",
     kShare, 0.9, worst_time<Metric::kDiskBusyTime>},
    {"disk", kSaturation, "requests of the disk with most of them", kCount, 8,
     worst_time<Metric::kDiskQueueTime>},
    {"disk", kSaturation, "time of a request", kNanoseconds, 20e6, disk_wait},
    {"disk", kSaturation, "time in which a task waited for a disk", kShare, 0.1,
     [](const Rates& rates) { return pressure(rates, "io"); }},
    {"disk", kErrors, "failed requests", kCount, kAny,
     total<Metric::kDiskErrors>},
    {"disk", kErrors, "errors of file systems", kCount, kAny,
     total<Metric::kFileSystemErrors>},
    {"network", kUtilisation, "used of the busiest link", kShare, 0.8,
     network_used},
    {"network", kSaturation, "packets dropped because a queue was full", kCount,
     kAny, total<Metric::kBacklogDrops>},
    {"network", kSaturation, "times that a CPU had too many packets", kCount, 1,
     total<Metric::kBacklogSqueezes>},
    {"network", kSaturation, "segments dropped because a socket was full",
     kCount, kAny, total<Metric::kTcpBacklogDrops, Metric::kTcpReceiveDrops>},
    {"network", kErrors, "errors and drops of interfaces", kCount, kAny,
     total<Metric::kNetworkReceiveErrors, Metric::kNetworkSendErrors,
           Metric::kNetworkReceiveDrops, Metric::kNetworkSendDrops>},
    {"network", kErrors, "segments sent again", kShare, 0.01,
     used<Metric::kTcpSegmentsResent, Metric::kTcpSegmentsSent>},
    {"accept queues", kUtilisation, "used of the fullest one", kShare, 0.8,
     total<Metric::kTcpAcceptQueue>},
    {"accept queues", kSaturation, "connections refused or dropped", kCount,
     kAny, total<Metric::kListenDrops, Metric::kTcpRequestDrops>},
    {"accept queues", kErrors, "connections aborted because memory ran out",
     kCount, kAny, total<Metric::kTcpAbortsOnMemory>},
    {"open files", kUtilisation, "used of the limit", kShare, 0.8,
     used<Metric::kFilesOpen, Metric::kFilesLimit>},
    {"threads", kUtilisation, "used of the limit", kShare, 0.8,
     used<Metric::kThreads, Metric::kThreadsLimit>},
    {"threads", kUtilisation, "used of the control group's limit", kShare, 0.8,
     used<Metric::kCgroupThreads, Metric::kCgroupThreadsLimit>},
    {"followed connections", kUtilisation, "used of the limit", kShare, 0.8,
     used<Metric::kConntrackEntries, Metric::kConntrackLimit>},
    {"followed connections", kErrors, "failed and dropped", kCount, kAny,
     total<Metric::kConntrackInsertFailures, Metric::kConntrackDrops>},
};

}  // namespace

std::string_view name_of(UseAspect aspect) {
  switch (aspect) {
    case kUtilisation:
      return "utilisation";
    case kSaturation:
      return "saturation";
    case kErrors:
      return "errors";
  }
  return {};
}

std::span<const UseCheck> use_checklist() { return kChecks; }

}  // namespace wick
