// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "host/file_readers.h"
#include "host/proc_text.h"

namespace wick {

void read_diskstats(std::string_view text, HostMetrics& metrics) {
  constexpr double kSector = 512;  // of every disk
  constexpr double kMillisecond = 1e6;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    take_word(line);  // the device's numbers
    take_word(line);
    const std::string_view name = take_word(line);
    double fields[11];
    for (double& field : fields) field = take_count(line);
    const auto [reads, reads_merged, sectors_read, read_ms, writes,
                writes_merged, sectors_written, write_ms, in_flight, busy_ms,
                queue_ms] = fields;
    if (name.empty() || reads + writes == 0) continue;
    const std::pair<Metric, double> values[] = {
        {Metric::kDiskReads, reads},
        {Metric::kDiskReadBytes, sectors_read * kSector},
        {Metric::kDiskReadTime, read_ms * kMillisecond},
        {Metric::kDiskWrites, writes},
        {Metric::kDiskWrittenBytes, sectors_written * kSector},
        {Metric::kDiskWriteTime, write_ms * kMillisecond},
        {Metric::kDiskInFlight, in_flight},
        {Metric::kDiskBusyTime, busy_ms * kMillisecond},
        {Metric::kDiskQueueTime, queue_ms * kMillisecond},
    };
    for (const auto& [metric, value] : values) metrics.add(metric, value, name);
  }
}

}  // namespace wick
