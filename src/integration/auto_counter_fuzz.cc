// SPDX-License-Identifier: Apache-2.0
// Any bytes as the small files of a FireSim run: counters and workloads.
#include <cstdlib>
#include <string>

#include "base/fuzz_target.h"
#include "integration/auto_counter.h"
#include "integration/firesim_results.h"

namespace wick {
namespace {

void fuzz_auto_counter(std::string_view bytes) {
  parse_firesim_workload(bytes);
  InputFile file = InputFile::from_memory("input", std::string(bytes));
  const AutoCounters counters = read_auto_counters(file);
  for (const AutoCounters::Counter& counter : counters.counters)
    if (counter.label.empty() || counters.rate(counter) < 0) std::abort();
}

}  // namespace

extern const FuzzTarget auto_counter_fuzz = {.name = "auto-counter",
                                             .run = fuzz_auto_counter};

}  // namespace wick
