// SPDX-License-Identifier: Apache-2.0
// Reads the bytes as a bucket of each kind, as if a damaged database had them.
#include <cstdlib>

#include "base/fuzz_target.h"
#include "server/store/metric_sums.h"
#include "server/store/packing.h"
#include "server/store/sample_sums.h"

namespace wick {
namespace {

// What was read can be packed and is read again whole.
void read_buckets(std::string_view bytes) {
  const std::string data = packed_bucket(bytes);
  const SampleSums::View all{
      .thread = [](SampleSums::Thread&) { return true; },
      .event = [](const SampleSums::Event&) { return true; }};
  SampleSums samples, samples_again;
  samples.add_packed(data, all);
  if (!samples_again.add_packed(samples.packed(), all) ||
      samples_again.rows() != samples.rows())
    std::abort();

  std::string list(bytes.substr(0, 16));
  MetricSums metrics;
  metrics.add_packed(data, [&](std::uint64_t) { return list; });
  metrics.packed([](std::string_view) { return 1; });
  ProcessSums processes, processes_again;
  processes.add_packed(data);
  if (!processes_again.add_packed(processes.packed(30))) std::abort();
  LossSums losses, losses_again;
  losses.add_packed(data);
  if (!losses_again.add_packed(losses.packed()) ||
      losses_again.counts() != losses.counts())
    std::abort();
}

}  // namespace

extern const FuzzTarget buckets_fuzz = {.name = "buckets", .run = read_buckets};

}  // namespace wick
