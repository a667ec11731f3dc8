// SPDX-License-Identifier: Apache-2.0
// A call tree as profilers print it: a line for each function, callees indented
// below their caller, each with the total weight of the function.
//
//   10 main
//     7 parse
//       3 read
//     2 write
//
// Only the order of indentations matters: a level may be any number of blanks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "profile/tables.h"

namespace wick {

class CallTree {
 public:
  struct Line {
    std::size_t indent = 0;
    StackId stack = StackId::kRoot;
    std::int64_t total = 0;    // of the function and all it calls
    std::int64_t callees = 0;  // the sum of the totals of the lines below
    bool is_leaf = true;

    std::int64_t self() const {
      return std::max<std::int64_t>(total - callees, 0);
    }
  };

  // Adds the next line; its caller is the last line with a smaller indentation.
  // Calls `done(line)` for each line that is now complete, callees before
  // callers.
  template <class Done>
  StackId push(StackTable& stacks, std::size_t indent, FrameId frame,
               std::int64_t total, Done done) {
    const StackId caller = open(indent, total, done);
    return open_.back().stack = stacks.push(caller, frame);
  }

  // Adds a line that is not a function, such as a thread.
  template <class Done>
  void push_thread(std::size_t indent, std::int64_t total, Done done) {
    open(indent, total, done);
  }

  // Completes the lines with this or a larger indentation.
  template <class Done>
  void close(std::size_t indent, Done done) {
    while (!open_.empty() && open_.back().indent >= indent) {
      done(open_.back());
      open_.pop_back();
    }
  }

 private:
  // Returns the stack of the caller, which is the new line's until it has one.
  template <class Done>
  StackId open(std::size_t indent, std::int64_t total, Done done) {
    close(indent, done);
    StackId caller = StackId::kRoot;
    if (!open_.empty()) {
      Line& parent = open_.back();
      parent.callees = saturating_add(parent.callees, total);
      parent.is_leaf = false;
      caller = parent.stack;
    }
    open_.push_back({.indent = indent, .stack = caller, .total = total});
    return caller;
  }

  std::vector<Line> open_;  // the path from the root to the last line
};

}  // namespace wick
