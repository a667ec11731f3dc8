// SPDX-License-Identifier: Apache-2.0
// The stacks of one thread root with what they weigh in total, as a tree of
// rows of the stack table: fold() descends it from the root and never looks at
// what is below a node too narrow to be drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "profile/tables.h"

namespace wick {

// Of the two sides of a difference; otherwise `before` is 0.
struct StackWeights {
  std::int64_t after = 0, before = 0;

  void add(const StackWeights& other) {
    after = saturating_add(after, other.after);
    before = saturating_add(before, other.before);
  }
};

class StackSums {
 public:
  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit StackSums(const StackTable& stacks)
      : stacks_(stacks), place_(stacks.size()) {
    clear();
  }

  // For another thread root; costs what was added since.
  void clear();
  // Each stack once.
  void add(StackId stack, const StackWeights& weights);
  // Sums up, after the last add().
  void sum();

  struct Row {
    StackId stack = StackId::kRoot;
    std::uint32_t caller = kRoot;
    // Callees in the order in which they were added.
    std::uint32_t first_callee = kNone, next = kNone;
    StackWeights self, total;  // the total is with callees
  };
  const Row& operator[](std::uint32_t row) const { return rows_[row]; }

 private:
  // Callers come first.
  std::uint32_t row_of(StackId stack);

  const StackTable& stacks_;
  std::vector<Row> rows_;
  // Where the row of a stack is, if that row says the same.
  Column<StackId, std::uint32_t> place_;
  std::vector<StackId> pending_;
};

}  // namespace wick
