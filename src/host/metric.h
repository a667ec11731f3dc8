// SPDX-License-Identifier: Apache-2.0
// What wick measures of a host, as a table: a metric is one line in metric.cc,
// which names it, says how to read its values, and is all that charts, the API
// and documents need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wick {

enum class Metric : std::uint8_t {
  kCpuUser,
  kCpuNice,
  kCpuSystem,
  kCpuIdle,
  kCpuIowait,
  kCpuIrq,
  kCpuSoftirq,
  kCpuSteal,
  kCpuGuest,
  kCpuWait,
  kSoftirqs,
  kInterrupts,
  kMachineChecks,
  kThresholdInterrupts,
  kThermalThrottles,
  kContextSwitches,
  kForks,
  kThreadsRunning,
  kThreadsBlocked,
  kThreads,
  kThreadsLimit,
  kLoad1,
  kLoad5,
  kLoad15,
  kPressureSome,
  kPressureFull,
  kMemoryTotal,
  kMemoryFree,
  kMemoryAvailable,
  kMemoryBuffers,
  kMemoryCached,
  kMemorySlab,
  kMemoryShared,
  kMemoryDirty,
  kMemoryWriteback,
  kMemoryCommitted,
  kSwapTotal,
  kSwapFree,
  kPageFaults,
  kMajorFaults,
  kSwapIn,
  kSwapOut,
  kDirectReclaim,
  kAllocationStalls,
  kOomKills,
  kCorrectedErrors,
  kUncorrectedErrors,
  kDiskReads,
  kDiskReadBytes,
  kDiskReadTime,
  kDiskWrites,
  kDiskWrittenBytes,
  kDiskWriteTime,
  kDiskInFlight,
  kDiskBusyTime,
  kDiskQueueTime,
  kDiskErrors,
  kFileSystemErrors,
  kNetworkReceivedBytes,
  kNetworkReceivedPackets,
  kNetworkReceiveErrors,
  kNetworkReceiveDrops,
  kNetworkSentBytes,
  kNetworkSentPackets,
  kNetworkSendErrors,
  kNetworkSendDrops,
  kNetworkSpeed,
  kBacklogDrops,
  kBacklogSqueezes,
  kTcpConnections,
  kTcpSockets,
  kTcpAcceptQueue,
  kTcpSegmentsSent,
  kTcpSegmentsResent,
  kListenOverflows,
  kListenDrops,
  kTcpRequestDrops,
  kTcpBacklogDrops,
  kTcpReceiveDrops,
  kTcpAbortsOnMemory,
  kFilesOpen,
  kFilesLimit,
  kConntrackEntries,
  kConntrackLimit,
  kConntrackInsertFailures,
  kConntrackDrops,
  kCgroupCpuUser,
  kCgroupCpuSystem,
  kCgroupCpuLimit,
  kCgroupThrottles,
  kCgroupThrottledTime,
  kCgroupMemory,
  kCgroupMemoryLimit,
  kCgroupMemoryAnonymous,
  kCgroupMemoryFile,
  kCgroupMajorFaults,
  kCgroupMemoryHigh,
  kCgroupMemoryMax,
  kCgroupOomKills,
  kCgroupSwap,
  kCgroupReadBytes,
  kCgroupWrittenBytes,
  kCgroupThreads,
  kCgroupThreadsLimit,
  kCgroupPressureSome,
  kCgroupPressureFull,
  kWickCpu,
  kWickMemory,
};
inline constexpr std::size_t kMetrics =
    static_cast<std::size_t>(Metric::kWickMemory) + 1;

// A share is a part of 1; the rate of nanoseconds per second divided by 1e9 is
// one, too.
enum class MetricUnit : std::uint8_t { kCount, kBytes, kNanoseconds, kShare };

// A gauge is what it says at that moment. A counter only grows, and what
// happened between two moments is their difference.
enum class MetricKind : std::uint8_t { kGauge, kCounter };

struct MetricInfo {
  Metric metric;
  std::string_view name;  // "cpu.user"
  MetricUnit unit;
  MetricKind kind;
  // What tells the values of one moment apart: "cpu", "disk"; "" if there is
  // only one value.
  std::string_view label;
  std::string_view help;
};

const MetricInfo& info(Metric metric);
std::optional<Metric> metric_named(std::string_view name);

}  // namespace wick
