// SPDX-License-Identifier: Apache-2.0
// What a recorder hands to a server: what it saw of one host in a few seconds.
// The samples are a Profile as everywhere in wick. Batches come through a pipe
// from the recorder of the same machine or through a network, so their bytes
// are untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/process_metrics.h"
#include "profile/profile.h"

namespace wick {

// Where the threads of a process belong.
struct BatchProcess {
  std::int32_t pid = 0;
  std::string name;       // of the process; its threads may have others
  std::string cgroup;     // "/system.slice/ssh.service"
  std::string container;  // its name or id; "" if it is in none
  friend bool operator==(const BatchProcess&, const BatchProcess&) = default;
};

// A metric between from_ns and to_ns. Its name is that of a MetricInfo, or one
// that this version does not know.
struct BatchMetric {
  std::string name, label;
  double mean = 0, max = 0;
  friend bool operator==(const BatchMetric&, const BatchMetric&) = default;
};

// What the recorder dropped, and why: "no memory", "the server did not read".
struct Loss {
  std::string reason;
  std::uint64_t count = 0;
  friend bool operator==(const Loss&, const Loss&) = default;
};

struct Batch {
  // Who recorded: an id that no other recorder has, chosen when it starts.
  std::string agent;
  // 1, 2, 3 … of that agent. A batch that is sent again has the same number.
  std::uint64_t sequence = 0;
  // How many numbers up to `sequence` it stands for: a sum of batches is in the
  // place of all of them.
  std::uint64_t numbers = 1;
  std::string host;
  std::int64_t from_ns = 0, to_ns = 0;  // since 1970

  // Without times: samples of equal stack, thread and event are one row, and
  // `sample_counts` says of how many.
  Profile profile;
  std::vector<BatchProcess> processes;  // those that have samples
  std::vector<BatchMetric> metrics;
  std::vector<ProcessMetrics> busiest;
  std::vector<Loss> losses;
};

// More is refused when it is decoded.
inline constexpr std::size_t kMaxBatchBytes = std::size_t{64} << 20;

std::string encode(const Batch& batch);
// Fails if the bytes are damaged, something else, or of a later version.
Batch decode_batch(std::string_view bytes);

}  // namespace wick
