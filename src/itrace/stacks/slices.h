// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "itrace/stacks/accounts.h"

namespace wick {

// How long one stack ran without a change.
struct Slice {
  std::uint64_t cycle, weight;
  CallNodeId node;
  std::uint32_t hart;
  std::uint16_t place;  // of its function
};

// The slices of all harts. Places change far more often than stacks, so they
// are kept apart only while there are few slices.
class Slices {
 public:
  struct Limits {
    std::size_t all = std::size_t{1} << 24;
    std::size_t with_places = std::size_t{1} << 20;
  };
  Slices() = default;
  explicit Slices(Limits limits) : limits_(limits) {}

  // The slices of one hart come in order of time.
  void add(const Slice& slice);

  // Nodes may have been moved since.
  void resolve(const Accounts& accounts) {
    for (Slice& slice : all_) slice.node = accounts.resolved(slice.node);
  }

  const std::vector<Slice>& all() const { return all_; }
  std::uint64_t count() const { return count_; }
  bool are_too_many() const { return count_ > limits_.all; }
  bool has_places() const { return has_places_; }

 private:
  // Whether the slice continues the hart's previous one, which then grows.
  bool joined(const Slice& slice);
  void forget_places();

  std::vector<Slice> all_;
  std::uint64_t count_ = 0;  // including those beyond limits_.all
  Limits limits_;
  bool has_places_ = true;
  absl::flat_hash_map<std::uint32_t, std::size_t> last_;  // by hart
};

}  // namespace wick
