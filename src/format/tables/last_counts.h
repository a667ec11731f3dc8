// SPDX-License-Identifier: Apache-2.0
// Counts as inferno does for some formats: a repeated stack replaces the
// earlier one instead of adding to it. The weight left out is noted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/hash_index.h"
#include "profile/profile.h"

namespace wick {

class LastCounts {
 public:
  void put(const Sample& sample) {
    const std::uint32_t row = index_.find_or_add(
        hash_pair(index(sample.stack), index(sample.thread)),
        [&](std::uint32_t i) {
          return rows_[i].stack == sample.stack &&
                 rows_[i].thread == sample.thread;
        },
        [&] {
          rows_.push_back(sample);
          rows_.back().weight = 0;
          return static_cast<std::uint32_t>(rows_.size() - 1);
        });
    leave_out(rows_[row].weight);
    rows_[row].weight = sample.weight;
  }

  // For weight that inferno does not count at all.
  void leave_out(std::int64_t weight) {
    if (weight == 0) return;
    ++left_out_;
    weight_left_out_ = saturating_add(weight_left_out_, weight);
  }

  void finish(Profile& profile, SampleCollector& samples) const {
    for (const Sample& row : rows_) samples.add(row);
    if (left_out_ > 0)
      profile.diagnostics.add({.problem = Problem::kNotCarried,
                               .count = left_out_,
                               .weight = weight_left_out_});
  }

 private:
  std::vector<Sample> rows_;
  HashIndex index_;
  std::uint64_t left_out_ = 0;
  std::int64_t weight_left_out_ = 0;
};

}  // namespace wick
