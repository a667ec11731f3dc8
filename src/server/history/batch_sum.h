// SPDX-License-Identifier: Apache-2.0
// Batches come every second, for live views. Sums of ten seconds are stored:
// packing and names then cost a tenth.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "server/batch/batch.h"

namespace wick {

// Sums are of ten seconds that begin at a multiple of ten seconds since 1970. A
// batch belongs to those in which it begins.
inline constexpr std::int64_t kSumNs = 10'000'000'000;

// A mean and a maximum over the time for which a value is known.
class MetricSum {
 public:
  void add(double mean, double max, double seconds);
  double mean() const { return value_seconds_ / seconds_; }
  double max() const { return max_; }

 private:
  double value_seconds_ = 0, seconds_ = 0, max_ = 0;
};

class BatchSum {
 public:
  // The sum before, if `batch` does not belong to it.
  std::optional<Batch> add(Batch batch);
  // The sum, if its ten seconds are over.
  std::optional<Batch> take_complete();
  // What there is, if there is anything.
  std::optional<Batch> take();

 private:
  bool takes(const Batch& batch) const;

  std::optional<Batch> sum_;  // without metrics
  std::map<std::pair<std::string, std::string>, MetricSum> metrics_;
};

}  // namespace wick
