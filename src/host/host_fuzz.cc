// SPDX-License-Identifier: Apache-2.0
// Gives the bytes to the reader of every file: no value may be negative or not
// a number.
#include <cstdlib>
#include <string_view>

#include "base/fuzz_target.h"
#include "host/host_reader.h"
#include "host/process_metrics.h"
#include "host/tcp_sockets.h"

namespace wick {
namespace {

void read_as_every_file(std::string_view bytes) {
  HostMetrics metrics;
  for (const auto files : {proc_files(), seldom_files(), cgroup_files()})
    for (const HostFile& file : files) file.read(bytes, metrics);
  TcpSockets sockets;
  sockets.add(bytes);
  sockets.report_states(metrics);
  sockets.report_queues(metrics);
  for (const MetricValue& value : metrics.values)
    if (!(value.value >= 0)) std::abort();

  ProcessMetrics process;
  ProcessCounters counters;
  parse_process_io(bytes, counters);
  parse_process_schedstat(bytes, counters);
  parse_process_status(bytes, process, counters);
  parse_pss(bytes);
}

}  // namespace

extern const FuzzTarget host_fuzz = {.name = "host-files",
                                     .run = read_as_every_file};

}  // namespace wick
