// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "host/file_readers.h"
#include "host/proc_text.h"

namespace wick {
namespace {

constexpr double kKilobyte = 1024;

}  // namespace

void read_meminfo(std::string_view text, HostMetrics& metrics) {
  static constexpr KeyedMetric kKeys[] = {
      {"MemTotal", Metric::kMemoryTotal, kKilobyte},
      {"MemFree", Metric::kMemoryFree, kKilobyte},
      {"MemAvailable", Metric::kMemoryAvailable, kKilobyte},
      {"Buffers", Metric::kMemoryBuffers, kKilobyte},
      {"Cached", Metric::kMemoryCached, kKilobyte},
      {"Slab", Metric::kMemorySlab, kKilobyte},
      {"Shmem", Metric::kMemoryShared, kKilobyte},
      {"Dirty", Metric::kMemoryDirty, kKilobyte},
      {"Writeback", Metric::kMemoryWriteback, kKilobyte},
      {"Committed_AS", Metric::kMemoryCommitted, kKilobyte},
      {"SwapTotal", Metric::kSwapTotal, kKilobyte},
      {"SwapFree", Metric::kSwapFree, kKilobyte},
  };
  add_keyed(text, kKeys, metrics);
}

void read_vmstat(std::string_view text, HostMetrics& metrics) {
  static const double page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  static const KeyedMetric kKeys[] = {
      {"pgfault", Metric::kPageFaults},
      {"pgmajfault", Metric::kMajorFaults},
      {"pswpin", Metric::kSwapIn, page},
      {"pswpout", Metric::kSwapOut, page},
      {"pgscan_direct", Metric::kDirectReclaim},
      {"allocstall_*", Metric::kAllocationStalls},
      {"oom_kill", Metric::kOomKills},
  };
  add_keyed(text, kKeys, metrics);
}

}  // namespace wick
