// SPDX-License-Identifier: Apache-2.0
// What most files of /proc consist of: lines of a key and numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/text.h"
#include "host/host_metrics.h"

namespace wick {

inline constexpr double kMicrosecond = 1e3;  // in nanoseconds

// The next number of a line; 0 if there is none, as in files of older kernels.
inline double take_count(std::string_view& line) {
  return static_cast<double>(
      to_number<std::uint64_t>(take_word(line)).value_or(0));
}

// A file that is one number. "max" or anything else: no value.
void add_number(std::string_view text, Metric metric, HostMetrics& metrics,
                std::string_view label = {}, double factor = 1);

struct KeyedMetric {
  std::string_view key;
  Metric metric;
  double factor = 1;
};

// Lines "key value" or "key: value unit"; a key that ends in '*' stands for all
// that begin so, and their values are added up.
void add_keyed(std::string_view text, std::span<const KeyedMetric> keys,
               HostMetrics& metrics);

// Pairs of lines, "Tcp: name name …" and "Tcp: value value …".
void add_paired(std::string_view text, std::string_view prefix,
                std::span<const KeyedMetric> keys, HostMetrics& metrics);

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", in microseconds.
void add_pressure(std::string_view text, std::string_view resource, Metric some,
                  Metric full, HostMetrics& metrics);

}  // namespace wick
