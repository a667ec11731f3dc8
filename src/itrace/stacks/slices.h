// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "itrace/stacks/accounts.h"

namespace wick {

// A change of the stack in time.
struct Slice {
  std::uint64_t cycle, weight;
  CallNodeId node;
  std::uint32_t hart;
  std::uint16_t place;  // of its function
};

// The slices of all harts. Places change far more often than stacks: they are
// told apart for as long as there are few.
class Slices {
 public:
  struct Limits {
    std::size_t all = std::size_t{1} << 24;
    std::size_t with_places = std::size_t{1} << 20;
  };
  Slices() = default;
  explicit Slices(Limits limits) : limits_(limits) {}

  // Of one hart, in the order of time.
  void add(const Slice& slice);

  const std::vector<Slice>& all() const { return all_; }
  std::uint64_t count() const { return count_; }
  bool are_too_many() const { return count_ > limits_.all; }
  bool has_places() const { return has_places_; }

 private:
  // Whether it goes on with the stack of the hart's slice before.
  bool joined(const Slice& slice);
  void forget_places();

  std::vector<Slice> all_;
  std::uint64_t count_ = 0;  // without the limit of all
  Limits limits_;
  bool has_places_ = true;
  absl::flat_hash_map<std::uint32_t, std::size_t> last_;  // by hart
};

}  // namespace wick
