// SPDX-License-Identifier: Apache-2.0
// Buckets of what is measured: metrics, the busiest processes, losses. As with
// SampleSums, several of them add up to one, and texts are numbers of the
// dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/process_metrics.h"

namespace wick {

// Means are of the time for which a value is known. The list of metrics rarely
// changes, so it is a text of the dictionary, and a bucket has its number.
class MetricSums {
 public:
  using AddText = std::function<std::uint64_t(std::string_view)>;
  using Text = std::function<std::string(std::uint64_t)>;

  void add(std::uint64_t series, double mean, double max, double seconds);
  bool add_packed(std::string_view bytes, const Text& text);
  std::string packed(const AddText& add_text) const;

  struct Value {
    std::uint64_t series = 0;  // the text "name\0label"
    double mean = 0, max = 0, seconds = 0;
  };
  std::vector<Value> values() const;

 private:
  struct Sum {
    double value_seconds = 0, max = 0, seconds = 0;
  };
  std::map<std::uint64_t, Sum> sums_;
};

std::string series_text(std::string_view name, std::string_view label);
// Its name and its label.
std::pair<std::string_view, std::string_view> parts_of_series(
    std::string_view text);

// Values of one process are means over the time in which it was among the
// busiest; the rest of what is known of it is what was known last.
class ProcessSums {
 public:
  // With the number of its name in place of its name.
  void add(std::uint64_t name, const ProcessMetrics& process);
  bool add_packed(std::string_view bytes);
  // The `most` that used the CPUs most.
  std::string packed(std::size_t most) const;

  struct Value {
    std::uint64_t name = 0;
    ProcessMetrics process;
  };
  std::vector<Value> values() const;

 private:
  struct Sum {
    std::uint64_t name = 0;
    ProcessMetrics last;
    std::vector<double> value_seconds, value_time;  // of each column
    double seconds = 0;
  };
  void add(std::uint64_t name, const ProcessMetrics& process,
           const std::vector<double>& columns, double seconds);
  std::map<std::pair<std::int32_t, std::uint64_t>, Sum> sums_;
};

class LossSums {
 public:
  void add(std::uint64_t reason, std::uint64_t count) {
    counts_[reason] += count;
  }
  bool add_packed(std::string_view bytes);
  std::string packed() const;
  const std::map<std::uint64_t, std::uint64_t>& counts() const {
    return counts_;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> counts_;  // by reason
};

}  // namespace wick
