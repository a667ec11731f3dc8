// SPDX-License-Identifier: Apache-2.0
// FireSim's AutoCounter files (AUTOCOUNTERFILE0.csv): counters of events in the
// simulated machine, read at regular intervals. Rows about the columns come
// first (version, clock domain, labels, descriptions, type, widths), then a row
// for each reading: cycle of the base clock, cycle of the counters' own clock,
// and the totals. FireSim up to 1.10 wrote "PerfCounter NAME: N" lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/input_file.h"
#include "profile/diagnostics.h"

namespace wick {

struct AutoCounters {
  struct Counter {
    std::string label, description;
    std::uint64_t total = 0;  // of the last reading
  };
  std::string clock_domain;
  std::uint64_t readings = 0;
  std::uint64_t last_cycle = 0;  // of the counters' clock
  std::vector<Counter> counters;
  Diagnostics diagnostics;

  // Events per cycle; 0 if no cycle was counted.
  double rate(const Counter& counter) const {
    return last_cycle == 0 ? 0
                           : static_cast<double>(counter.total) /
                                 static_cast<double>(last_cycle);
  }
};

// Fails if the file has no readings.
AutoCounters read_auto_counters(InputFile& file);

}  // namespace wick
